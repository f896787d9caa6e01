// The generator's accesses of other blocks of a cluster: the reference has no findings, and the WGSL
// computes its results.
import { expect, test } from 'vitest';
import { at } from '../../../../src/base/invariants.ts';
import { runOnCpu } from '../../../../src/cpu-ref/executor.ts';
import { compareOutputs } from '../../../../src/harness/compare/compare.ts';
import { generateKernel } from '../../../../src/harness/fuzz/kernels/generate.ts';
import { remotes } from '../../../../src/harness/fuzz/kernels/remotes.ts';
import type { FuzzKernel } from '../../../../src/harness/fuzz/kernels/tree.ts';
import { printKernel } from '../../../../src/harness/fuzz/print/print.ts';
import { effort, inTurn } from '../../../effort.ts';
import { lockstepExecutor } from '../../../lockstep/lockstep-executor.ts';
import { seed, seeded } from '../../../seed.ts';

const rng = seeded('fuzz-clusters');
const executors = inTurn(
  [32, 1, 64, 8].map((size) => lockstepExecutor(size, { maxSteps: 4_000_000 })),
  1,
);

async function check(kernel: FuzzKernel): Promise<void> {
  const launch = printKernel(kernel);
  const { outputs, findings } = runOnCpu(launch, { sanitize: true });
  expect(findings, launch.ptx).toEqual([]);
  for (const executor of executors()) {
    const run = await executor.run(launch);
    expect(compareOutputs(launch, outputs, run.outputs, {}).mismatches, launch.ptx).toBe(0);
  }
}

test.each(remotes.flatMap((how) => Array.from({ length: effort(1, 20) }, () => ({ how, form: rng.u32() }))))(
  '$how, form $form',
  async ({ how, form }) => {
    const statement = { kind: 'cluster', how, d: 1, a: 2, from: 3, form } as const;
    await check({
      id: 'k', dialect: 'common', block: [rng.pick([20, 32, 45, 64]), 1, 1], cluster: rng.pick([2, 3, 4]), blocks: 12, data: seed, names: 'plain', body: [statement, statement], functions: [],
    }); // biome-ignore format: one record
  },
);

test('generated kernels have clusters', async () => {
  const kernels = Array.from({ length: 200 }, (_, index) => generateKernel(seed, index));
  const some = kernels.filter(({ cluster }) => cluster !== undefined);
  expect(some.length).toBeGreaterThan(1);
  await check(at(some, 0, 'a kernel'));
});
