// Runs one kernel on the reference and on executors, and reports their differences.

import type { Launch } from '../../base/launch.ts';
import { getOrInsert } from '../../base/maps.ts';
import { trapText } from '../../runtime/launch/messages.ts';
import { compareOutputs, type Mismatch } from '../compare/compare.ts';
import { comparePrinted, describeLine } from '../compare/compare-printed.ts';
import { type ExecutorName, isNative, type KernelExecutor, type RunOptions } from '../executors/executor.ts';
import { failureOf } from '../runs/failure.ts';
import type { FuzzKernel } from './kernels/tree.ts';
import { type FuzzLaunch, printKernel } from './print/print.ts';
import { type Reference, type ReferenceOf, referenceOf, resultsOnly } from './reference.ts';

/**
 * The kind of a disagreement.
 * - `mismatch`: an executor's results differ from those of the reference
 * - any other kind: an executor failed with such an error. `unsupported` is included, because
 * generated kernels contain only supported PTX.
 */
export interface Disagreement {
  readonly executor: ExecutorName | 'reference';
  readonly kind: string;
  readonly message: string;
  readonly mismatch: Mismatch | undefined;
}

/**
 * The flaw of a kernel that NVIDIA's optimizer miscompiles, possibly into an endless loop. The
 * unoptimized kernel agrees with the reference. docs/lab-notes/native-compiler.md explains the
 * causes.
 */
export const optimizerFlaw = 'changed by the native optimizer';

/** The time limit of a native kernel. Endless kernels delay other processes' kernels. */
const kernelTimeoutMs = 2_000;

export interface Verdict {
  readonly launch: Launch;
  /**
   * The reason why the kernel cannot be used as a test: a reason in `Reference`, or
   * `optimizerFlaw`.
   */
  readonly flaw: string | undefined;
  /** The number of compared elements, over all executors. */
  readonly compared: number;
  readonly disagreement: Disagreement | undefined;
}

export interface JudgeOptions {
  readonly executors: readonly KernelExecutor[];
  readonly reference?: ReferenceOf;
  readonly timeoutMs?: number;
  /** The kernels that will be judged next. */
  readonly soon?: readonly FuzzKernel[];
  /**
   * Whether the sanitizer checks the kernel even if all executors agree. The default is true.
   * Generated kernels avoid its findings by construction, and the checks take a third of the
   * interpreter's time.
   */
  readonly sanitize?: boolean;
}

/**
 * Judges a kernel, and returns the first disagreement in the order of the executors. Rethrows
 * errors that do not depend on the kernel, for example a lost adapter.
 */
export async function judgeKernel(kernel: FuzzKernel, options: JudgeOptions): Promise<Verdict> {
  const launch = launchOf(kernel);
  // Start the executors before the reference, so that they run while it interprets.
  const running = options.executors
    .filter(({ name }) => !isNative(name) || launch.native)
    .map((executor) => start(executor, launch, options));
  const interpretIt = options.reference ?? referenceOf;
  let reference: Reference;
  try {
    reference = options.sanitize === false ? interpretIt(launch, resultsOnly) : interpretIt(launch);
  } catch (error) {
    await Promise.all(running);
    const { errorKind, message } = failureOf(error, false);
    const disagreement = {
      executor: 'reference',
      kind: errorKind ?? 'unsupported',
      message,
      mismatch: undefined,
    } as const;
    return { launch, flaw: undefined, compared: 0, disagreement };
  }
  const ended = await Promise.all(running);
  if (launch.traps && reference.flaw === trapCode) return trapped(launch, ended);
  if (reference.flaw !== undefined) return flawed(launch, reference.flaw);
  let differences = differencesOf(launch, reference, ended);
  if (options.sanitize === false && differences.found.length > 0) {
    reference = interpretIt(launch);
    if (reference.flaw !== undefined) return flawed(launch, reference.flaw);
    // Compare again, now with the threads that wrote each element.
    differences = differencesOf(launch, reference, ended);
  }
  let disagreement: Disagreement | undefined;
  let flaw: string | undefined;
  for (const { executor, ...found } of differences.found) {
    const { name } = executor;
    if (isNative(name) && !launch.waits && (await agreesUnoptimized(executor, launch, reference, options)))
      flaw = optimizerFlaw;
    else disagreement ??= { executor: name, ...found };
  }
  return { launch, flaw: disagreement ? undefined : flaw, compared: differences.compared, disagreement };
}

/**
 * The launches of printed kernels. They are cached, because kernels in `soon` have already been
 * printed.
 */
const launches = new WeakMap<FuzzKernel, FuzzLaunch>();

/** Returns the PTX and launch of a kernel. */
export function launchOf(kernel: FuzzKernel): FuzzLaunch {
  return getOrInsert(launches, kernel, () => printKernel(kernel));
}

const flawed = (launch: Launch, flaw: string): Verdict => ({ launch, flaw, compared: 0, disagreement: undefined });

/** The code in the message of a launch that a trap ended. */
const trapCode = 'RUN013';

/**
 * Whether a message reports a trap. A shader without source positions reports only that it trapped.
 */
const saysTrap = (message: string): boolean => message.includes(trapCode) || message.endsWith(trapText);

/**
 * Judges a kernel that trapped. There are no results to compare, but every executor must report the
 * trap.
 */
function trapped(launch: Launch, runs: readonly Ended[]): Verdict {
  for (const { executor, failure } of runs) {
    if (failure && saysTrap(failure.message)) continue;
    const message = failure?.message ?? 'a trap did not end the launch';
    const disagreement = {
      executor: executor.name,
      kind: failure?.errorKind ?? 'no trap',
      message,
      mismatch: undefined,
    };
    return { launch, flaw: undefined, compared: 0, disagreement };
  }
  return { launch, flaw: undefined, compared: runs.length, disagreement: undefined };
}

interface Difference extends Omit<Disagreement, 'executor'> {
  readonly executor: KernelExecutor;
}

function differencesOf(launch: Launch, reference: Reference, runs: readonly Ended[]) {
  const found: Difference[] = [];
  let compared = 0;
  for (const { executor, outputs, printed, failure } of runs) {
    const comparison = outputs && compareOutputs(launch, reference.outputs, outputs, { writers: reference.writers });
    const lines = printed && comparePrinted(reference.printed.texts, printed);
    compared += (comparison?.compared ?? 0) + (lines?.compared ?? 0);
    const { first } = comparison ?? {};
    if (failure) {
      const { errorKind, status, message } = failure;
      found.push({ executor, kind: errorKind ?? status, message, mismatch: undefined });
    } else if (first) found.push({ executor, kind: 'mismatch', message: describe(first), mismatch: first });
    else if (lines?.first) {
      found.push({ executor, kind: 'mismatch', message: describeLine(lines.first), mismatch: undefined });
    }
  }
  return { found, compared };
}

type Ended = Awaited<ReturnType<typeof start>>;

async function start(executor: KernelExecutor, launch: FuzzLaunch, options: JudgeOptions) {
  try {
    const { outputs, printed } = await executor.run(launch, runOptions(executor, launch, options));
    return { executor, outputs, printed, failure: undefined };
  } catch (error) {
    const failure = failureOf(error, false);
    if (failure.errorKind === 'unavailable') throw error;
    return { executor, outputs: undefined, printed: undefined, failure };
  }
}

function runOptions({ name }: KernelExecutor, launch: FuzzLaunch, { timeoutMs, soon = [] }: JudgeOptions): RunOptions {
  const limit = timeoutMs === undefined ? {} : { timeoutMs };
  if (!isNative(name)) return limit;
  const company = soon.map(launchOf).filter(({ native, waits }) => native && waits === launch.waits);
  return {
    ...limit,
    kernelTimeoutMs,
    ...(launch.waits ? { optimize: 0 } : {}),
    ...(company.length > 0 ? { soon: company } : {}),
  };
}

/**
 * Returns whether unoptimized native code agrees with the reference. If so, the optimizer caused
 * the difference.
 */
async function agreesUnoptimized(
  executor: KernelExecutor,
  launch: Launch,
  { outputs, printed }: Reference,
  { timeoutMs }: JudgeOptions,
): Promise<boolean> {
  try {
    const limits = { kernelTimeoutMs, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
    const run = await executor.run(launch, { ...limits, optimize: 0 });
    const lines = run.printed ? comparePrinted(printed.texts, run.printed).mismatches : 0;
    return compareOutputs(launch, outputs, run.outputs).mismatches + lines === 0;
  } catch {
    return false;
  }
}

function describe({ param, index, expected, got, writer }: Mismatch): string {
  const place = writer ? ` (block ${writer.block.join(',')}, warp ${writer.warp}, lane ${writer.lane})` : '';
  return `${param}[${index}]${place}: expected ${expected}, got ${got || 'nothing'}`;
}
