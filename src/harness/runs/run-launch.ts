// One launch of a validation on every executor, and what came of each suite of it.

import { judge, type SuiteAnswer, type Tally } from '../compare/judge.ts';
import { type ExecutorRun, isNative, type KernelExecutor } from '../executors/executor.ts';
import type { Batch, PlannedLaunch } from '../suites/index.ts';
import { blamesKernel, type Failure, failureOf } from './failure.ts';

/** What came of a suite in a launch, on one of the executors. */
export interface SuiteOutcome {
  /** Its place among the executors. */
  readonly executor: number;
  /** The suite's id. */
  readonly suite: string;
  /** Of what was compared, if it ran. */
  readonly tally?: Tally;
  readonly failure?: Failure;
  /** Why native hardware was not asked, or need not have it. */
  readonly skipped?: string;
  /** What happened on the way; '' if nothing did. */
  readonly note: string;
  readonly ms: number;
}

export interface LaunchOptions {
  /** Of one launch. */
  readonly timeoutMs?: number;
  /** Code frames in messages. */
  readonly color?: boolean;
}

/** What an executor made of a launch: outputs, an error, or why it was not asked. */
type Attempt =
  | { readonly run: ExecutorRun; readonly answer: SuiteAnswer }
  | { readonly error: unknown }
  | { readonly skipped: string };

/** Does `work` when it is the turn of the executor at that place. */
export type ExecutorTurn = <T>(executor: number, work: () => Promise<T>) => Promise<T>;

/** Runs the launch on each executor and compares every lane. `following` is the one to come, which an executor may compile meanwhile. */
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
  // The suites of a kernel stand and fall together.
  const note = suites.find(({ native }) => native?.runs === false)?.native;
  if (isNative(executor.name) && note) return { skipped: note.why };
  try {
    const run = await executor.run(batch.launch, {
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(following ? { next: following.launch } : {}),
    });
    return { run, answer: { name: executor.name, native: isNative(executor.name), outputs: run.outputs } };
  } catch (error) {
    return { error };
  }
}

/** Each suite of a launch in a kernel of its own where the executor did not take them together. */
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

/** Why native hardware need not take a kernel: it lacks the instruction. Undefined if it should have. */
function lacking(executor: KernelExecutor, { status, errorKind }: Failure, { launch }: Batch): string | undefined {
  if (!isNative(executor.name)) return undefined;
  const [, target = 'another target'] = /^\.target (\S+)/m.exec(launch.ptx) ?? [];
  const { adapter } = executor.describe();
  // For a target that it does not have the driver may take offence at types, before it says which target they need.
  const isNewer = versionOf(target) > versionOf(adapter?.architecture ?? '');
  if (status !== 'unsupported' && !(errorKind === 'invalid' && isNewer)) return undefined;
  return `needs ${target}; this is ${adapter?.architecture ?? 'another GPU'} with ${adapter?.host ?? 'another driver'}`;
}

/** `sm_100a`: 100. */
const versionOf = (target: string): number => Number(/\d+/.exec(target)?.[0] ?? 0);
