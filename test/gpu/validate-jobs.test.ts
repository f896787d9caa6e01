// A validation in several processes returns the same results as in one.
import { expect, it } from 'vitest';
import { cpuExecutor } from '../../src/harness/executors/cpu-executor.ts';
import { type ValidateOptions, type ValidateProgress, validate } from '../../src/harness/runs/validate.ts';
import { validateInProcesses } from '../../src/harness/runs/validate-jobs.ts';

const withoutTime = (results: readonly object[]) => results.map((result) => ({ ...result, suite: 0, ms: 0 }));

it('returns the same results', async () => {
  const options = {
    queries: ['activemask'],
    seed: 3,
    executors: [cpuExecutor()],
  } satisfies ValidateOptions;
  const seen: ValidateProgress[] = [];
  const together = await validateInProcesses({
    ...options,
    jobs: 2,
    on: ['cpu'],
    float: 'exact',
    onProgress: (progress) => seen.push(progress),
  });
  const alone = await validate(options);
  expect(alone.length).toBeGreaterThan(3);
  expect(withoutTime(together)).toEqual(withoutTime(alone));
  const last = seen.at(-1);
  expect(last?.done).toBe(last?.total);
});

it('reports why a process has no executor', async () => {
  const options = { queries: ['redux.sync'], seed: 3, executors: [cpuExecutor()], jobs: 2, float: 'exact' } as const;
  await expect(validateInProcesses({ ...options, on: ['dawn'], adapter: 'lavapipe3' })).rejects.toThrow('lavapipe3');
});
