// Shaders that compute the sums of Hopper's tensor cores must match the reference bit by bit. The
// tests cover every floating-point form whose sums PTX leaves open, each kind of plan, and adapters
// that flush.
import { describe, expect, it } from 'vitest';
import { judge } from '../../../../src/harness/compare/judge.ts';
import { suiteGroups } from '../../../../src/harness/suites/index.ts';
import { contents } from '../../../../src/harness/suites/matrix/product-values.ts';
import { drawn } from '../../../effort.ts';
import { type LockstepOptions, lockstepExecutor } from '../../../lockstep/lockstep-executor.ts';

const seed = 20_261_124;
const configurations: readonly (LockstepOptions & { readonly size: number })[] = [
  { size: 32, flushes: true },
  { size: 64, flushes: true },
  { size: 8, flushes: true },
  { size: 1 },
  { size: 1, shape: 'warp' },
];

const isOpen = (id: string): boolean => /^(wmma\.)?mma\./.test(id) && /\b(b?f16|tf32|e\dm\d)\b/.test(id);
const suites = suiteGroups().flatMap((group) => group.suites.flatMap(({ id }) => (isOpen(id) ? [{ id, group }] : [])));
const runs = suites.flatMap((suite, index) =>
  configurations.flatMap(({ size, ...options }, at) =>
    index % configurations.length === at ? [{ ...suite, size, options }] : [],
  ),
);
/** Returns the name of the ISA row and the types, in the order in which the id contains them. */
const kindOf = ({ id }: (typeof runs)[number]): string => `${/^[\w.]+/.exec(id)} ${id.match(/\b(b?f\d\d|tf32)\b/g)}`;

describe('sums of tensor cores in shaders', () => {
  it.each(drawn(runs, 8, kindOf))('$id, $size $options', async ({ id, group, size, options }) => {
    const executor = lockstepExecutor(size, { ...options, matrix: 'hopper' });
    const batch = group.build({ ids: new Set([id]), variant: undefined, firstWarp: 0, warps: contents.length, seed });
    const { outputs } = await executor.run(batch.launch);
    const answer = { name: 'lockstep', native: false, matrix: 'hopper', outputs } as const;
    for (const { mismatches, compared, first } of judge(batch, answer, {
      only: undefined,
      answers: [answer],
    }).values()) {
      expect({ mismatches, first }).toEqual({ mismatches: 0, first: undefined });
      expect(compared).toBeGreaterThan(0);
    }
  });
});
