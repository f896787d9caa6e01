// Chooses the buffers that `lanewise run FILE …` shows, and formats them as text and as JSON.
import type { BufferParam, Launch, LaunchOutputs } from '../base/launch.ts';
import { elementText } from '../base/number-text.ts';
import { oneLine } from '../base/printable.ts';
import { scalarFormats } from '../base/scalars.ts';
import { compareOutputs } from '../harness/compare/compare.ts';
import type { ExecutorRun } from '../harness/executors/executor.ts';
import { grouped } from '../harness/report/text.ts';
import { UsageError } from './console.ts';
import type { KernelLaunch } from './kernel-launch.ts';
import type { PrintChoice } from './options.ts';

/**
 * The maximum number of elements of a buffer that are printed without --print, and of differences
 * that are listed.
 */
const shownElements = 16;

export interface WrittenBuffer {
  readonly index: number;
  readonly param: BufferParam;
  /** The number of elements that a thread wrote; undefined if the reference did not run. */
  readonly written: number | undefined;
}

/**
 * Returns the buffers that the kernel wrote on the reference. If the reference failed, returns the
 * buffers that the kernel may write.
 */
export function writtenBuffers(
  { launch, parameters }: KernelLaunch,
  runs: ReadonlyMap<string, ExecutorRun>,
): WrittenBuffer[] {
  const writers = runs.get('cpu')?.writers;
  return launch.params.flatMap((param, index): WrittenBuffer[] => {
    if (param.kind !== 'buffer') return [];
    const threads = writers?.get(index);
    if (writers === undefined) return parameters[index]?.writes ? [{ index, param, written: undefined }] : [];
    const { bytes: width } = scalarFormats[param.type];
    let written = 0;
    for (let at = 0; threads !== undefined && at < threads.length; at += width) {
      if (threads.subarray(at, at + width).some((thread) => thread >= 0)) written++;
    }
    return written === 0 ? [] : [{ index, param, written }];
  });
}

/** Returns the outputs to show: those of the first adapter, or otherwise those of the reference. */
function shownOutputs(runs: ReadonlyMap<string, ExecutorRun>): LaunchOutputs {
  const [first] = [...runs].filter(([name]) => name !== 'cpu');
  return (first?.[1] ?? runs.get('cpu'))?.outputs ?? new Map();
}

export function checkPrints({ launch }: KernelLaunch, prints: readonly PrintChoice[] = []): void {
  for (const { name } of prints) {
    if (launch.params.some((param) => param.kind === 'buffer' && param.name === name)) continue;
    const names = launch.params.flatMap((param) => (param.kind === 'buffer' ? [param.name] : []));
    throw new UsageError(
      `--print ${name}: unknown buffer; expected ${names.join(', ') || 'no name, since the kernel has no buffers'}`,
    );
  }
}

interface ShownBuffer {
  readonly index: number;
  readonly param: BufferParam;
  readonly written: number | undefined;
  readonly count: number;
}

/** Returns the buffers in --print, or without --print the buffers that were written. */
function chosenBuffers(
  launch: Launch,
  buffers: readonly WrittenBuffer[],
  prints: readonly PrintChoice[] | undefined,
): ShownBuffer[] {
  if (prints === undefined) return buffers.map((buffer) => ({ ...buffer, count: shownElements }));
  return prints.flatMap(({ name, count = shownElements }) => {
    const index = launch.params.findIndex((param) => param.name === name);
    const param = launch.params[index];
    const written = buffers.find((buffer) => buffer.index === index)?.written;
    return param?.kind === 'buffer' ? [{ index, param, written, count }] : [];
  });
}

export function bufferTexts(
  launch: Launch,
  buffers: readonly WrittenBuffer[],
  runs: ReadonlyMap<string, ExecutorRun>,
  prints: readonly PrintChoice[] | undefined,
): string[] {
  const outputs = shownOutputs(runs);
  const masks = runs.get('cpu')?.undefinedMasks;
  const chosen = chosenBuffers(launch, buffers, prints);
  if (chosen.length === 0 && runs.size > 0) return ['the kernel wrote no buffer'];
  return chosen.flatMap(({ index, param, written, count }) => {
    const bytes = outputs.get(index);
    if (bytes === undefined) return [];
    const { bytes: width } = scalarFormats[param.type];
    const total = Math.floor(bytes.length / width);
    const mask = masks?.get(index);
    const isUndefined = (element: number): boolean =>
      mask?.subarray(element * width, (element + 1) * width).some((bits) => bits !== 0) === true;
    const values = Array.from({ length: Math.min(count, total) }, (_, element) =>
      isUndefined(element) ? 'undefined' : elementText(param.type, bytes, element),
    );
    const writtenText = written === undefined ? '' : `, ${grouped(written)} written`;
    const left = total - values.length;
    const more = left > 0 ? [`  … ${grouped(left)} more (--print ${param.name}:${total} prints all)`] : [];
    return [
      [
        `${oneLine(param.name, 100)}: ${param.type}[${total}]${writtenText}`,
        ...rowsOf(values),
        ...more,
        ...differenceLines(launch, index, param, runs),
      ].join('\n'),
    ];
  });
}

/** Formats values in rows of eight aligned columns. */
function rowsOf(values: readonly string[]): string[] {
  const perRow = 8;
  const width = values.reduce((most, { length }) => Math.max(most, length), 0);
  const labels = String(Math.max(0, values.length - 1)).length + 2;
  return Array.from({ length: Math.ceil(values.length / perRow) }, (_, row) => {
    const cells = values.slice(row * perRow, (row + 1) * perRow).map((value) => value.padStart(width));
    return `  ${`[${row * perRow}]`.padStart(labels)}  ${cells.join('  ')}`;
  });
}

/** Returns lines for the first elements in which an executor and the reference differ. */
function differenceLines(
  launch: Launch,
  index: number,
  param: BufferParam,
  runs: ReadonlyMap<string, ExecutorRun>,
): string[] {
  const reference = runs.get('cpu');
  const wanted = reference?.outputs.get(index);
  if (reference === undefined || wanted === undefined) return [];
  const { bytes: width } = scalarFormats[param.type];
  return [...runs].flatMap(([name, run]) => {
    const got = run.outputs.get(index);
    if (name === 'cpu' || got === undefined) return [];
    const lines: string[] = [];
    const { params, ...rest } = launch;
    let count = 0;
    for (let element = 0; (element + 1) * width <= wanted.length; element++) {
      const part = (bytes: Uint8Array | undefined) => bytes?.subarray(element * width, (element + 1) * width);
      if (Buffer.compare(part(wanted) ?? wanted, part(got) ?? got) === 0) continue;
      // Compare a single element as a separate buffer, because the comparison includes tolerances
      // and undefined bits.
      const one: Launch = {
        ...rest,
        params: params.map((each, at) => (at === index ? { ...param, bytes: width } : each)),
      };
      const mask = part(reference.undefinedMasks?.get(index));
      const { mismatches } = compareOutputs(
        one,
        new Map([[index, part(wanted) ?? wanted]]),
        new Map([[index, part(got) ?? got]]),
        {
          ...(mask === undefined ? {} : { undefinedMasks: new Map([[index, mask]]) }),
        },
      );
      if (mismatches === 0) continue;
      if (++count <= shownElements) {
        lines.push(
          `    [${element}]  reference ${elementText(param.type, wanted, element)}, ${name} ${elementText(param.type, got, element)}`,
        );
      }
    }
    if (count > shownElements) lines.push(`    … and ${grouped(count - shownElements)} more`);
    return count === 0
      ? []
      : [`  ${grouped(count)} ${count === 1 ? 'element differs' : 'elements differ'} on ${name}:`, ...lines];
  });
}

export function jsonBuffers(
  launch: Launch,
  buffers: readonly WrittenBuffer[],
  runs: ReadonlyMap<string, ExecutorRun>,
  prints: readonly PrintChoice[] | undefined,
): object[] {
  const outputs = shownOutputs(runs);
  return chosenBuffers(launch, buffers, prints).map(({ index, param, written, count }) => {
    const bytes = outputs.get(index) ?? new Uint8Array(); // There are no outputs if no executor has finished.
    const total = Math.floor(bytes.length / scalarFormats[param.type].bytes);
    const values = Array.from({ length: Math.min(count, total) }, (_, element) =>
      elementText(param.type, bytes, element),
    );
    return { name: param.name, type: param.type, elements: total, written: written ?? null, values };
  });
}
