// The results of litmus tests as text and JSON.
import type { LitmusTest, Outcome } from '../../memory-model/index.ts';
import type { ExecutorReport } from '../executors/executor.ts';
import type { Result } from '../runs/results.ts';
import { type LitmusResult, weakCount } from './run-litmus.ts';

/** Returns an outcome such as `t1:%r0=1 t1:%r1=0`. */
export const outcomeText = ({ observables }: LitmusTest, outcome: Outcome): string =>
  observables.map(({ text }, index) => `${text}=${outcome[index]}`).join(' ');

/** Returns the histogram of a test: a line for each outcome. `*` marks the outcomes of the condition. */
export function histogramText(result: LitmusResult): string {
  const { test, verdict, outcomes, instances, ms } = result;
  const width = Math.max(...outcomes.map(({ count }) => String(count).length));
  const lines = outcomes.map(({ outcome, count, verdict: own, isWeak }) => {
    const note = own === 'forbidden' ? 'FORBIDDEN' : count === 0 ? 'allowed, not seen' : 'allowed';
    return `  ${String(count).padStart(width)} ${isWeak ? '*' : ' '} ${outcomeText(test, outcome)}  ${note}`;
  });
  const seen = weakCount(result) > 0 ? 'seen' : 'not seen';
  const rate = `${instances} instances in ${(ms / 1000).toFixed(1)} s`;
  return [`${test.name}: ${test.conditionText}`, `  ${verdict}, ${seen}; ${rate}`, ...lines, ''].join('\n');
}

/** Returns a result in the form of other runs, for documents that `merge` reads. */
export function litmusResult(result: LitmusResult, executor: ExecutorReport): Result {
  const { test, outcomes, forbidden, instances, launches, ms } = result;
  const wrong = outcomes.find(({ verdict, count }) => verdict === 'forbidden' && count > 0);
  const seen = outcomes.filter(({ count }) => count > 0);
  return {
    id: `litmus:${test.name}`,
    executor,
    status: forbidden > 0 ? 'fail' : 'pass',
    cases: launches,
    compared: instances,
    undefined: 0,
    mismatches: forbidden,
    first:
      wrong === undefined
        ? undefined
        : { expected: 'an outcome that PTX allows', got: outcomeText(test, wrong.outcome) },
    message: seen.map(({ outcome, count }) => `${count} ${outcomeText(test, outcome)}`).join('; '),
    errorKind: undefined,
    ms,
  };
}

/** Returns a result as JSON. */
export function litmusJson(result: LitmusResult) {
  const { test, verdict, outcomes, forbidden, instances, launches, ms } = result;
  return {
    name: test.name,
    condition: test.conditionText,
    verdict,
    instances,
    launches,
    ms: Math.round(ms),
    weak: weakCount(result),
    forbidden,
    outcomes: outcomes.map(({ outcome, count, verdict: own, isWeak }) => ({
      outcome: outcomeText(test, outcome),
      count,
      verdict: own,
      weak: isWeak,
    })),
  };
}
