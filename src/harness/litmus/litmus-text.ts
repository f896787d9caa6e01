// The results of litmus tests as text and JSON.
import type { LitmusTest, Outcome } from '../../memory-model/index.ts';
import { forbiddenCount, type LitmusResult, weakCount } from './run-litmus.ts';

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

/** Returns a result as JSON. */
export function litmusJson(result: LitmusResult) {
  const { test, verdict, outcomes, instances, launches, ms } = result;
  return {
    name: test.name,
    condition: test.conditionText,
    verdict,
    instances,
    launches,
    ms: Math.round(ms),
    weak: weakCount(result),
    forbidden: forbiddenCount(result),
    outcomes: outcomes.map(({ outcome, count, verdict: own, isWeak }) => ({
      outcome: outcomeText(test, outcome),
      count,
      verdict: own,
      weak: isWeak,
    })),
  };
}
