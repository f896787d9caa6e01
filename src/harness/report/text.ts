// Writes results for a terminal: a table, and a description of every failure.

import type picocolors from 'picocolors';
import { groupBy } from '../../base/group-by.ts';
import { oneLine, printableButColors } from '../../base/printable.ts';
import { joinObserved, type Observed, observedEntries, observedKinds } from '../compare/observed.ts';
import type { ExecutorReport } from '../executors/executor.ts';
import { type FirstMismatch, type Result, totals } from '../runs/results.ts';

export type Colors = ReturnType<typeof picocolors.createColors>;

/** A row of the table: the results with the same name. */
export interface TableRow {
  readonly name: string;
  readonly results: readonly Result[];
}

/**
 * Returns the table of one executor's results, followed by the reasons for skipped results.
 * `nameOf` returns the row of a result.
 */
export function resultTable(results: readonly Result[], nameOf: (result: Result) => string, colors: Colors): string {
  const skips = results.some(({ skipped }) => skipped !== undefined);
  const headings = [
    '',
    'suites',
    ...(skips ? ['skipped'] : []),
    'cases',
    'lanes compared',
    'undefined',
    'mismatches',
    'ms',
  ];
  const rows = rowsOf(results, nameOf).map((row) => tableRow(row, skips));
  const total = tableRow({ name: 'total', results }, skips);
  const line = lineOf([headings, ...rows.map(({ cells }) => cells), total.cells]);
  const paint = ({ cells, status }: PaintedRow): string => {
    const text = line(cells);
    if (status === 'pass') return `${colors.green(marks.pass)} ${text}`;
    if (status === 'skipped') return colors.dim(`${marks.unsupported} ${text}`);
    return `${colors.red(marks[status])} ${colors.red(text)}`;
  };
  return [
    colors.bold(`  ${line(headings)}`),
    ...rows.map(paint),
    colors.dim(`  ${'─'.repeat(line(total.cells).length)}`),
    paint(total),
    ...skipReasons(results).map(([reason, count]) => colors.dim(`${marks.unsupported} ${count} skipped: ${reason}`)),
  ].join('\n');
}

/**
 * Returns the table of observed values of lanes that PTX leaves undefined, by `nameOf` and by
 * cause. Returns '' if no value was observed.
 */
export function observedTable(results: readonly Result[], nameOf: (result: Result) => string, colors: Colors): string {
  const seen = rowsOf(
    results.filter(({ observed }) => observed !== undefined),
    nameOf,
  );
  if (seen.length === 0) return '';
  const headings = ['lanes undefined by PTX hold', ...observedKinds];
  const rows = seen.flatMap(({ name, results: group }) => {
    const sums = group.reduce<Observed>((sum, { observed = {} }) => joinObserved(sum, observed), {});
    return observedEntries(sums).map(([cause, counts]) => [
      `${name}: ${cause}`,
      ...observedKinds.map((kind) => (counts[kind] ? grouped(counts[kind]) : '·')),
    ]);
  });
  const line = lineOf([headings, ...rows]);
  return [colors.bold(`  ${line(headings)}`), ...rows.map((cells) => `  ${line(cells)}`)].join('\n');
}

/**
 * Returns a function that pads the cells of a row to the widest cells of `rows`. The first cell is
 * aligned left, and the other cells right.
 */
function lineOf(rows: readonly (readonly string[])[]): (cells: readonly string[]) => string {
  const widthOf = (column: number): number => Math.max(...rows.map((cells) => cells[column]?.length ?? 0));
  const widths = (rows[0] ?? []).map((_, column) => widthOf(column));
  const pad = (cell: string, column: number): string =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return (cells) => cells.map(pad).join('  ').trimEnd();
}

const marks = { pass: '✓', fail: '✗', unsupported: '–', error: '!' } as const;

interface PaintedRow {
  readonly cells: readonly string[];
  readonly status: Result['status'] | 'skipped';
}

/** Returns a row. Skipped results count only if all results of the row are skipped. */
function tableRow({ name, results }: TableRow, skips: boolean): PaintedRow {
  const sums = totals(results);
  const counted = results.filter(({ skipped }) => skipped === undefined);
  const skipped = skips ? [results.length - counted.length] : [];
  const counts = [results.length, ...skipped, sums.cases, sums.compared, sums.undefined, sums.mismatches];
  const bad = (['fail', 'error', 'unsupported'] as const).find((status) =>
    counted.some((result) => result.status === status),
  );
  return {
    cells: [name, ...counts.map(grouped), sums.ms.toFixed(0)],
    status: bad ?? (counted.length > 0 ? 'pass' : 'skipped'),
  };
}

function skipReasons(results: readonly Result[]): [string, string][] {
  const counts = new Map<string, number>();
  for (const { skipped } of results) if (skipped) counts.set(skipped, (counts.get(skipped) ?? 0) + 1);
  return [...counts].map(([reason, count]) => [reason, `${grouped(count)} ${count === 1 ? 'suite' : 'suites'}`]);
}

/** Returns a number with its digits in groups of three, such as `1,234,567`. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

function rowsOf(results: readonly Result[], nameOf: (result: Result) => string): TableRow[] {
  return [...groupBy(results, nameOf)].map(([name, group]) => ({ name, results: group }));
}

/** Describes a failure: the case, the place, the operands, and the command that reproduces it. */
export function describeFailure(result: Result, colors: Colors): string {
  const head = `${colors.red(marks[result.status])} ${colors.bold(oneLine(result.id))} on ${result.executor.name}: ${result.status}`;
  const count = result.mismatches > 0 ? `, ${grouped(result.mismatches)} of ${grouped(result.compared)} differ` : '';
  const body = [...(result.first ? [describeFirst(result.first)] : []), ...(result.message ? [result.message] : [])];
  return printableButColors([head + count, ...body.map(indent)].join('\n'));
}

/** Returns the details of a mismatch, one per line. */
export function describeFirst(first: FirstMismatch): string {
  return Object.entries(first)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const text =
        typeof value === 'object'
          ? Object.entries(value)
              .map(([key, item]) => `${key}=${item}`)
              .join(' ')
          : String(value);
      return `${`${name}:`.padEnd(13)}${oneLine(text)}`;
    })
    .join('\n');
}

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, '    ');
}

/** Describes an executor in one line: its adapter, and its lane plan. */
export function describeExecutor({ name, adapter, subgroupSize, lanePlan }: ExecutorReport): string {
  if (!adapter) return `${name}: the reference interpreter`;
  const device = adapter.description || adapter.device || adapter.architecture || adapter.vendor || 'unnamed adapter';
  const software = adapter.software ? ' (software)' : '';
  const size = subgroupSize ? `subgroups of ${subgroupSize}` : 'no subgroups';
  return oneLine(`${name}: ${device}${software}, ${size}, ${lanePlan?.kind ?? 'no'} lane plan, ${adapter.host}`);
}
