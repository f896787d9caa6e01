// `lanewise merge`
import { oneLine } from '../base/printable.ts';
import { junitOfMachines } from '../harness/report/junit.ts';
import { mergeHtmlDocument, verdictOf } from '../harness/report/merge-html.ts';
import { grouped } from '../harness/report/text.ts';
import { becauseText, differencesOf } from '../harness/runs/differences.ts';
import {
  anyFailed,
  type Machine,
  resultsOf,
  type UnevenSuite,
  unevenSuites,
  withUniqueNames,
} from '../harness/runs/merge-results.ts';
import { exitCodes } from '../harness/runs/results.ts';
import { observedRows, type SideRow, speedRows } from '../harness/runs/side-by-side.ts';
import { type Console, UsageError } from './console.ts';
import { readMachines } from './read-machines.ts';
import { probeReport, toJson, writeReport } from './report-files.ts';

export interface MergeCommandOptions {
  readonly html?: string;
  readonly junit?: string;
  readonly json?: boolean;
}

/**
 * The maximum number of machines that are printed for one suite. The page and the JSON document
 * list all machines.
 */
const maxNamed = 16;

/**
 * Compares the machines of all files and prints the differences. Returns 0 if every suite passed on
 * every machine, and otherwise 1. Returns 2 if a file cannot be read and nothing else failed. If a
 * file cannot be read, the other files are still compared.
 */
export async function mergeCommand(
  files: readonly string[],
  options: MergeCommandOptions,
  console: Console,
): Promise<number> {
  for (const path of [options.html, options.junit]) if (path !== undefined) probeReport(path);
  const read: Machine[] = [];
  const unreadable: string[] = [];
  for (const file of files) {
    try {
      read.push(...readMachines(file));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      unreadable.push(oneLine(error.message));
      console.err(`${console.errColors.red('error')}: ${oneLine(error.message)}\n`);
    }
  }
  if (read.length === 0) return exitCodes.usage;
  const machines = withUniqueNames(read);
  const uneven = unevenSuites(machines);
  const print = options.json ? console.err : console.out;
  printMachines(machines, print);
  if (options.json) console.out(toJson(jsonOf(machines, uneven, unreadable)));
  if (options.html) {
    const command = ['npx lanewise merge', ...files, `--html ${options.html}`].join(' ');
    writeReport(options.html, mergeHtmlDocument(command, machines));
    print(`Page: ${options.html}\n`);
  }
  if (options.junit) writeReport(options.junit, junitOfMachines(machines));
  const code = exitCodeOfMachines(machines);
  return code === exitCodes.ok && unreadable.length > 0 ? exitCodes.usage : code;
}

/**
 * Prints a line for each machine, a line for each suite that did not pass everywhere, the
 * properties that correlate with differences, and the verdict.
 */
export function printMachines(machines: readonly Machine[], print: (text: string) => void): void {
  for (const machine of machines) print(`${machineLine(machine)}\n`);
  for (const suite of unevenSuites(machines)) print(`  ${oneLine(suite.id)}: ${statusesText(machines, suite)}\n`);
  for (const difference of differencesOf(machines)) {
    const reason = becauseText(difference);
    if (reason === '') continue;
    print(
      `  ${difference.suites.length} did not pass on the machines with ${oneLine(reason)}, and passed on all others\n`,
    );
  }
  print(`${verdictOf(machines)}\n`);
}

/**
 * Returns the exit code of a comparison of machines. A machine without any comparison counts as
 * failed.
 */
export function exitCodeOfMachines(machines: readonly Machine[]): number {
  const failed = anyFailed(machines) || machines.some((machine) => comparedBy(machine) === 0);
  return failed ? exitCodes.mismatch : exitCodes.ok;
}

/**
 * Returns the status of a suite on each machine as text. If there are many machines, names only
 * those that have run the suite.
 */
function statusesText(machines: readonly Machine[], { statuses }: UnevenSuite): string {
  const isShort = machines.length <= maxNamed;
  const all = isShort ? machines.map(({ name }) => [name, statuses.get(name) ?? 'absent'] as const) : [...statuses];
  const named = all.slice(0, maxNamed).map(([name, status]) => `${oneLine(name)}: ${status}`);
  const more = all.length - named.length;
  const absent = isShort ? 0 : machines.length - statuses.size;
  return [
    ...named,
    ...(more > 0 ? [`and ${more} more`] : []),
    ...(absent > 0 ? [`absent from ${absent} machines`] : []),
  ].join('; ');
}

function comparedBy(machine: Machine): number {
  return resultsOf(machine).reduce((sum, { compared }) => sum + compared, 0);
}

function machineLine(machine: Machine): string {
  const all = resultsOf(machine);
  const passed = all.filter(({ status }) => status === 'pass').length;
  return `${oneLine(machine.name)}: ${passed} of ${all.length} suites passed, ${grouped(comparedBy(machine))} lane results compared`;
}

/** Returns rows in which the keys of the values are the names of the machines. */
function sideJson(rows: readonly SideRow<object>[], machines: readonly Machine[]): object[] {
  return rows.map(({ name, values }) => ({
    name,
    machines: Object.fromEntries(
      machines.flatMap((machine, index) => (values[index] ? [[machine.name, values[index]]] : [])),
    ),
  }));
}

function jsonOf(machines: readonly Machine[], uneven: readonly UnevenSuite[], unreadable: readonly string[]): object {
  return {
    schemaVersion: 1,
    machines: machines.map(({ name, file, facts }) => ({ name, file, ...Object.fromEntries(facts) })),
    unreadable,
    differences: differencesOf(machines),
    undefinedLanes: sideJson(observedRows(machines), machines),
    speed: sideJson(speedRows(machines), machines),
    uneven: uneven.map(({ id, statuses }) => ({ id, statuses: Object.fromEntries(statuses) })),
  };
}
