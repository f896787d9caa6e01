// Results for a terminal: a table, and every failure in words.
import type picocolors from 'picocolors';
import type { ExecutorReport } from './executors.ts';
import { type FirstMismatch, type Result, totals } from './results.ts';

export type Colors = ReturnType<typeof picocolors.createColors>;

/// A row of the table: results that share a name.
export interface TableRow {
  readonly name: string;
  readonly results: readonly Result[];
}

const headings = ['', 'suites', 'cases', 'lanes compared', 'undefined', 'mismatches', 'ms'] as const;

/// The table of one executor's results. `nameOf` says which results make a row together.
export function resultTable(results: readonly Result[], nameOf: (result: Result) => string, colors: Colors): string {
  const rows = groupBy(results, nameOf).map(tableRow);
  const total = tableRow({ name: 'total', results });
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...[...rows, total].map((row) => row.cells[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  const paint = ({ cells, status }: { cells: readonly string[]; status: Result['status'] }): string => {
    const text = line(cells);
    return status === 'pass' ? `${colors.green('✓')} ${text}` : `${colors.red(marks[status])} ${colors.red(text)}`;
  };
  return [
    colors.bold(`  ${line(headings)}`),
    ...rows.map(paint),
    colors.dim(`  ${'─'.repeat(line(total.cells).length)}`),
    paint(total),
  ].join('\n');
}

const marks = { pass: '✓', fail: '✗', unsupported: '–', error: '!' } as const;

function tableRow({ name, results }: TableRow): { cells: readonly string[]; status: Result['status'] } {
  const sums = totals(results);
  const counts = [results.length, sums.cases, sums.compared, sums.undefined, sums.mismatches];
  return {
    cells: [name, ...counts.map(grouped), sums.ms.toFixed(0)],
    status:
      (['fail', 'error', 'unsupported'] as const).find((bad) => results.some(({ status }) => status === bad)) ?? 'pass',
  };
}

/// Digits in groups of three: `1,234,567`.
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

function groupBy(results: readonly Result[], nameOf: (result: Result) => string): TableRow[] {
  const groups = new Map<string, Result[]>();
  for (const result of results) {
    const name = nameOf(result);
    groups.set(name, [...(groups.get(name) ?? []), result]);
  }
  return [...groups].map(([name, group]) => ({ name, results: group }));
}

/// A failure: what, where, the operands, and the command that shows it again.
export function describeFailure(result: Result, colors: Colors): string {
  const head = `${colors.red(marks[result.status])} ${colors.bold(result.id)} on ${result.executor.name}: ${result.status}`;
  const count = result.mismatches > 0 ? `, ${grouped(result.mismatches)} of ${grouped(result.compared)} differ` : '';
  const body = [...(result.first ? [describeFirst(result.first)] : []), ...(result.message ? [result.message] : [])];
  return [head + count, ...body.map(indent)].join('\n');
}

/// The details of a mismatch, one a line.
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
      return `${`${name}:`.padEnd(13)}${text}`;
    })
    .join('\n');
}

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, '    ');
}

/// One line for an executor: its adapter, and how lanes lie on it.
export function describeExecutor({ name, adapter, subgroupSize, lanePlan }: ExecutorReport): string {
  if (!adapter) return `${name}: the reference interpreter`;
  const device = adapter.description || adapter.device || adapter.architecture || adapter.vendor || 'unnamed adapter';
  const software = adapter.software ? ' (software)' : '';
  const size = subgroupSize ? `subgroups of ${subgroupSize}` : 'no subgroups';
  return `${name}: ${device}${software}, ${size}, ${lanePlan?.kind ?? 'no'} lane plan, ${adapter.host}`;
}
