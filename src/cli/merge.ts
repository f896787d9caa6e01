// `lanewise merge`
import { readFileSync } from 'node:fs';
import { oneLine } from '../base/printable.ts';
import { mergeHtmlDocument, verdictOf } from '../harness/report/merge-html.ts';
import { grouped } from '../harness/report/text.ts';
import {
  anyFailed,
  type Machine,
  MergeError,
  machinesOf,
  resultsOf,
  statusText,
  unevenSuites,
  withUniqueNames,
} from '../harness/runs/merge-results.ts';
import { exitCodes } from '../harness/runs/results.ts';
import { type Console, UsageError } from './console.ts';
import { probeReport, toJson, writeReport } from './report-files.ts';

export interface MergeCommandOptions {
  readonly html?: string;
  readonly json?: boolean;
}

/// Machines named for one suite on the terminal; the page and the JSON document have them all.
const maxNamed = 16;

/// Exit code 0 where every suite of every machine passed, else 1; 2 where a file cannot be read and nothing else failed. Such a
/// file hides none of the others.
export async function mergeCommand(
  files: readonly string[],
  options: MergeCommandOptions,
  console: Console,
): Promise<number> {
  if (options.html) probeReport(options.html);
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
  const code = exitCodeOfMachines(machines);
  return code === exitCodes.ok && unreadable.length > 0 ? exitCodes.usage : code;
}

/// A line for each machine, one for each suite that did not pass everywhere, and the verdict.
export function printMachines(machines: readonly Machine[], print: (text: string) => void): void {
  for (const machine of machines) print(`${machineLine(machine)}\n`);
  for (const id of unevenSuites(machines)) print(`  ${oneLine(id)}: ${statusesText(machines, id)}\n`);
  print(`${verdictOf(machines)}\n`);
}

/// A machine that compared nothing failed.
export function exitCodeOfMachines(machines: readonly Machine[]): number {
  const failed = anyFailed(machines) || machines.some((machine) => comparedBy(machine) === 0);
  return failed ? exitCodes.mismatch : exitCodes.ok;
}

function readMachines(file: string): Machine[] {
  try {
    return machinesOf(file, JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if (error instanceof MergeError) throw new UsageError(error.message);
    throw new UsageError(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function statusesText(machines: readonly Machine[], id: string): string {
  const named = machines.slice(0, maxNamed).map((machine) => `${oneLine(machine.name)}: ${statusText(machine, id)}`);
  const more = machines.length - named.length;
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

function comparedBy(machine: Machine): number {
  return resultsOf(machine).reduce((sum, { compared }) => sum + compared, 0);
}

function machineLine(machine: Machine): string {
  const all = resultsOf(machine);
  const passed = all.filter(({ status }) => status === 'pass').length;
  return `${oneLine(machine.name)}: ${passed} of ${all.length} suites passed, ${grouped(comparedBy(machine))} lane results compared`;
}

function jsonOf(machines: readonly Machine[], uneven: readonly string[], unreadable: readonly string[]): object {
  return {
    schemaVersion: 1,
    machines: machines.map(({ name, file, facts }) => ({ name, file, ...Object.fromEntries(facts) })),
    unreadable,
    uneven: uneven.map((id) => ({
      id,
      statuses: Object.fromEntries(machines.map((machine) => [machine.name, statusText(machine, id)])),
    })),
  };
}
