// Tests Firefox, which has a different shader compiler and no subgroups.
import { join } from 'node:path';
import puppeteer, { type Browser } from 'puppeteer';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { KernelExecutor } from '../../src/harness/executors/executor.ts';
import { openExecutor } from '../../src/harness/executors/open-executor.ts';
import { readCase } from '../../src/harness/launches/case-file-node.ts';
import { totals } from '../../src/harness/runs/results.ts';
import { validate } from '../../src/harness/runs/validate.ts';
import { findFirefox } from '../../src/harness/webgpu/browser/find-browser.ts';
import { planFor } from '../../src/translate/index.ts';
import { toured, tourIn } from '../gpu/runtime-tour.ts';

function hasFirefox(): boolean {
  try {
    return findFirefox() !== '';
  } catch {
    return false;
  }
}

describe.skipIf(!hasFirefox())('firefox', () => {
  let executor: KernelExecutor;
  /** The executor's browser, which takes seconds to start. */
  let browser: Browser | undefined;

  beforeAll(async () => {
    const launch = vi.spyOn(puppeteer, 'launch');
    executor = await openExecutor('firefox');
    browser = await launch.mock.results[0]?.value;
    launch.mockRestore();
  }, 120_000);
  afterAll(async () => {
    await executor?.close();
  });

  it('describes the browser', () => {
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

  it('runs the runtime in a page', { timeout: 120_000 }, async () => {
    if (!browser) throw new Error('the executor has started no browser');
    expect(await tourIn(browser)).toEqual(toured);
  });
});
