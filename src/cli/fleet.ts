// `lanewise fleet validate|run|fuzz|bench`

import { join } from 'node:path';
import type { GpuExecutor } from '../harness/executors/gpu-executor.ts';
import { openExecutor } from '../harness/executors/open-executor.ts';
import { maxDocumentBytes, readText } from '../harness/files/read-text.ts';
import { benchPieces } from '../harness/fleet/bench-pieces.ts';
import {
  CampaignError,
  CampaignFile,
  type CampaignHeader,
  type JsonResult,
  seedOfCampaign,
} from '../harness/fleet/campaign-file.ts';
import { FleetError, type FleetMachine, parseFleet } from '../harness/fleet/fleet-file.ts';
import { casePieces, fuzzPieces, validatePieces } from '../harness/fleet/pieces.ts';
import { type MachineEnd, type Piece, runFleet } from '../harness/fleet/run-fleet.ts';
import { saveFailure } from '../harness/fuzz/failures.ts';
import { junitOfMachines } from '../harness/report/junit.ts';
import { mergeHtmlDocument } from '../harness/report/merge-html.ts';
import { describeExecutor } from '../harness/report/text.ts';
import type { Machine } from '../harness/runs/merge-results.ts';
import { machinesOf } from '../harness/runs/merge-results.ts';
import { startProgress } from '../harness/runs/progress.ts';
import { exitCodes } from '../harness/runs/results.ts';
import { guard } from '../harness/sessions/open-sessions.ts';
import { freshSeed } from '../harness/suites/index.ts';
import { GpuError } from '../runtime/device/job.ts';
import { benchSelection, sampling, selectEntries } from './bench-selection.ts';
import { type Console, UsageError } from './console.ts';
import { exitCodeOfMachines, printMachines } from './merge.ts';
import { type ExecutorOptions, reproducingOptions } from './options.ts';
import { readCases } from './read-cases.ts';
import { probeReport, toJson, toolRecord, writeReport } from './report-files.ts';

export interface FleetCommandOptions extends Omit<ExecutorOptions, 'on' | 'adapter'> {
  readonly fleet: string;
  readonly campaign?: string;
  readonly wait: number;
  readonly html?: string;
  readonly junit?: string;
}

export interface FleetValidateOptions extends FleetCommandOptions {
  readonly seed?: number;
  readonly exhaustive?: boolean;
}

export interface FleetFuzzOptions extends FleetCommandOptions {
  readonly seed?: number;
  readonly first?: number;
  readonly count: number;
  readonly out: string;
}

export async function fleetValidateCommand(
  queries: readonly string[],
  options: FleetValidateOptions,
  console: Console,
): Promise<number> {
  const exhaustive = options.exhaustive === true;
  const seed = seedOf(options);
  console.err(`seed ${seed}\n`);
  const pieces = validatePieces({ queries, seed, exhaustive, ...limitsOf(options) });
  return await fleetCommand(pieces, { command: 'validate', query: queries, seed, exhaustive }, options, console);
}

export async function fleetRunCommand(
  paths: readonly string[],
  options: FleetCommandOptions,
  console: Console,
): Promise<number> {
  const { launches: cases, unreadable } = readCases(paths, console);
  if (cases.length === 0) return exitCodes.usage;
  const reference = await openExecutor('cpu');
  try {
    const pieces = casePieces({ cases, reference, ...limitsOf(options) });
    const code = await fleetCommand(pieces, { command: 'run', query: paths }, options, console);
    return code === exitCodes.ok && unreadable.length > 0 ? exitCodes.usage : code;
  } finally {
    await reference.close();
  }
}

export async function fleetFuzzCommand(options: FleetFuzzOptions, console: Console): Promise<number> {
  const { count, first = 0, out } = options;
  probeReport(join(out, 'probe'));
  const seed = seedOf(options);
  console.err(`seed ${seed}\n`);
  const save = (failure: Parameters<typeof saveFailure>[0], machine: string): string =>
    saveFailure(failure, join(out, machine.replaceAll(/[^\w.-]/g, '_')));
  const pieces = fuzzPieces({ seed, first, count, save, ...limitsOf(options) });
  return await fleetCommand(pieces, { command: 'fuzz', query: [], seed, first, count }, options, console);
}

export interface FleetBenchOptions extends FleetCommandOptions {
  readonly inTurn?: boolean;
}

/**
 * Runs `fleet bench`. Each machine measures every entry, with one session at a time, because two
 * sessions would share the machine's GPU.
 */
export async function fleetBenchCommand(
  queries: readonly string[],
  options: FleetBenchOptions,
  console: Console,
): Promise<number> {
  const asked = benchSelection(queries.length > 0 ? queries : ['instructions', 'kernels']);
  const reference = await openExecutor('cpu');
  try {
    const pieces = benchPieces({
      entriesOf: (software) => selectEntries(asked, software),
      samplingOf: (software) => (software ? sampling.software : sampling.hardware),
      float: options.float,
      reference,
    });
    const way = { sessions: 1, inTurn: options.inTurn === true };
    return await fleetCommand(pieces, { command: 'bench', query: queries }, options, console, way);
  } finally {
    await reference.close();
  }
}

function limitsOf(options: FleetCommandOptions): { timeoutMs?: number; reproduceWith: string } {
  const reproduceWith = reproducingOptions({ ...options, on: [] });
  return { reproduceWith, ...(options.timeout === undefined ? {} : { timeoutMs: options.timeout }) };
}

interface Work {
  readonly command: 'validate' | 'run' | 'fuzz' | 'bench';
  readonly query: readonly string[];
  readonly seed?: number;
  readonly [name: string]: unknown;
}

async function fleetCommand(
  pieces: readonly Piece<readonly JsonResult[], GpuExecutor>[],
  work: Work,
  options: FleetCommandOptions,
  console: Console,
  way: { readonly sessions?: number; readonly inTurn?: boolean } = {},
): Promise<number> {
  const machines = readFleet(options.fleet);
  for (const path of [options.html, options.junit, options.campaign]) if (path !== undefined) probeReport(path);
  const started = new Date();
  const campaign = openCampaign(options.campaign, headerOf(work, options, pieces));
  const total = pieces.length * machines.length;
  const ids = pieces.map(({ id }) => id);
  let done = machines.reduce((sum, { name }) => sum + ids.filter((id) => campaign.isDone(name, id)).length, 0);
  if (done > 0) console.err(`${done} of ${total} pieces were already finished\n`);
  const progress = startProgress(console.errStream, 'pieces');
  const release = guard({ close: async () => progress.stop(), kill: () => progress.stop() });
  // Every session tries to reach an unreachable grid every few seconds, so print a machine's
  // message only if it changes.
  const lastSaid = new Map<string, string>();
  const say = (machine: string, message: string): void => {
    if (lastSaid.get(machine) === message) return;
    lastSaid.set(machine, message);
    progress.print(`${machine}: ${message}`);
  };
  let ends: MachineEnd[];
  try {
    ends = await runFleet({
      machines: machines.map((machine) => ({ ...machine, ...way, open: () => openOn(machine, options) })),
      pieces,
      isDone: (machine, id) => campaign.isDone(machine, id),
      waitMs: options.wait,
      inTurn: way.inTurn === true,
      onOpened: (machine, executor) => say(machine, describeExecutor(executor.describe())),
      onTrouble: say,
      onPiece(machine, id, results) {
        campaign.add(machine, id, results);
        progress.update(++done, total, `${machine} ${id}`);
      },
    });
  } finally {
    progress.stop();
    release();
  }
  const results = machines.flatMap(({ name }) => campaign.resultsOf(name, ids));
  const run = { ...work, started: started.toISOString(), ms: Date.now() - started.getTime() };
  const left = ends.filter(({ left: pieces }) => pieces.length > 0);
  const document = { schemaVersion: 1, tool: toolRecord(), run, ...(left.length > 0 ? { left } : {}), results };
  return report(document, left, options, console);
}

function report(
  document: { readonly results: readonly object[] },
  left: readonly MachineEnd[],
  options: FleetCommandOptions,
  console: Console,
): number {
  const machines: Machine[] = document.results.length > 0 ? machinesOf(options.fleet, document) : [];
  const print = options.json ? console.err : console.out;
  if (options.json) console.out(toJson(document));
  if (machines.length > 0) printMachines(machines, print);
  for (const { machine, left: pieces, reason } of left) {
    print(`${console.errColors.red('✗')} ${machine}: ${pieces.length} pieces did not run: ${reason.split('\n')[0]}\n`);
  }
  const command = `npx lanewise fleet … --fleet ${options.fleet}`;
  if (options.html) writeReport(options.html, mergeHtmlDocument(command, machines));
  if (options.junit) writeReport(options.junit, junitOfMachines(machines));
  const files = [options.html, options.junit].filter((path) => path !== undefined);
  if (files.length > 0) print(`Report: ${files.join(', ')}\n`);
  const code = machines.length > 0 ? exitCodeOfMachines(machines) : exitCodes.unavailable;
  return code === exitCodes.ok && left.length > 0 ? exitCodes.unavailable : code;
}

async function openOn({ name, target }: FleetMachine, options: FleetCommandOptions): Promise<GpuExecutor> {
  const { openOnTarget } = await import('../harness/executors/open-gpu-executor.ts');
  const executor = await openOnTarget(target, { float: options.float, plan: options.plan });
  if (options.requireHardware && executor.describe().adapter?.software) {
    await executor.close();
    throw new GpuError('unavailable', `${name} has a software adapter, which --require-hardware refuses`);
  }
  return executor;
}

function readFleet(path: string): FleetMachine[] {
  let text: string;
  try {
    text = readText(path, maxDocumentBytes);
  } catch (error) {
    throw new UsageError(`cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
  return orUsageError(() => parseFleet(path, text));
}

/** Returns the given seed, or otherwise that of the campaign, or otherwise a new seed. */
function seedOf({ seed, campaign }: { readonly seed?: number; readonly campaign?: string }): number {
  return seed ?? orUsageError(() => seedOfCampaign(campaign)) ?? freshSeed();
}

/** Returns the settings that must be equal for pieces to be interchangeable. */
function headerOf(
  work: Work,
  { float, plan }: FleetCommandOptions,
  pieces: readonly { readonly id: string }[],
): CampaignHeader {
  return { ...work, float, plan: plan ?? null, pieces: pieces.length, lanewise: toolRecord().version };
}

function openCampaign(path: string | undefined, header: CampaignHeader): CampaignFile {
  return orUsageError(() => new CampaignFile(path, header));
}

/** Converts the error for an invalid campaign file to a usage error. */
function orUsageError<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof CampaignError || error instanceof FleetError) throw new UsageError(error.message);
    throw error;
  }
}
