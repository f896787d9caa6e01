// Tests the option `--plan`, which selects a lane plan other than the adapter's own, and the reuse
// of earlier measurements.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { ExecutorReport } from '../../src/harness/executors/executor.ts';
import { openExecutor } from '../../src/harness/executors/open-executor.ts';
import { readCase } from '../../src/harness/launches/case-file-node.ts';
import { hasDawnDriver } from '../../src/harness/webgpu/dawn/dawn.ts';
import { planFor } from '../../src/translate/index.ts';

describe.skipIf(!hasDawnDriver({ driver: 'swiftshader' }))('--plan', () => {
  it('portable runs warp instructions without subgroups', async () => {
    const executor = await openExecutor('dawn', { adapter: 'swiftshader', plan: 'portable' });
    try {
      expect(executor.describe()).toMatchObject({ lanePlan: planFor(0), subgroupSize: 4 });
      const launch = readCase(join(import.meta.dirname, '../kernels/reduce_redux.json'));
      const { outputs } = await executor.run(launch);
      let compared = 0;
      for (const [index, param] of launch.params.entries()) {
        if (param.kind !== 'buffer' || param.expect === undefined) continue;
        expect(outputs.get(index)).toEqual(param.expect);
        compared += 1;
      }
      expect(compared).toBeGreaterThan(0);
    } finally {
      await executor.close();
    }
  });

  it('earlier measurements are used on request only', async () => {
    const cache = mkdtempSync(join(tmpdir(), 'lanewise-test-cache-'));
    vi.stubEnv('LANEWISE_CACHE', cache);
    const open = async (facts?: 'kept'): Promise<ExecutorReport> => {
      const executor = await openExecutor('dawn', { adapter: 'swiftshader', facts });
      await executor.close();
      return executor.describe();
    };
    try {
      const first = await open('kept');
      expect(first.measuredAt).toBeUndefined();
      const { measuredAt, ...second } = await open('kept');
      expect(Date.parse(measuredAt ?? '')).toBeGreaterThan(0);
      expect(second).toEqual(first);
      expect(await open()).toEqual(first);
    } finally {
      vi.unstubAllEnvs();
      rmSync(cache, { recursive: true });
    }
  });

  it('refuses a plan that the adapter cannot run', async () => {
    await expect(openExecutor('dawn', { adapter: 'swiftshader', plan: 'wide' })).rejects.toThrow(
      'the adapter cannot run the wide lane plan: it has subgroups of 4',
    );
  });
});
