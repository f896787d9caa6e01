// The generator's copies of boxes and products of warpgroups: the WGSL computes the reference's
// results.
import { expect, test } from 'vitest';
import { compareOutputs } from '../../../../src/harness/compare/compare.ts';
import { cpuExecutor } from '../../../../src/harness/executors/cpu-executor.ts';
import { generateKernel } from '../../../../src/harness/fuzz/kernels/generate.ts';
import { type MapOrigin, mapOrigins } from '../../../../src/harness/fuzz/kernels/map-origins.ts';
import type { FuzzKernel } from '../../../../src/harness/fuzz/kernels/tree.ts';
import { printKernel } from '../../../../src/harness/fuzz/print/print.ts';
import { warpgroupRows } from '../../../../src/harness/suites/matrix/warpgroup-suites.ts';
import { copyRows } from '../../../../src/harness/suites/tensor/draw-box.ts';
import { isPixelRow } from '../../../../src/isa/row-names.ts';
import { parsePtx } from '../../../../src/ptx/index.ts';
import { drawn, effort } from '../../../effort.ts';
import { lockstepExecutor } from '../../../lockstep/lockstep-executor.ts';
import { seed, seeded } from '../../../seed.ts';

const rng = seeded('fuzz-tensors');
const rowOf = (rows: typeof copyRows) => rows[rng.below(rows.length)]?.name ?? '';
const boxes = (count: number, origins: readonly MapOrigin[], rows: typeof copyRows) =>
  origins.flatMap((map) =>
    Array.from({ length: count }, () => {
      return { kind: 'box', row: rowOf(rows), d: 1, from: 2, form: rng.u32(), map } as const;
    }),
  );
const products = Array.from({ length: effort(1, 40) }, () => {
  return { kind: 'warpgroup', row: rowOf(warpgroupRows), d: 1, from: 2, form: rng.u32() } as const;
});

const kernelOf = (body: FuzzKernel['body']): FuzzKernel => ({
  id: 'k', dialect: 'hopper', block: [128, 1, 1], blocks: 2, data: seed, names: 'plain', body, functions: [],
}); // biome-ignore format: one record

const tileRows = copyRows.filter(({ name }) => !isPixelRow(name));
const statements = [
  ...boxes(effort(1, 40), ['parameter'], copyRows),
  ...boxes(effort(1, 20), drawn(mapOrigins.slice(1), 1), tileRows),
  ...products,
];

test.each(statements)('$row, form $form', async (statement) => {
  const launch = printKernel(kernelOf([statement]));
  expect(launch.ptx).toContain(statement.kind === 'box' ? 'tensor' : 'wgmma.mma_async');
  const reference = await cpuExecutor().run(launch);
  const executor = lockstepExecutor(32, { matrix: 'ieee' });
  expect(compareOutputs(launch, reference.outputs, (await executor.run(launch)).outputs, {}).mismatches).toBe(0);
});

test('generated kernels contain them, and parse', () => {
  const kernels = Array.from({ length: 150 }, (_, index) => generateKernel(7, index));
  const some = kernels.filter(({ body }) => body.some(({ kind }) => kind === 'box' || kind === 'warpgroup'));
  expect(some.length).toBeGreaterThan(4);
  const launches = some.slice(0, 3).map(printKernel);
  expect(
    launches.flatMap(({ ptx }) =>
      parsePtx(ptx, { file: 'k.ptx' }).diagnostics.filter(({ severity }) => severity === 'error'),
    ),
  ).toEqual([]);
});
