// Launches that no adapter can run are refused before they reach one.
import { expect, test } from 'vitest';
import { planFor } from '../../../../src/base/lane-plan.ts';
import type { Dim3, Launch } from '../../../../src/base/launch.ts';
import { makeJob } from '../../../../src/harness/executors/kernel-job.ts';
import { loadKernel } from '../../../../src/harness/executors/load-kernel.ts';
import { translate } from '../../../../src/translate/index.ts';

const ptx = `.version 7.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .b64 %out;
  .reg .b32 %block;
  ld.param.u64 %out, [out];
  mov.u32 %block, %ctaid.x;
  st.global.u32 [%out], %block;
  ret;
}
`;

function jobOf(grid: Dim3) {
  const launch: Launch = {
    id: 'wide',
    group: '',
    ptx,
    ptxFile: 'k.ptx',
    entry: 'k',
    grid,
    block: [32, 1, 1],
    sharedBytes: 0,
    params: [{ name: 'out', kind: 'buffer', type: 'u32', bytes: 4 }],
  };
  const { program } = translate(loadKernel(launch), {
    grid,
    block: launch.block,
    plan: planFor(32),
    float: { mode: 'exact', denormals: 'flushed', fma: 'fused', contracts: false, div: 'approx', sqrt: 'approx' },
  });
  return program && makeJob(program, launch);
}

test.each<[Dim3, string]>([
  [[65_535, 1, 1], 'unchanged'],
  [[2 ** 31 - 1, 1, 1], 'folded'],
])('%j blocks are dispatched %s', (grid) => {
  const [x = 0, y = 0, z = 0] = jobOf(grid)?.workgroups ?? [];
  for (const size of [x, y, z]) expect(size).toBeLessThanOrEqual(65_535);
  expect(x * y * z).toBeGreaterThanOrEqual(grid[0]);
});

test('2^32 blocks are refused', () => {
  expect(() => jobOf([65_536, 65_535, 2])).toThrow(
    expect.objectContaining({ kind: 'validation', message: expect.stringContaining('8589803520 blocks') }),
  );
});
