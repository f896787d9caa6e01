// Matrix products, loads, stores and transpositions on every lane plan: the WGSL in lockstep, and
// the reference's interpreter.
import { describe, expect, it } from 'vitest';
import { judge } from '../../../../src/harness/compare/judge.ts';
import { cpuExecutor } from '../../../../src/harness/executors/cpu-executor.ts';
import type { KernelExecutor } from '../../../../src/harness/executors/executor.ts';
import { matrixAccessGroups } from '../../../../src/harness/suites/matrix/access-suites.ts';
import { productGroups } from '../../../../src/harness/suites/matrix/product-suites.ts';
import type { SuiteGroup } from '../../../../src/harness/suites/types.ts';
import { isLong } from '../../../effort.ts';
import { lockstepExecutor } from '../../../lockstep/lockstep-executor.ts';

const executors: readonly (readonly [string, KernelExecutor])[] = [
  ['the reference', cpuExecutor()],
  ...[32, 64, 128, 16, 1].map((size) => [`subgroups of ${size}`, lockstepExecutor(size)] as const),
];

const groups = [...productGroups(), ...matrixAccessGroups()].filter(({ onlyAsked }) => isLong || !onlyAsked);
/** Each group runs on one executor, in rotation. A long run tests all executors. */
const runs = groups.flatMap((group, index) =>
  executors.flatMap(([name, executor], at): [string, string, SuiteGroup, KernelExecutor][] =>
    isLong || (at - index) % executors.length === 0 ? [[group.suites[0]?.id ?? '', name, group, executor]] : [],
  ),
);

describe('suites of matrices', () => {
  it.each(runs)('%s and similar suites on %s', async (_id, _name, group, executor) => {
    const ids = new Set(group.suites.map(({ id }) => id));
    const warps = 128 / 32 + group.blockWarps;
    const batch = group.build({ ids, variant: undefined, firstWarp: 0, warps, seed: 7 });
    const { outputs } = await executor.run(batch.launch);
    const answer = { name: 'own', native: false, outputs };
    const tallies = [...judge(batch, answer, { only: undefined, answers: [answer] })];
    expect(tallies.flatMap(([{ id }, { mismatches, first }]) => (mismatches > 0 ? [{ id, first }] : []))).toEqual([]);
    expect(tallies.reduce((sum, [, { compared }]) => sum + compared, 0)).toBeGreaterThan(0);
  });
});
