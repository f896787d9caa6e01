// Lanes and warps that wait for each other through memory, in lockstep, on subgroups of every kind.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compareOutputs, expectedOutputs } from '../../../src/harness/compare/compare.ts';
import { readCase } from '../../../src/harness/launches/case-file-node.ts';
import { drawn } from '../../effort.ts';
import { lockstepExecutor } from '../../lockstep/lockstep-executor.ts';

const folder = join(import.meta.dirname, '../../kernels');
const cases = readdirSync(folder)
  .filter((file) => file.startsWith('wait_') && file.endsWith('.json'))
  .map((file) => file.slice(0, -'.json'.length));

/** The subgroup sizes of the plans. Size 1 is the portable plan. */
const sizes = [16, 32, 64, 1] as const;

/**
 * The maximum number of statements. It is below the default, so that a kernel with a starved lane
 * ends early.
 */
const maxSteps = 1_000_000;
const executors = new Map(
  sizes.map((size) => [size, lockstepExecutor(size, { maxSteps, invocationOrder: 'shuffled', seed: size })]),
);

describe('waiting in lockstep', () => {
  const all = cases.flatMap((name) => sizes.map((size) => ({ name, size })));

  /** A short run covers each case on at least one size, and other sizes each time. */
  test.each(drawn(all, 24, ({ name }) => name))('$name on subgroups of $size', async ({ name, size }) => {
    const launch = readCase(join(folder, `${name}.json`));
    const executor = executors.get(size);
    if (executor === undefined) throw new RangeError(`no executor for size ${size}`);
    const { outputs } = await executor.run(launch);
    const { compared, mismatches, first } = compareOutputs(launch, expectedOutputs(launch), outputs, {});
    expect({ mismatches, first }).toEqual({ mismatches: 0, first: undefined });
    expect(compared).toBeGreaterThan(0);
  });
});
