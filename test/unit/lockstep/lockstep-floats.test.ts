// Random chains of f32 arithmetic on an adapter that flushes subnormals, against the reference. A
// shared guard must be as strict as the separate guards of its operations.
import { expect, it } from 'vitest';
import type { Launch } from '../../../src/base/launch.ts';
import { compareOutputs } from '../../../src/harness/compare/compare.ts';
import { cpuExecutor } from '../../../src/harness/executors/cpu-executor.ts';
import { effort } from '../../effort.ts';
import { lockstepExecutor } from '../../lockstep/lockstep-executor.ts';
import { randomFloats } from '../../lockstep/random-floats.ts';
import { randomReductions } from '../../lockstep/random-reductions.ts';

const reference = cpuExecutor();
/**
 * The executors. The seed of a kernel selects one of them. Most kernels run on `native`, which has
 * the plan of NVIDIA's adapters.
 */
const native = lockstepExecutor(32, { flushes: true, invocationOrder: 'shuffled', seed: 3 });
const narrow = lockstepExecutor(8, { flushes: true });
const portable = lockstepExecutor(1, { flushes: true, invocationOrder: 'shuffled', seed: 5 });
const executorOf = (seed: number) => (seed % 6 === 4 ? narrow : seed % 6 === 5 ? portable : native);

/**
 * Seeds whose kernels exposed planted or real faults: a missing or weak test, a bit that is always
 * set, a NaN that is not canonical.
 */
const telling = [2, 11, 23, 29, 30];
const seeds = [...telling, ...Array.from({ length: effort(1, 300) }, (_, index) => 40 + index)];

/**
 * The seeds of reductions. With the first seed, a wrong guard would let a lane trust a value from a
 * lane whose guard failed.
 */
const reductions = [13, ...Array.from({ length: effort(5, 600) }, (_, seed) => 20 + seed)];

it.each(seeds)('seed %d', (seed) => agrees(randomFloats(seed), seed));
it.each(reductions)('reductions of seed %d', (seed) => agrees(randomReductions(seed), seed));

async function agrees(launch: Launch, seed: number): Promise<void> {
  const { outputs: expected, undefinedMasks } = await reference.run(launch);
  const { outputs } = await executorOf(seed).run(launch);
  const { compared, mismatches, first } = compareOutputs(
    launch,
    expected,
    outputs,
    undefinedMasks ? { undefinedMasks } : {},
  );
  expect({ mismatches, first }).toMatchObject({ mismatches: 0 });
  expect(compared).toBeGreaterThan(0);
}
