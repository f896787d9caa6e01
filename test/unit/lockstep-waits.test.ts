// Lanes and warps that wait for each other through memory, in lockstep, on subgroups of every kind.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compareOutputs, expectedOutputs } from '../../src/harness/compare/compare.ts';
import { readCase } from '../../src/harness/launches/case-file-node.ts';
import { drawn } from '../effort.ts';
import { lockstepExecutor } from '../lockstep/lockstep-executor.ts';

const folder = join(import.meta.dirname, '../kernels');
const cases = readdirSync(folder)
  .filter((file) => file.startsWith('wait_') && file.endsWith('.json'))
  .map((file) => file.slice(0, -'.json'.length));

/// Size 1 is the portable plan.
const sizes = [16, 32, 64, 1] as const;
type Size = (typeof sizes)[number];

/// A lane that never gets its turn runs for this many statements, not for millions.
const maxSteps = 1_000_000;
const executors = new Map(
  sizes.map((size) => [size, lockstepExecutor(size, { maxSteps, invocationOrder: 'shuffled', seed: size })]),
);

/// What the shaders cannot do yet: a lane or a warp there never gets its turn, or takes a value from the wrong time.
const unsupported: Readonly<Record<string, readonly Size[]>> = {
  wait_barrier_by_hand: [16, 32, 64, 1],
  wait_both_ways_global: [16, 32, 64, 1],
  wait_both_ways_shared: [16, 32, 64, 1],
  wait_lock_called: [16, 32, 64],
  wait_lock_pairs: [16, 32, 64],
  wait_lock_warps: [64, 1],
  wait_ping_pong_generic: [16, 32, 64, 1],
  wait_ping_pong_global: [16, 32, 64, 1],
  wait_ping_pong_shared: [16, 32, 64, 1],
  wait_producers_lanes: [16, 32, 64, 1],
  wait_producers_warps: [16, 32, 64, 1],
  wait_ring_global: [16, 32, 64, 1],
  wait_ring_lanes: [16, 32, 64, 1],
  wait_ring_shared: [16, 32, 64, 1],
  wait_semaphore_bounded: [16, 32, 64, 1],
  wait_ticket_block_global: [16, 32, 64],
  wait_ticket_lanes_shared: [16, 32, 64],
  wait_ticket_warps_generic: [64, 1],
  wait_tree_both: [16, 32, 64, 1],
  wait_tree_down: [16, 32, 64, 1],
  wait_tree_up: [16, 32, 64, 1],
  wait_turns_generic: [16, 32, 64, 1],
  wait_turns_shared: [16, 32, 64, 1],
  wait_warps_in_turn_global: [16, 32, 64, 1],
  wait_warps_in_turn_shared: [16, 32, 64, 1],
  wait_weak_after_barrier: [1],
};

test('every unsupported case exists', () => {
  expect(Object.keys(unsupported).filter((name) => !cases.includes(name))).toEqual([]);
});

describe('waiting in lockstep', () => {
  const supported = cases.flatMap((name) =>
    sizes.filter((size) => !unsupported[name]?.includes(size)).map((size) => ({ name, size })),
  );

  /// In a short run each case on one size at least, others each time.
  test.each(drawn(supported, 40, ({ name }) => name))('$name on subgroups of $size', async ({ name, size }) => {
    const launch = readCase(join(folder, `${name}.json`));
    const executor = executors.get(size);
    if (executor === undefined) throw new RangeError(`no executor for size ${size}`);
    const { outputs } = await executor.run(launch);
    const { compared, mismatches, first } = compareOutputs(launch, expectedOutputs(launch), outputs, {});
    expect({ mismatches, first }).toEqual({ mismatches: 0, first: undefined });
    expect(compared).toBeGreaterThan(0);
  });
});
