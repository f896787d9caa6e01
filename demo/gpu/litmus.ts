// Runs litmus tests on the page's adapter. The worker loads this module when it is first needed.
import { isSoftware } from '../../src/harness/executors/executor.ts';
import type { GpuExecutor } from '../../src/harness/executors/gpu-executor.ts';
import { litmusResult, outcomeText } from '../../src/harness/litmus/litmus-text.ts';
import { hardwareSizes, softwareSizes } from '../../src/harness/litmus/plan.ts';
import { runLitmus } from '../../src/harness/litmus/run-litmus.ts';
import { builtInTests } from '../../src/harness/litmus/select-tests.ts';
import { freshSeed } from '../../src/harness/suites/random.ts';
import type { LitmusStep } from './messages.ts';

/** The time of a test in milliseconds, and its launches on a software adapter. */
const testMs = 2000;
const softwareLaunches = 4;

/**
 * Runs tests one after the other, and reports each to `progress`. Calls `isCancelled` between tests.
 */
export async function runTests(
  executor: GpuExecutor,
  names: readonly string[],
  progress: (step: LitmusStep) => void,
  isCancelled: () => boolean,
): Promise<{ readonly cancelled: boolean }> {
  const tests = names.flatMap((name) => builtInTests(name));
  const small = isSoftware(executor);
  const total = tests.length;
  for (const [done, test] of tests.entries()) {
    // Yield to the event loop, so that the worker can receive a cancellation.
    await new Promise((resolve) => setTimeout(resolve));
    if (isCancelled()) return { cancelled: true };
    const { name, conditionText, source } = test;
    progress({ done, total, name });
    const result = await runLitmus(test, executor, {
      sizes: small ? softwareSizes : hardwareSizes,
      launches: small ? softwareLaunches : Number.POSITIVE_INFINITY,
      untilMs: testMs,
      seed: freshSeed(),
    });
    const figure = {
      verdict: result.verdict,
      condition: conditionText,
      text: source.text,
      outcomes: result.outcomes.map(({ outcome, count, verdict, isWeak }) => ({
        text: outcomeText(test, outcome),
        count,
        verdict,
        isWeak,
      })),
      result: litmusResult(result, executor.describe()),
    };
    progress({ done: done + 1, total, name, figure });
  }
  return { cancelled: false };
}
