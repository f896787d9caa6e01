// Addresses of shared and local memory, computed in many ways, against the reference interpreter.
import { describe, expect, it } from 'vitest';
import { compareOutputs } from '../../../src/harness/compare/compare.ts';
import { cpuExecutor } from '../../../src/harness/executors/cpu-executor.ts';
import { effort, inTurn } from '../../effort.ts';
import { lockstepExecutor } from '../../lockstep/lockstep-executor.ts';
import { randomAddresses } from '../../lockstep/random-addresses.ts';

const reference = cpuExecutor();
const nextExecutors = inTurn(
  [32, 64, 4, 1].map((size) => lockstepExecutor(size)),
  3,
);
const seeds = Array.from({ length: effort(5, 60) }, (_, index) => index);

describe.each([false, true])('random addresses, shuffles: %s', (shuffles) => {
  it.each(seeds)('seed %d', async (seed) => {
    const launch = randomAddresses(seed, shuffles);
    const { outputs: expected, undefinedMasks } = await reference.run(launch);
    for (const executor of nextExecutors()) {
      const { outputs } = await executor.run(launch);
      const given = undefinedMasks ? { undefinedMasks } : {};
      const { compared, undefined: unchecked, mismatches, first } = compareOutputs(launch, expected, outputs, given);
      const { subgroupSize } = executor.describe();
      expect({ subgroupSize, unchecked, mismatches, first }).toMatchObject({ unchecked: 0, mismatches: 0 });
      expect(compared).toBeGreaterThan(0);
    }
  });
});
