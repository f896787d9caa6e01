// Validation and benchmarks. The worker loads this module on use, since the playground works without
// it.

import type { GpuExecutor } from '../../src/harness/executors/gpu-executor.ts';
import { type ValidateResult, validate } from '../../src/harness/runs/validate.ts';
import type { ValidateRequest, ValidateStep } from './messages.ts';
import { selectedGroups } from './validation-groups.ts';

export { bench } from './bench.ts';

/** Ends a validation between two launches. */
class Cancelled extends Error {}

/** Polls `isCancelled` between launches. */
export async function validateGroups(
  executor: GpuExecutor,
  { queries, seed, exhaustive }: ValidateRequest,
  progress: (step: ValidateStep) => void,
  isCancelled: () => boolean,
): Promise<{ readonly cancelled: boolean }> {
  const groups = selectedGroups(queries);
  for (const [done, group] of groups.entries()) {
    const label = group[0] ?? ''; // Absent: never, a group has queries.
    // Yields to the event loop, so that the worker can receive a cancellation.
    await new Promise((resolve) => setTimeout(resolve));
    const onProgress = (): void => {
      if (isCancelled()) throw new Cancelled();
      progress({ done, total: groups.length, label, results: [] });
    };
    let results: readonly ValidateResult[];
    try {
      results = await validate({ queries: group, seed, exhaustive, executors: [executor], onProgress });
    } catch (error) {
      if (error instanceof Cancelled) return { cancelled: true };
      throw error;
    }
    progress({ done: done + 1, total: groups.length, label, results });
  }
  return { cancelled: false };
}
