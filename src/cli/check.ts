// `lanewise check`
import { type Launch, sourceOf } from '../base/launch.ts';
import { findingDiagnostic } from '../cpu-ref/executor.ts';
import type { CheckResult } from '../harness/executors/reference-messages.ts';
import { ReferenceThread } from '../harness/executors/reference-thread.ts';
import { exitCodes } from '../harness/runs/results.ts';
import { originOf, positionOf, renderDiagnostic } from '../ptx/index.ts';
import type { Console } from './console.ts';
import { reportError } from './errors.ts';
import { countersText, jsonCounters } from './kernel-counters.ts';
import { isKernelFile, type KernelOptions, refuseKernelOptions } from './kernel-file.ts';
import { type ReadCases, readCases } from './read-cases.ts';
import { jsonOrigin, toJson, toolRecord } from './report-files.ts';

/**
 * The seed of the random values that initially fill memory without defined contents. Results that
 * depend on such memory differ from those with another seed.
 */
const seed = 1;

export interface CheckCommandOptions extends KernelOptions {
  readonly json?: boolean;
  /** The time limit in milliseconds. */
  readonly timeout?: number;
}

/**
 * Checks each case and prints the findings. Returns 1 if there is any finding, and otherwise the
 * worst exit code of the failures. If a case cannot be checked, the other cases are still checked.
 */
export async function checkCommand(
  paths: readonly string[],
  options: CheckCommandOptions,
  console: Console,
): Promise<number> {
  const { launches, unreadable } = await launchesOf(paths, options, console);
  const checked: object[] = unreadable.map(({ path, message }) => ({ id: path, path, status: 'error', message }));
  const { counters = false } = options;
  const codes = new Set<number>(unreadable.length > 0 ? [exitCodes.usage] : []);
  const thread = new ReferenceThread();
  try {
    for (const { path, launch } of launches) {
      try {
        const result = await thread.check(launch, { sanitize: true, seed, counters }, options.timeout);
        if (result.findings.length > 0) codes.add(exitCodes.mismatch);
        if (options.json) checked.push(jsonCheck(path, launch, result));
        else print(launch, result, console);
      } catch (error) {
        codes.add(reportError(error, console));
        const message = error instanceof Error ? error.message : String(error);
        checked.push({ id: launch.id, path, status: 'error', message });
      }
    }
  } finally {
    await thread.close();
  }
  if (options.json) console.out(toJson({ schemaVersion: 1, tool: toolRecord(), results: checked }));
  const worst = [exitCodes.mismatch, exitCodes.device, exitCodes.unavailable, exitCodes.usage];
  return worst.find((code) => codes.has(code)) ?? exitCodes.ok;
}

async function launchesOf(
  paths: readonly string[],
  options: CheckCommandOptions,
  console: Console,
): Promise<ReadCases> {
  const [file, ...args] = paths;
  if (isKernelFile(file)) {
    const { kernelLaunch } = await import('./kernel-launch.ts');
    return {
      launches: [{ path: file, launch: (await kernelLaunch(file, args, options, console)).launch }],
      unreadable: [],
    };
  }
  refuseKernelOptions(options);
  return readCases(paths, console);
}

function print(launch: Launch, result: CheckResult, console: Console): void {
  printFindings(launch, result, console);
  if (result.counters !== undefined) console.out(`${countersText(launch, result.counters)}\n`);
}

function printFindings(launch: Launch, { findings }: CheckResult, console: Console): void {
  const { green, red, isColorSupported: color } = console.outColors;
  if (findings.length === 0) {
    console.out(`${green('✓')} ${launch.id}: nothing found\n`);
    return;
  }
  console.out(`${red('✗')} ${launch.id}: ${findings.length === 1 ? 'a finding' : `${findings.length} findings`}\n`);
  const source = sourceOf(launch);
  for (const finding of findings) {
    console.out(`${renderDiagnostic(source, findingDiagnostic(finding), { color })}\n`);
  }
}

function jsonCheck(path: string, launch: Launch, { findings, status, counters }: CheckResult): object {
  const source = sourceOf(launch);
  return {
    id: launch.id,
    path,
    status: findings.length === 0 ? 'pass' : 'fail',
    finished: status === 'done',
    findings: findings.map(({ code, severity, message, span, hint, block, warp, lanes, count }) => ({
      code,
      severity,
      message,
      line: positionOf(source, span.start).line,
      cuda: jsonOrigin(originOf(source, span.start)),
      hint,
      block,
      warp,
      lanes: `0x${lanes.toString(16).padStart(8, '0')}`,
      count,
    })),
    ...(counters === undefined ? {} : { counters: jsonCounters(launch, counters) }),
  };
}
