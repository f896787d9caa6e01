// Runs litmus tests on executors, and classifies the outcomes.
import { at } from '../../base/invariants.ts';
import {
  allowedOutcomes,
  compareOutcomes,
  holds,
  type LitmusTest,
  type Outcome,
  type Verdict,
} from '../../memory-model/index.ts';
import type { KernelExecutor } from '../executors/executor.ts';
import { runSequence } from '../executors/run-sequence.ts';
import { litmusSequence, readCounts } from './litmus-launch.ts';
import { instancesOf, type LaunchSize } from './plan.ts';

export interface OutcomeCount {
  readonly outcome: Outcome;
  readonly count: number;
  readonly verdict: Verdict;
  /** Whether the outcome satisfies the test's condition. */
  readonly isWeak: boolean;
}

export interface LitmusResult {
  readonly test: LitmusTest;
  /** The verdict on the test's condition. */
  readonly verdict: Verdict;
  /** All outcomes that PTX allows, and those that the run showed, in ascending order. */
  readonly outcomes: readonly OutcomeCount[];
  /** The number of instances whose outcome PTX forbids. `outcomes` contains the first of them. */
  readonly forbidden: number;
  readonly instances: number;
  readonly launches: number;
  readonly ms: number;
}

export interface LitmusRunOptions {
  /** The sizes of the launches, in turn. */
  readonly sizes: readonly LaunchSize[];
  readonly launches: number;
  readonly seed: number;
  readonly timeoutMs?: number | undefined;
  /** Stops after this time in milliseconds, or when the run shows the condition. */
  readonly untilMs?: number;
  readonly untilShown?: boolean;
}

/**
 * The number of launches between two looks at the results. It doubles up to a limit, if they take
 * less time than `shortMs`: a driver may take a long submission for a hang.
 */
const firstLaunches = 8;
const maxLaunches = 512;
const shortMs = 150;

export const weakCount = ({ outcomes }: LitmusResult): number =>
  outcomes.reduce((sum, { isWeak, count }) => sum + (isWeak ? count : 0), 0);

/** Runs a test. Throws the executor's errors. */
export async function runLitmus(
  test: LitmusTest,
  executor: KernelExecutor,
  { sizes, launches, seed, timeoutMs, untilMs = Number.POSITIVE_INFINITY, untilShown = false }: LitmusRunOptions,
): Promise<LitmusResult> {
  const start = performance.now();
  const allowed = allowedOutcomes(test);
  const counts = new Map<string, { readonly outcome: Outcome; count: number }>();
  const add = (outcome: Outcome, count: number): void => {
    const known = counts.get(outcome.join());
    if (known === undefined) counts.set(outcome.join(), { outcome, count });
    else known.count += count;
  };
  let forbidden = 0;
  let done = 0;
  let instances = 0;
  let limit = firstLaunches;
  for (let turn = 0; done < launches; turn++) {
    const size = at(sizes, turn % sizes.length, 'a size');
    const repeat = Math.min(limit, launches - done);
    const begin = performance.now();
    const sequence = litmusSequence(test, size, (seed + done) >>> 0, allowed);
    const windows = await runSequence(executor, sequence, repeat, timeoutMs);
    if (turn >= sizes.length && performance.now() - begin < shortMs) limit = Math.min(2 * limit, maxLaunches);
    const { known, others, samples } = readCounts(test, allowed, windows);
    for (const { outcome, count } of known) add(outcome, count);
    for (const outcome of samples) add(outcome, 1);
    forbidden += others;
    done += repeat;
    instances += repeat * instancesOf(size);
    const shown = [...counts.values()].some(({ outcome, count }) => count > 0 && holds(test.condition, outcome));
    if ((untilShown && shown) || performance.now() - start > untilMs) break;
  }
  const allowedKeys = new Set(allowed.map((outcome) => outcome.join()));
  return {
    test,
    verdict: allowed.some((outcome) => holds(test.condition, outcome)) ? 'allowed' : 'forbidden',
    outcomes: [...counts.values()]
      .sort((a, b) => compareOutcomes(a.outcome, b.outcome))
      .map(({ outcome, count }) => ({
        outcome,
        count,
        verdict: allowedKeys.has(outcome.join()) ? 'allowed' : 'forbidden',
        isWeak: holds(test.condition, outcome),
      })),
    forbidden,
    instances,
    launches: done,
    ms: performance.now() - start,
  };
}
