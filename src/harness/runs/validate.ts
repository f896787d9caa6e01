// Cross-validation: runs the suites on executors, and compares every lane with the reference. If an
// executor differs, also compares it with the other executors.

import { emptyTally, joinTallies, type LaneMismatch, type Tally } from '../compare/judge.ts';
import { isNative, type KernelExecutor, onText } from '../executors/executor.ts';
import { type PlannedLaunch, planLaunches, type Suite } from '../suites/index.ts';
import type { Failure } from './failure.ts';
import { LaunchLine } from './launch-line.ts';
import type { FirstMismatch, Result } from './results.ts';
import type { SuiteOutcome } from './run-launch.ts';

/** Options of `validate`. */
export interface ValidateOptions {
  /**
   * The queries that select suites, as on the command line: `shfl.sync:up`. An empty list selects
   * all.
   */
  readonly queries: readonly string[];
  /** The seed of random operands. */
  readonly seed: number;
  /**
   * Whether to run every operand of the shuffles, every choice of modifiers, and many more random
   * cases.
   */
  readonly exhaustive?: boolean;
  /** The launches to run. The default is all launches that `queries` selects. */
  readonly plan?: readonly PlannedLaunch[];
  /**
   * Whether to run only some suites of every instruction, chosen by the seed, for adapters that
   * compile slowly.
   */
  readonly brief?: boolean;
  /** The executors to compare with the reference. They stay open. */
  readonly executors: readonly KernelExecutor[];
  /** The time limit of a launch, in milliseconds. */
  readonly timeoutMs?: number;
  /** Whether messages contain ANSI colors. */
  readonly color?: boolean;
  /**
   * The options that a command for reproducing a failure must repeat, such as
   * `--adapter lavapipe8`.
   */
  readonly reproduceWith?: string;
  /** Called after each launch. */
  readonly onProgress?: (progress: ValidateProgress) => void;
}

/** The progress of a validation. */
export interface ValidateProgress {
  /** The number of finished launches on all executors. */
  readonly done: number;
  /** The number of all launches. */
  readonly total: number;
  /** The current suite. */
  readonly label: string;
  /** The result of a suite, at its first mismatch or error. Present only once for each suite. */
  readonly failed?: Result;
}

/** The options that a command for reproducing a failure needs. */
type Reproducing = Pick<ValidateOptions, 'seed' | 'reproduceWith'>;

/** The state of one suite on one executor so far. */
interface Running {
  readonly executor: KernelExecutor;
  readonly suite: Suite;
  tally: Tally;
  failure: Failure | undefined;
  skipped: string | undefined;
  notes: Set<string>;
  ms: number;
}

/** The result of one suite on one executor. */
export interface ValidateResult extends Result {
  /** The suite. */
  readonly suite: Suite;
}

/**
 * Runs the selected suites on each executor, and compares every lane with the CPU reference.
 * Returns the results in the order of the executors, then of the suites. Throws `QueryError` if a
 * query selects nothing. An error in a suite is in the suite's result.
 *
 * @example
 * ```js
 * import { exitCodeOf, openExecutor, validate } from 'lanewise/node';
 *
 * const executor = await openExecutor('chrome');
 * try {
 *   const results = await validate({ queries: ['shfl.sync'], seed: 1, executors: [executor] });
 *   process.exitCode = exitCodeOf(results);
 * } finally {
 *   await executor.close();
 * }
 * ```
 */
export async function validate(options: ValidateOptions): Promise<ValidateResult[]> {
  const { executors, onProgress } = options;
  const plan = planOf(options);
  const sums = new ValidationSums(executors, options);
  const total = plan.length * executors.length;
  const line = new LaunchLine(executors, options);
  let done = 0;
  // Launches are added to the results in the plan's order.
  let summed: Promise<void> = Promise.resolve();
  for (const [step, launch] of plan.entries()) {
    await line.room();
    const outcomes = line.begin(launch, plan[step + 1], (index) => {
      onProgress?.({ done: done++, total, label: `${executors[index]?.name} ${launch.suites[0]?.id ?? ''}` });
    });
    summed = Promise.all([outcomes, summed]).then(([all]) => {
      for (const failed of sums.add(launch, all)) onProgress?.({ done, total, label: failed.id, failed });
    });
    summed.catch(() => undefined);
  }
  await summed;
  onProgress?.({ done: total, total, label: '' });
  return sums.results();
}

/** Returns the launches that the options select. */
export function planOf(
  options: Pick<ValidateOptions, 'queries' | 'seed' | 'exhaustive' | 'brief' | 'plan'>,
): readonly PlannedLaunch[] {
  const { queries, seed, exhaustive = false, brief = false } = options;
  return options.plan ?? planLaunches({ queries, seed, exhaustive, brief });
}

/**
 * The maximum number of suites per executor that store their failing lanes. It limits reports to
 * some megabytes if every suite fails.
 */
const maxTables = 100;

/**
 * The sums of the finished launches. The executors are only described, so they need not be the
 * executors that ran the launches.
 */
export class ValidationSums {
  readonly #executors: readonly KernelExecutor[];
  readonly #options: Reproducing;
  /** The sums of each executor, by suite. */
  readonly #running: readonly Map<string, Running>[];

  constructor(executors: readonly KernelExecutor[], options: Reproducing) {
    this.#executors = executors;
    this.#options = options;
    this.#running = executors.map(() => new Map());
  }

  /**
   * Adds a launch, and returns the suites that failed for the first time. Launches must be added in
   * the plan's order, so that a seed always has the same first mismatch.
   */
  add(launch: PlannedLaunch, outcomes: readonly SuiteOutcome[]): ValidateResult[] {
    const suites = new Map(launch.suites.map((suite) => [suite.id, suite]));
    return outcomes.flatMap(({ executor, suite: id, tally, failure, skipped, note, ms }) => {
      const suite = suites.get(id);
      const entry = suite && this.#entryOf(executor, suite);
      if (!entry) return [];
      const before = hasFailed(entry);
      if (tally) entry.tally = joinTallies(entry.tally, tally);
      if (skipped !== undefined) entry.skipped = skipped;
      else if (failure) entry.failure ??= failure;
      if (note) entry.notes.add(note);
      entry.ms += ms;
      return !before && hasFailed(entry) ? [resultOf(entry, this.#options)] : [];
    });
  }

  results(): ValidateResult[] {
    return this.#running.flatMap((own) => {
      let tables = 0;
      return [...own.values()].map((entry) => {
        const { lanes, ...result } = resultOf(entry, this.#options);
        return lanes && tables++ < maxTables ? { ...result, lanes } : result;
      });
    });
  }

  #entryOf(index: number, suite: Suite): Running | undefined {
    const executor = this.#executors[index];
    const own = this.#running[index];
    if (!executor || !own) return undefined;
    const known = own.get(suite.id);
    if (known) return known;
    // If PTX leaves the behavior of a suite to native hardware, native results are recorded but not
    // judged.
    const skipped = isNative(executor.name) ? suite.native?.why : undefined;
    const entry: Running = { executor, suite, tally: emptyTally, failure: undefined, skipped, notes: new Set(), ms: 0 };
    own.set(suite.id, entry);
    return entry;
  }
}

function hasFailed({ tally, failure }: Running): boolean {
  return failure !== undefined || tally.mismatches > 0;
}

function resultOf(entry: Running, options: Reproducing): ValidateResult {
  const { executor, suite, tally, notes, ms } = entry;
  const { status, message, errorKind, skipped } = outcomeOf(entry);
  return {
    id: suite.id,
    suite,
    executor: executor.describe(),
    status,
    cases: tally.cases,
    compared: tally.compared,
    undefined: tally.undefined,
    mismatches: tally.mismatches,
    first: tally.first && firstOf(tally.first, executor, options),
    ...(tally.lanes.length > 0 ? { lanes: tally.lanes } : {}),
    message: [message, ...notes].filter(Boolean).join('\n'),
    errorKind,
    ms,
    ...(skipped === undefined ? {} : { skipped }),
    // The reference's own values are not of interest.
    ...(executor.name !== 'cpu' && tally.undefined > 0 ? { observed: tally.observed } : {}),
  };
}

type Outcome = Pick<Result, 'status' | 'message' | 'errorKind' | 'skipped'>;

function outcomeOf({ tally, failure, skipped }: Running): Outcome {
  if (tally.mismatches > 0) return { status: 'fail', message: failure?.message ?? '', errorKind: failure?.errorKind };
  if (failure) return failure;
  if (skipped !== undefined) return { status: 'unsupported', message: skipped, errorKind: undefined, skipped };
  if (tally.compared > 0) return { status: 'pass', message: '', errorKind: undefined };
  return {
    status: 'error',
    message: 'nothing to compare: PTX leaves every lane undefined',
    errorKind: 'other',
  };
}

function firstOf(
  mismatch: LaneMismatch,
  executor: KernelExecutor,
  { seed, reproduceWith }: Reproducing,
): FirstMismatch {
  const more = reproduceWith ? ` ${reproduceWith}` : '';
  return {
    ...mismatch,
    reproduce: `npx lanewise validate '${mismatch.case}' --seed ${seed} --on ${onText(executor.describe())}${more}`,
  };
}
