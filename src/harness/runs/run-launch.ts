// Runs one launch of a validation on every executor, and returns the outcome of each suite.

import { judge, type SuiteAnswer, type Tally } from '../compare/judge.ts';
import { type ExecutorRun, isNative, type KernelExecutor } from '../executors/executor.ts';
import type { Batch, PlannedLaunch } from '../suites/index.ts';
import { blamesKernel, type Failure, failureOf } from './failure.ts';

/** The outcome of a suite in a launch on one executor. */
export interface SuiteOutcome {
  /** The index of the executor. */
  readonly executor: number;
  /** The suite's id. */
  readonly suite: string;
  /** The counts of the comparison, if the suite ran. */
  readonly tally?: Tally;
  readonly failure?: Failure;
  /** The reason why native hardware did not run the suite, or may fail it. */
  readonly skipped?: string;
  /** Remarks on the run; can be empty. */
  readonly note: string;
  readonly ms: number;
}

export interface LaunchOptions {
  /** The time limit of one launch in milliseconds. */
  readonly timeoutMs?: number;
  /** Whether messages contain colors. */
  readonly color?: boolean;
}

/** The result of an attempt on an executor: outputs, an error, or a reason to skip it. */
type Attempt =
  | { readonly run: ExecutorRun; readonly answer: SuiteAnswer }
  | { readonly error: unknown }
  | { readonly skipped: string };

/** Runs `work` after all earlier work of the executor has finished. */
export type ExecutorTurn = <T>(executor: number, work: () => Promise<T>) => Promise<T>;

/**
 * Runs the launch on each executor, and compares every lane. `following` is the next launch, which
 * an executor may compile in advance.
 */
export async function runLaunch(
  launch: PlannedLaunch,
  batch: Batch,
  following: Batch | undefined,
  executors: readonly KernelExecutor[],
  options: LaunchOptions,
  inTurn: ExecutorTurn,
): Promise<SuiteOutcome[]> {
  const attempts: Attempt[] = [];
  for (const [index, executor] of executors.entries()) {
    attempts.push(await inTurn(index, () => attempt(executor, launch, batch, options, following)));
  }
  const answers = attempts.flatMap((made) => ('answer' in made ? [made.answer] : []));
  const outcomes: SuiteOutcome[] = [];
  for (const [index, executor] of executors.entries()) {
    const made = attempts[index];
    if (made) outcomes.push(...(await outcomesOf(index, executor, launch, batch, made, answers, options, inTurn)));
  }
  return outcomes;
}

async function attempt(
  executor: KernelExecutor,
  { suites }: PlannedLaunch,
  batch: Batch,
  { timeoutMs }: LaunchOptions,
  following?: Batch,
): Promise<Attempt> {
  // If one suite must be skipped, all suites of the kernel are skipped.
  const note = suites.find(({ native }) => native?.runs === false)?.native;
  if (isNative(executor.name) && note) return { skipped: note.why };
  try {
    const run = await executor.run(batch.launch, {
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(following ? { next: following.launch } : {}),
    });
    const { matrix } = executor.describe();
    return { run, answer: { name: executor.name, native: isNative(executor.name), matrix, outputs: run.outputs } };
  } catch (error) {
    return { error };
  }
}

/**
 * Returns the outcomes of a launch. If the executor rejects the kernel of several suites, runs each
 * suite in a separate kernel.
 */
async function outcomesOf(
  index: number,
  executor: KernelExecutor,
  launch: PlannedLaunch,
  batch: Batch,
  made: Attempt,
  answers: readonly SuiteAnswer[],
  options: LaunchOptions,
  inTurn: ExecutorTurn,
): Promise<SuiteOutcome[]> {
  const failure = 'error' in made ? failureOf(made.error, options.color === true) : undefined;
  const skipped = 'skipped' in made ? made.skipped : failure && lacking(executor, failure, batch);
  if (failure && skipped === undefined && launch.suites.length > 1 && blamesKernel(failure)) {
    const parts: SuiteOutcome[] = [];
    for (const part of launch.split()) {
      const own = part.build();
      const again = await inTurn(index, () => attempt(executor, part, own, options));
      const ownAnswers = 'answer' in again ? [again.answer] : [];
      parts.push(...(await outcomesOf(index, executor, part, own, again, ownAnswers, options, inTurn)));
    }
    return parts;
  }
  const tallies = 'run' in made ? judge(batch, made.answer, { only: launch.only, answers }) : undefined;
  return launch.suites.map((suite): SuiteOutcome => {
    const tally = tallies?.get(suite);
    return {
      executor: index,
      suite: suite.id,
      ...(tally ? { tally } : {}),
      ...(skipped !== undefined ? { skipped } : failure ? { failure } : {}),
      note: 'run' in made ? made.run.note : '',
      ms: 'run' in made ? made.run.ms / launch.suites.length : 0,
    };
  });
}

/**
 * Returns the reason why native hardware may reject a kernel: it lacks the instruction. Returns
 * undefined if the hardware should support the kernel.
 */
function lacking(executor: KernelExecutor, { status, errorKind }: Failure, { launch }: Batch): string | undefined {
  if (!isNative(executor.name)) return undefined;
  const [, target = 'another target'] = /^\.target (\S+)/m.exec(launch.ptx) ?? [];
  const { adapter } = executor.describe();
  // For a target that it does not support, the driver may report type errors before it reports the
  // required target.
  const isNewer = versionOf(target) > versionOf(adapter?.architecture ?? '');
  if (status !== 'unsupported' && !(errorKind === 'invalid' && isNewer)) return undefined;
  return `needs ${target}; this is ${adapter?.architecture ?? 'another GPU'} with ${adapter?.host ?? 'another driver'}`;
}

/** Returns the number of a target: 100 for `sm_100a`. */
const versionOf = (target: string): number => Number(/\d+/.exec(target)?.[0] ?? 0);
