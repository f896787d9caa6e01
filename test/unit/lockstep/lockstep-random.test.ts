// Random kernels with nested control flow, on subgroups of 32, 64 and 128 invocations and without
// subgroups, against the reference interpreter.
import { describe, expect, it } from 'vitest';
import { compareOutputs } from '../../../src/harness/compare/compare.ts';
import { cpuExecutor } from '../../../src/harness/executors/cpu-executor.ts';
import { planFor } from '../../../src/translate/index.ts';
import { effort, inTurn } from '../../effort.ts';
import { lockstepExecutor, translateLaunch } from '../../lockstep/lockstep-executor.ts';
import { type KernelStyle, randomKernel } from '../../lockstep/random-kernel.ts';

const reference = cpuExecutor();

const executors = [
  lockstepExecutor(32, { invocationOrder: 'shuffled', seed: 3 }),
  lockstepExecutor(64, { subgroupId: false, invocationOrder: 'shuffled', seed: 4 }),
  lockstepExecutor(128),
  lockstepExecutor(1, { invocationOrder: 'shuffled', seed: 5 }),
  lockstepExecutor(1, { shape: 'warp' }),
];

/** A short run uses two executors for each kernel, in turn. */
const nextExecutors = inTurn(executors, 2);

const seedsFrom = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index);

/** The seeds include some for which a wrong compiler lets only some subgroups reach a barrier. */
const seeds: Readonly<Record<KernelStyle, readonly number[]>> = {
  structured: [18, 19, 29, ...seedsFrom(500, effort(3, 27))],
  groups: seedsFrom(500, effort(4, 30)),
};

describe.each(['structured', 'groups'] as const)('random kernels, %s', (style) => {
  it.each(seeds[style])('seed %d', async (seed) => {
    const launch = randomKernel(seed, style);
    const { outputs: expected, undefinedMasks } = await reference.run(launch);
    for (const executor of nextExecutors()) {
      const { outputs } = await executor.run(launch);
      const size = executor.describe().subgroupSize;
      const { compared, mismatches, first } = compareOutputs(
        launch,
        expected,
        outputs,
        undefinedMasks ? { undefinedMasks } : {},
      );
      expect({ size, mismatches, first }).toMatchObject({ mismatches: 0 });
      expect(compared).toBeGreaterThan(0);
    }
  });

  it('get the control mode of their style', () => {
    const count = effort(15, 30);
    const modes = seedsFrom(500, count).map((seed) => translateLaunch(randomKernel(seed, style), planFor(32)).mode);
    const countOf = (mode: string) => modes.filter((other) => other === mode).length;
    expect(countOf('structured')).toBeGreaterThan(count / 4);
    if (style === 'groups') expect(countOf('dispatch')).toBeGreaterThan(count / 4);
  });
});
