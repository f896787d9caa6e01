// `lanewise fleet compare`

import { oneLine } from '../base/printable.ts';
import { changeLine, compareHtmlDocument, speedText } from '../harness/report/compare-html.ts';
import { junitOfChanges } from '../harness/report/junit.ts';
import { compareCampaigns, hasWorsened, type MachineChange } from '../harness/runs/compare-campaigns.ts';
import { exitCodes } from '../harness/runs/results.ts';
import type { Console } from './console.ts';
import { readMachines } from './read-machines.ts';
import { probeReport, toJson, writeReport } from './report-files.ts';

export interface FleetCompareOptions {
  readonly html?: string;
  readonly junit?: string;
  readonly json?: boolean;
}

/**
 * The maximum number of suites that are printed for one machine. The page and the documents list
 * all suites.
 */
const maxNamed = 20;

/**
 * Compares two campaigns and prints the changes. Returns 1 if a suite that passed before does not
 * pass now, or if a machine is missing.
 */
export async function fleetCompareCommand(
  before: string,
  after: string,
  options: FleetCompareOptions,
  console: Console,
): Promise<number> {
  for (const path of [options.html, options.junit]) if (path !== undefined) probeReport(path);
  const changes = compareCampaigns(readMachines(before), readMachines(after));
  const print = options.json ? console.err : console.out;
  for (const change of changes) printChange(change, print);
  if (options.json) console.out(toJson({ schemaVersion: 1, before, after, machines: changes.map(jsonOf) }));
  const command = `npx lanewise fleet compare ${before} ${after}`;
  if (options.html) writeReport(options.html, compareHtmlDocument(command, changes));
  if (options.junit) writeReport(options.junit, junitOfChanges(changes));
  const files = [options.html, options.junit].filter((path) => path !== undefined);
  if (files.length > 0) print(`Report: ${files.join(', ')}\n`);
  return hasWorsened(changes) ? exitCodes.mismatch : exitCodes.ok;
}

function printChange(change: MachineChange, print: (text: string) => void): void {
  print(`${oneLine(changeLine(change))}\n`);
  for (const { trait, before, after } of change.traits) print(`  ${trait}: ${oneLine(before)} → ${oneLine(after)}\n`);
  for (const { id, before, after } of [...change.broken, ...change.mended].slice(0, maxNamed)) {
    print(`  ${oneLine(id)}: ${before} → ${after}\n`);
  }
  for (const { name, before, after } of change.observed) print(`  ${name}: ${before} → ${after}\n`);
  for (const speed of change.speed.filter(({ isApart }) => isApart).slice(0, maxNamed)) {
    print(`  ${oneLine(speed.id)}: ${speedText(speed)}\n`);
  }
}

function jsonOf({ before, after, ...change }: MachineChange): object {
  return { ...change, before: before?.name ?? null, after: after?.name ?? null };
}
