// Pointers and 64-bit numbers, which PTX does not distinguish, made and mixed in many ways, against
// the reference interpreter.
import { describe, expect, it } from 'vitest';
import { compareOutputs } from '../../../src/harness/compare/compare.ts';
import { cpuExecutor } from '../../../src/harness/executors/cpu-executor.ts';
import { effort, inTurn } from '../../effort.ts';
import { lockstepExecutor } from '../../lockstep/lockstep-executor.ts';
import { randomPointers } from '../../lockstep/random-pointers.ts';

const reference = cpuExecutor();
const nextExecutors = inTurn(
  [true, false].flatMap((knowsPointers) => [32, 4, 1, 64].map((size) => lockstepExecutor(size, { knowsPointers }))),
  2,
);

const seeds = Array.from({ length: effort(6, 150) }, (_, index) => index);

describe('random pointers', () => {
  it.each(seeds)('seed %d', async (seed) => {
    const launch = randomPointers(seed);
    const { outputs: expected, undefinedMasks } = await reference.run(launch);
    for (const executor of nextExecutors()) {
      const { outputs } = await executor.run(launch);
      const given = undefinedMasks ? { undefinedMasks } : {};
      const { compared, undefined: unchecked, mismatches, first } = compareOutputs(launch, expected, outputs, given);
      const { subgroupSize } = executor.describe();
      expect({ subgroupSize, unchecked, mismatches, first }, launch.ptx).toMatchObject({ unchecked: 0, mismatches: 0 });
      expect(compared).toBeGreaterThan(0);
    }
  });
});
