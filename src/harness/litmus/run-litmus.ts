// Runs litmus tests on executors, and classifies the outcomes.
import {
  allowedOutcomes,
  compareOutcomes,
  holds,
  type LitmusTest,
  type Outcome,
  type Verdict,
} from '../../memory-model/index.ts';
import type { KernelExecutor } from '../executors/executor.ts';
import { litmusLaunch, OutcomeCounts } from './litmus-launch.ts';
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
  readonly instances: number;
  readonly launches: number;
  readonly ms: number;
}

export interface LitmusRunOptions {
  readonly size: LaunchSize;
  readonly launches: number;
  readonly seed: number;
  readonly timeoutMs?: number;
  /** Stops after the launch that shows the condition. */
  readonly untilShown?: boolean;
}

export const weakCount = ({ outcomes }: LitmusResult): number => countOf(outcomes.filter(({ isWeak }) => isWeak));
export const forbiddenCount = ({ outcomes }: LitmusResult): number =>
  countOf(outcomes.filter(({ verdict }) => verdict === 'forbidden'));

const countOf = (outcomes: readonly OutcomeCount[]): number => outcomes.reduce((sum, { count }) => sum + count, 0);

/** Runs a test. Throws the executor's errors. */
export async function runLitmus(
  test: LitmusTest,
  executor: KernelExecutor,
  { size, launches, seed, timeoutMs, untilShown = false }: LitmusRunOptions,
): Promise<LitmusResult> {
  const start = performance.now();
  const allowed = allowedOutcomes(test);
  const counts = new OutcomeCounts();
  for (const outcome of allowed) counts.add(outcome, 0);
  let done = 0;
  while (done < launches) {
    const { launch, count } = litmusLaunch(test, size, seed, done);
    const run = await executor.run(launch, timeoutMs === undefined ? {} : { timeoutMs });
    count(run.outputs, counts);
    done++;
    if (untilShown && counts.all.some((own) => own.count > 0 && holds(test.condition, own.outcome))) break;
  }
  const allowedKeys = new Set(allowed.map((outcome) => outcome.join()));
  const verdict = allowed.some((outcome) => holds(test.condition, outcome)) ? 'allowed' : 'forbidden';
  return {
    test,
    verdict,
    outcomes: [...counts.all]
      .sort((a, b) => compareOutcomes(a.outcome, b.outcome))
      .map(({ outcome, count }) => ({
        outcome,
        count,
        verdict: allowedKeys.has(outcome.join()) ? 'allowed' : 'forbidden',
        isWeak: holds(test.condition, outcome),
      })),
    instances: done * instancesOf(size),
    launches: done,
    ms: performance.now() - start,
  };
}
