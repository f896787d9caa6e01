// Formats the times of compilations for a terminal.
import { oneLine } from '../../base/printable.ts';
import { table } from '../report/columns.ts';
import type { Colors } from '../report/text.ts';
import type { CompiledKernel, CompileParts } from './compile-times.ts';

const headings = ['', 'on', 'WGSL', 'parse', 'translate', 'module', 'driver', 'first run', 'total'];
const maxRows = 40;
const maxName = 60;

/**
 * Returns the total time in milliseconds until the first result, without the run if it was not
 * measured.
 */
export const totalOf = ({ parseMs, translateMs, moduleMs, pipelineMs, runMs = 0 }: CompileParts): number =>
  parseMs + translateMs + moduleMs + pipelineMs + runMs;

/**
 * Returns a table of the slowest kernels, a list of the kernels that were not compiled, and a
 * summary.
 */
export function compileTable(kernels: readonly CompiledKernel[], colors: Colors): string {
  const measured = kernels
    .flatMap((kernel) => (kernel.parts ? [{ ...kernel, parts: kernel.parts }] : []))
    .sort((a, b) => totalOf(b.parts) - totalOf(a.parts));
  const rows = measured.slice(0, maxRows).map(({ entry, executor, wgslBytes = 0, parts }) => {
    const { parseMs, translateMs, moduleMs, pipelineMs, runMs } = parts;
    const times = [parseMs, translateMs, moduleMs, pipelineMs].map(timeText);
    const run = runMs === undefined ? 'none' : timeText(runMs);
    return [
      oneLine(entry, maxName),
      executor,
      `${Math.ceil(wgslBytes / 1024)} KiB`,
      ...times,
      run,
      timeText(totalOf(parts)),
    ];
  });
  const more = measured.length > maxRows ? [`and ${measured.length - maxRows} faster ones`] : [];
  const others = kernels
    .filter(({ status }) => status === 'abandoned' || status === 'failed')
    .map(({ entry, executor, status, message }) => {
      const [reason = ''] = message.split('\n');
      return `${status} on ${executor}: ${oneLine(entry, maxName)}${status === 'failed' ? `: ${oneLine(reason, 120)}` : ''}`;
    });
  return [...(rows.length === 0 ? [] : [table(headings, rows, colors)]), ...more, ...others, summary(kernels)].join(
    '\n',
  );
}

function summary(kernels: readonly CompiledKernel[]): string {
  const count = (status: CompiledKernel['status']): number => kernels.filter((one) => one.status === status).length;
  const drivers = kernels.flatMap(({ parts }) => parts?.pipelineMs ?? []).sort((a, b) => a - b);
  const [median, longest] = [drivers[drivers.length >> 1], drivers.at(-1)];
  const spread =
    median === undefined || longest === undefined
      ? ''
      : `; driver: median ${timeText(median)}, longest ${timeText(longest)}`;
  return `${count('measured')} measured, ${count('abandoned')} abandoned, ${count('refused')} refused, ${count('failed')} failed${spread}`;
}

/**
 * Formats a time in milliseconds. The unit is the same for all values, so that the values of a
 * column are easy to compare.
 */
const timeText = (ms: number): string => `${ms >= 100 ? ms.toFixed(0) : ms.toFixed(1)} ms`;
