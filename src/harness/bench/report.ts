// Formats benchmark results for a terminal and as a JSON document.
import { rateText } from '../../base/rate.ts';
import { table } from '../report/columns.ts';
import type { Colors } from '../report/text.ts';
import type { Measurement } from './measure.ts';
import {
  type BenchResults,
  cubRatio,
  isCompiledAway,
  limitRatio,
  type MeasuredEntry,
  meanRatios,
  nativeRatio,
  seriesOf,
} from './results.ts';
import type { Spread } from './statistics.ts';
import type { ToolMeasurement } from './tool.ts';

const headings = ['', 'on', 'rate', 'spread', 'of native', 'of limit', 'of CUB'];

/** Returns all tables, followed by the means and notes. */
export function benchTables(results: BenchResults, colors: Colors): string {
  const sections = (['instructions', 'kernels'] as const).flatMap((section) => {
    const own = results.entries.filter(({ entry }) => entry.section === section);
    return own.length === 0 ? [] : [entryTable(section, own, results, colors)];
  });
  const tool = results.tool.length === 0 ? [] : [toolTable(results.tool, colors)];
  return [...sections, ...tool, ...remarks(results)].join('\n\n');
}

function entryTable(
  section: 'instructions' | 'kernels',
  own: readonly MeasuredEntry[],
  results: BenchResults,
  colors: Colors,
): string {
  const rows = own.flatMap((measured) =>
    measured.measurements.map((measurement, index) => entryRow(measured, measurement, index === 0, results)),
  );
  const means = meanRatios(results, section).map(({ name, mean, count, withInvariant }) => {
    const more = withInvariant
      ? `; ${percent(withInvariant.mean)} over ${withInvariant.count} including the invariant forms`
      : '';
    return `${name}: ${percent(mean)} of native over ${count} (geometric mean)${more}`;
  });
  const away = own.filter((measured) => isCompiledAway(measured, results)).map(({ entry }) => entry.id);
  const left =
    away.length > 0 ? [`Compiled away on some machine, and excluded from the means: ${away.join(', ')}`] : [];
  return [colors.bold(section), table(headings, rows, colors), ...means, ...left].join('\n');
}

function entryRow(measured: MeasuredEntry, measurement: Measurement, named: boolean, results: BenchResults): string[] {
  const { entry, measurements } = measured;
  const name = named ? entry.id.replace(/^kernel:/, '') : '';
  const on = `${seriesOf(measurement, entry)}${measurement.software ? ' (software)' : ''}`;
  if (!measurement.rate) return [name, on, `${measurement.status}: ${measurement.message}`.slice(0, 100)];
  const ratios = [
    nativeRatio(measurement, measurements),
    limitRatio(measurement, measured, results),
    cubRatio(measurement, measured, results),
  ];
  return [
    name,
    on,
    rateText(measurement.rate.median, measurement.unit),
    spreadText(measurement.rate),
    ...ratios.map((ratio) => (ratio === undefined ? '' : percent(ratio))),
  ];
}

function toolTable(tool: readonly ToolMeasurement[], colors: Colors): string {
  const rows = tool.map(({ id, machine, unit, value, note }) => [
    id,
    machine,
    unit === 'ms' ? `${value.median.toFixed(1)} ms` : `${(value.median / 1e6).toFixed(0)} M/s`,
    value.samples > 1 ? spreadText(value) : '',
    note,
  ]);
  return [colors.bold('tool'), table(['', 'on', 'median', 'spread', ''], rows, colors)].join('\n');
}

function remarks({ skipped, notes, entries }: BenchResults): string[] {
  const software = entries.some(({ measurements }) => measurements.some((measurement) => measurement.software));
  return [
    ...(software ? ['A software adapter ran these kernels on the CPU: its rates do not predict those of a GPU.'] : []),
    ...(skipped.length > 0
      ? [`Not measured because time ran out: ${skipped.length} (${skipped.slice(0, 3).join(', ')}, …)`]
      : []),
    ...notes,
  ];
}

/** Returns half of the distance between the extremes, relative to the median, in percent. */
function spreadText({ median, min, max }: Spread): string {
  return `±${(((max - min) / 2 / median) * 100).toFixed(1)}%`;
}

function percent(ratio: number): string {
  return `${(ratio * 100).toFixed(ratio < 0.1 ? 1 : 0)}%`;
}

/** Returns the measurements of a JSON document, with their ratios. */
export function jsonEntries(results: BenchResults): object[] {
  return results.entries.flatMap((measured) =>
    measured.measurements.map((measurement) => ({
      section: measured.entry.section,
      series: seriesOf(measurement, measured.entry),
      ...measurement,
      ofNative: nativeRatio(measurement, measured.measurements) ?? null,
      ofLimit: limitRatio(measurement, measured, results) ?? null,
      ofCub: cubRatio(measurement, measured, results) ?? null,
      ...(measured.entry.invariant ? { invariant: true } : {}),
      ...(isCompiledAway(measured, results) ? { compiledAway: true } : {}),
    })),
  );
}

/** Returns the means of a JSON document, which `benchTables` prints after its tables. */
export function jsonMeans(results: BenchResults): object[] {
  return (['instructions', 'kernels'] as const).flatMap((section) =>
    meanRatios(results, section).map((mean) => ({ section, ...mean })),
  );
}
