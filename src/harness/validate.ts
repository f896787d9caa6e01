// Cross-validation: runs the suites on executors and compares every lane with the reference.

import type { KernelExecutor } from './executors.ts';
import { blamesKernel, type Failure, failureOf } from './failure.ts';
import { joinTallies, judge, type LaneMismatch, type Tally } from './judge.ts';
import type { FirstMismatch, Result } from './results.ts';
import { type PlannedLaunch, planLaunches, type Suite } from './suites/index.ts';

export interface ValidateOptions {
  readonly queries: readonly string[];
  readonly seed: number;
  /// Every operand of the shuffles, and many more random cases of the rest.
  readonly exhaustive?: boolean;
  readonly executors: readonly KernelExecutor[];
  /// Of one launch.
  readonly timeoutMs?: number;
  /// Code frames in messages.
  readonly color?: boolean;
  /// Options of the command line that a reproducing command must repeat, such as `--adapter lavapipe8`.
  readonly reproduceWith?: string;
  readonly onProgress?: (progress: ValidateProgress) => void;
}

export interface ValidateProgress {
  /// Launches, over all executors.
  readonly done: number;
  readonly total: number;
  /// What runs now.
  readonly label: string;
  /// Set once for each suite, at its first mismatch or error.
  readonly failed?: Result;
}

/// One suite's sums so far, on one executor.
interface Running {
  readonly executor: KernelExecutor;
  readonly suite: Suite;
  tally: Tally;
  failure: Failure | undefined;
  notes: Set<string>;
  ms: number;
}

export interface ValidateResult extends Result {
  readonly suite: Suite;
}

/// Runs the selected suites on each executor, which stay open. Throws `QueryError` if a query selects nothing; what goes wrong in a
/// suite is in its result. Results come in the order of the executors, then of the suites.
export async function validate(options: ValidateOptions): Promise<ValidateResult[]> {
  const { executors, onProgress } = options;
  const plan = planLaunches({ queries: options.queries, seed: options.seed, exhaustive: options.exhaustive === true });
  const total = plan.length * executors.length;
  const results: ValidateResult[] = [];
  for (const [index, executor] of executors.entries()) {
    const running = new Map<string, Running>();
    for (const [step, launch] of plan.entries()) {
      const done = index * plan.length + step;
      onProgress?.({ done, total, label: `${executor.name} ${launch.suites[0]?.id ?? ''}` });
      for (const failed of await runLaunch(executor, launch, running, options)) {
        onProgress?.({ done, total, label: failed.id, failed });
      }
    }
    for (const entry of running.values()) results.push(resultOf(entry, options));
  }
  onProgress?.({ done: total, total, label: '' });
  return results;
}

/// Runs one launch and adds to `running`. Returns the suites that failed for the first time.
async function runLaunch(
  executor: KernelExecutor,
  launch: PlannedLaunch,
  running: Map<string, Running>,
  options: ValidateOptions,
): Promise<ValidateResult[]> {
  const batch = launch.build();
  const { timeoutMs } = options;
  try {
    const { outputs, ms, note } = await executor.run(batch.launch, timeoutMs === undefined ? {} : { timeoutMs });
    const tallies = judge(batch, outputs, launch.only);
    return launch.suites.flatMap((suite) => {
      const entry = entryOf(running, executor, suite);
      const before = hasFailed(entry);
      const tally = tallies.get(suite);
      if (tally) entry.tally = joinTallies(entry.tally, tally);
      if (note) entry.notes.add(note);
      entry.ms += ms / launch.suites.length;
      return !before && hasFailed(entry) ? [resultOf(entry, options)] : [];
    });
  } catch (error) {
    const failure = failureOf(error, options.color === true);
    if (launch.suites.length > 1 && blamesKernel(failure)) {
      const parts: ValidateResult[] = [];
      for (const part of launch.split()) parts.push(...(await runLaunch(executor, part, running, options)));
      return parts;
    }
    return launch.suites.flatMap((suite) => {
      const entry = entryOf(running, executor, suite);
      const before = hasFailed(entry);
      entry.failure ??= failure;
      return before ? [] : [resultOf(entry, options)];
    });
  }
}

function entryOf(running: Map<string, Running>, executor: KernelExecutor, suite: Suite): Running {
  const known = running.get(suite.id);
  if (known) return known;
  const tally: Tally = { cases: 0, compared: 0, undefined: 0, mismatches: 0, first: undefined };
  const entry: Running = { executor, suite, tally, failure: undefined, notes: new Set(), ms: 0 };
  running.set(suite.id, entry);
  return entry;
}

function hasFailed({ tally, failure }: Running): boolean {
  return failure !== undefined || tally.mismatches > 0;
}

function resultOf({ executor, suite, tally, failure, notes, ms }: Running, options: ValidateOptions): ValidateResult {
  const nothing = !failure && tally.compared === 0 ? 'nothing to compare: PTX leaves every lane undefined' : '';
  const broken =
    failure ?? (nothing ? { status: 'error' as const, errorKind: 'other' as const, message: nothing } : undefined);
  return {
    id: suite.id,
    suite,
    executor: executor.describe(),
    status: tally.mismatches > 0 ? 'fail' : (broken?.status ?? 'pass'),
    cases: tally.cases,
    compared: tally.compared,
    undefined: tally.undefined,
    mismatches: tally.mismatches,
    first: tally.first && firstOf(tally.first, executor, options),
    message: [...(broken ? [broken.message] : []), ...notes].join('\n'),
    errorKind: broken?.errorKind,
    ms,
  };
}

function firstOf(
  mismatch: LaneMismatch,
  executor: KernelExecutor,
  { seed, reproduceWith }: ValidateOptions,
): FirstMismatch {
  const more = reproduceWith ? ` ${reproduceWith}` : '';
  return {
    ...mismatch,
    reproduce: `npx lanewise validate '${mismatch.case}' --seed ${seed} --on ${executor.name}${more}`,
  };
}
