// Cross-validation: runs the suites on executors and compares every lane with the reference, and where one differs, with the others.

import { emptyTally, joinTallies, judge, type LaneMismatch, type SuiteAnswer, type Tally } from '../compare/judge.ts';
import { type ExecutorRun, type KernelExecutor, onText } from '../executors/executor.ts';
import { type Batch, type PlannedLaunch, planLaunches, type Suite } from '../suites/index.ts';
import { blamesKernel, type Failure, failureOf } from './failure.ts';
import type { FirstMismatch, Result } from './results.ts';

export interface ValidateOptions {
  readonly queries: readonly string[];
  readonly seed: number;
  /// Every operand of the shuffles, every choice of modifiers, and many more random cases of the rest.
  readonly exhaustive?: boolean;
  /// Launches of that plan, where not all are wanted: `queries` says what it was made of.
  readonly plan?: readonly PlannedLaunch[];
  /// Some suites of every instruction only, chosen by the seed: for adapters that compile slowly.
  readonly brief?: boolean;
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
  skipped: string | undefined;
  notes: Set<string>;
  ms: number;
}

/// By executor and suite.
type Runnings = Map<KernelExecutor, Map<string, Running>>;

/// What an executor made of a launch: outputs, an error, or why it was not asked.
type Attempt =
  | { readonly run: ExecutorRun; readonly answer: SuiteAnswer }
  | { readonly error: unknown }
  | { readonly skipped: string };

export interface ValidateResult extends Result {
  readonly suite: Suite;
}

/// Runs the selected suites on each executor, which stay open: a launch on all of them, then the next. Throws `QueryError` if a query
/// selects nothing; what goes wrong in a suite is in its result. Results come in the order of the executors, then of the suites.
export async function validate(options: ValidateOptions): Promise<ValidateResult[]> {
  const { executors, onProgress, queries, seed, exhaustive = false, brief = false } = options;
  const plan = options.plan ?? planLaunches({ queries, seed, exhaustive, brief });
  const total = plan.length * executors.length;
  const running: Runnings = new Map(executors.map((executor) => [executor, new Map()]));
  let done = 0;
  let following = plan[0]?.build();
  for (const [step, launch] of plan.entries()) {
    const batch = following ?? launch.build();
    following = plan[step + 1]?.build();
    const attempts = new Map<KernelExecutor, Attempt>();
    for (const executor of executors) {
      onProgress?.({ done, total, label: `${executor.name} ${launch.suites[0]?.id ?? ''}` });
      attempts.set(executor, await attempt(executor, launch, batch, options, following));
      done++;
    }
    const answers = [...attempts.values()].flatMap((made) => ('answer' in made ? [made.answer] : []));
    for (const [executor, made] of attempts) {
      for (const failed of await account(executor, launch, batch, made, answers, running, options)) {
        onProgress?.({ done, total, label: failed.id, failed });
      }
    }
  }
  onProgress?.({ done: total, total, label: '' });
  return executors.flatMap((executor) => {
    let tables = 0;
    return [...(running.get(executor)?.values() ?? [])].map((entry) => {
      const { lanes, ...result } = resultOf(entry, options);
      return lanes && tables++ < maxTables ? { ...result, lanes } : result;
    });
  });
}

/// Suites of an executor that keep their failing lanes: where everything fails, reports stay some megabytes.
const maxTables = 100;

const isNative = ({ name }: KernelExecutor): boolean => name === 'cuda';

async function attempt(
  executor: KernelExecutor,
  { suites }: PlannedLaunch,
  batch: Batch,
  { timeoutMs }: ValidateOptions,
  following?: Batch,
): Promise<Attempt> {
  // The suites of a kernel stand and fall together.
  const note = suites.find(({ native }) => native?.runs === false)?.native;
  if (isNative(executor) && note) return { skipped: note.why };
  try {
    const run = await executor.run(batch.launch, {
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(following ? { next: following.launch } : {}),
    });
    return { run, answer: { name: executor.name, native: isNative(executor), outputs: run.outputs } };
  } catch (error) {
    return { error };
  }
}

/// Adds what came of a launch to `running`. Returns the suites that failed for the first time.
async function account(
  executor: KernelExecutor,
  launch: PlannedLaunch,
  batch: Batch,
  made: Attempt,
  answers: readonly SuiteAnswer[],
  running: Runnings,
  options: ValidateOptions,
): Promise<ValidateResult[]> {
  const failure = 'error' in made ? failureOf(made.error, options.color === true) : undefined;
  const skipped = 'skipped' in made ? made.skipped : failure && lacking(executor, failure, batch);
  if (failure && skipped === undefined && launch.suites.length > 1 && blamesKernel(failure)) {
    return await accountParts(executor, launch, running, options);
  }
  const tallies = 'run' in made ? judge(batch, made.answer, { only: launch.only, answers }) : undefined;
  return launch.suites.flatMap((suite) => {
    const entry = entryOf(running, executor, suite);
    const before = hasFailed(entry);
    const tally = tallies?.get(suite);
    if (tally) entry.tally = joinTallies(entry.tally, tally);
    if (skipped !== undefined) entry.skipped = skipped;
    else if (failure) entry.failure ??= failure;
    if ('run' in made) {
      if (made.run.note) entry.notes.add(made.run.note);
      entry.ms += made.run.ms / launch.suites.length;
    }
    return !before && hasFailed(entry) ? [resultOf(entry, options)] : [];
  });
}

/// Each suite of a launch in a kernel of its own, on the executor that did not take them together.
async function accountParts(
  executor: KernelExecutor,
  launch: PlannedLaunch,
  running: Runnings,
  options: ValidateOptions,
): Promise<ValidateResult[]> {
  const failed: ValidateResult[] = [];
  for (const part of launch.split()) {
    const batch = part.build();
    const made = await attempt(executor, part, batch, options);
    const answers = 'answer' in made ? [made.answer] : [];
    failed.push(...(await account(executor, part, batch, made, answers, running, options)));
  }
  return failed;
}

/// Why native hardware need not take a kernel: it lacks the instruction. Undefined if it should have.
function lacking(executor: KernelExecutor, { status, errorKind }: Failure, { launch }: Batch): string | undefined {
  if (!isNative(executor)) return undefined;
  const [, target = 'another target'] = /^\.target (\S+)/m.exec(launch.ptx) ?? [];
  const { adapter } = executor.describe();
  // For a target that it does not have the driver may take offence at types, before it says which target they need.
  const isNewer = versionOf(target) > versionOf(adapter?.architecture ?? '');
  if (status !== 'unsupported' && !(errorKind === 'invalid' && isNewer)) return undefined;
  return `needs ${target}; this is ${adapter?.architecture ?? 'another GPU'} with ${adapter?.host ?? 'another driver'}`;
}

/// `sm_100a`: 100.
const versionOf = (target: string): number => Number(/\d+/.exec(target)?.[0] ?? 0);

function entryOf(running: Runnings, executor: KernelExecutor, suite: Suite): Running {
  const own = running.get(executor) ?? new Map<string, Running>();
  running.set(executor, own);
  const known = own.get(suite.id);
  if (known) return known;
  // Where PTX leaves a suite to native hardware, what is there is written down and not judged.
  const skipped = isNative(executor) ? suite.native?.why : undefined;
  const entry: Running = { executor, suite, tally: emptyTally, failure: undefined, skipped, notes: new Set(), ms: 0 };
  own.set(suite.id, entry);
  return entry;
}

function hasFailed({ tally, failure }: Running): boolean {
  return failure !== undefined || tally.mismatches > 0;
}

function resultOf(entry: Running, options: ValidateOptions): ValidateResult {
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
    // The reference would only give its own values.
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
  { seed, reproduceWith }: ValidateOptions,
): FirstMismatch {
  const more = reproduceWith ? ` ${reproduceWith}` : '';
  return {
    ...mismatch,
    reproduce: `npx lanewise validate '${mismatch.case}' --seed ${seed} --on ${onText(executor.describe())}${more}`,
  };
}
