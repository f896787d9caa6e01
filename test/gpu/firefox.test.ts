// Firefox: another shader compiler, and no subgroups.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KernelExecutor } from '../../src/harness/executors/executor.ts';
import { openExecutor } from '../../src/harness/executors/open-executor.ts';
import { readCase } from '../../src/harness/launches/case-file-node.ts';
import { totals } from '../../src/harness/runs/results.ts';
import { validate } from '../../src/harness/runs/validate.ts';
import { findFirefox } from '../../src/harness/webgpu/browser/find-browser.ts';
import { planFor } from '../../src/translate/index.ts';

function hasFirefox(): boolean {
  try {
    return findFirefox() !== '';
  } catch {
    return false;
  }
}

describe.skipIf(!hasFirefox())('firefox', () => {
  let executor: KernelExecutor;

  beforeAll(async () => {
    executor = await openExecutor('firefox');
  }, 120_000);
  afterAll(async () => {
    await executor?.close();
  });

  it('says what it is', () => {
    expect(executor.describe()).toMatchObject({ name: 'firefox', lanePlan: planFor(0), subgroupSize: 0 });
    expect(executor.describe().adapter?.host).toMatch(/^firefox\/\d/i);
  });

  it.each(['kernels/scan_warp_odd', 'kernels/stencil_life_odd', 'fuzz-cases/shift_by_active_mask'])(
    'runs %s',
    async (id) => {
      const launch = readCase(join(import.meta.dirname, `../${id}.json`));
      const { outputs } = await executor.run(launch);
      const expected = launch.params.flatMap((param, index) =>
        param.kind === 'buffer' && param.expect ? [[index, param.expect] as const] : [],
      );
      expect(expected.length).toBeGreaterThan(0);
      for (const [index, bytes] of expected) expect(outputs.get(index)).toEqual(bytes);
    },
  );

  it('agrees in every lane', async () => {
    const results = await validate({
      queries: ['shfl.sync:bfly:register'],
      seed: 1,
      exhaustive: false,
      executors: [executor],
    });
    expect(results.map(({ status }) => status)).toEqual(results.map(() => 'pass'));
    expect(totals(results).compared).toBeGreaterThan(1000);
  });
});
