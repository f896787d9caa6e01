// `lanewise merge`
import { readFileSync } from 'node:fs';
import { mergeHtmlDocument, verdictOf } from '../harness/report/merge-html.ts';
import { grouped } from '../harness/report/text.ts';
import {
  anyFailed,
  type Machine,
  MergeError,
  machinesOf,
  unevenSuites,
  withUniqueNames,
} from '../harness/runs/merge-results.ts';
import { exitCodes } from '../harness/runs/results.ts';
import { type Console, UsageError } from './console.ts';
import { toJson, writeReport } from './report-files.ts';

export interface MergeCommandOptions {
  readonly html?: string;
  readonly json?: boolean;
}

/// Exit code 0 where every suite of every machine passed, else 1.
export async function mergeCommand(
  files: readonly string[],
  options: MergeCommandOptions,
  console: Console,
): Promise<number> {
  const machines = withUniqueNames(files.flatMap(readMachines));
  const command = ['npx lanewise merge', ...files, ...(options.html ? [`--html ${options.html}`] : [])].join(' ');
  if (options.html) writeReport(options.html, mergeHtmlDocument(command, machines));
  if (options.json) console.out(toJson(jsonOf(machines)));
  const print = options.json ? console.err : console.out;
  for (const machine of machines) print(`${machineLine(machine)}\n`);
  for (const id of unevenSuites(machines)) {
    const statuses = machines.map(({ name, results }) => `${name}: ${results.get(id)?.status ?? 'absent'}`);
    print(`  ${id}: ${statuses.join('; ')}\n`);
  }
  print(`${verdictOf(machines)}\n`);
  if (options.html) print(`Page: ${options.html}\n`);
  const compared = machines.some(({ results }) => [...results.values()].some((result) => result.compared > 0));
  return anyFailed(machines) || !compared ? exitCodes.mismatch : exitCodes.ok;
}

function readMachines(file: string): Machine[] {
  try {
    return machinesOf(file, JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if (error instanceof MergeError) throw new UsageError(error.message);
    throw new UsageError(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function machineLine({ name, results }: Machine): string {
  const all = [...results.values()];
  const passed = all.filter(({ status }) => status === 'pass').length;
  const compared = all.reduce((sum, result) => sum + result.compared, 0);
  return `${name}: ${passed} of ${all.length} suites passed, ${grouped(compared)} lane results compared`;
}

function jsonOf(machines: readonly Machine[]): object {
  return {
    schemaVersion: 1,
    machines: machines.map(({ name, file, facts }) => ({ name, file, ...Object.fromEntries(facts) })),
    uneven: unevenSuites(machines).map((id) => ({
      id,
      statuses: Object.fromEntries(machines.map(({ name, results }) => [name, results.get(id)?.status ?? 'absent'])),
    })),
  };
}
