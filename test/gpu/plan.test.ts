// Another lane plan than the adapter would get.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
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

  it('refuses a plan that the adapter cannot run', async () => {
    await expect(openExecutor('dawn', { adapter: 'swiftshader', plan: 'wide' })).rejects.toThrow(
      'the adapter cannot run the wide lane plan: it has subgroups of 4',
    );
  });
});
