// Every validation suite on subgroups of 16, 32, 64 and 128 invocations, and without subgroups. The
// lockstep interpreter executes the WGSL for such adapters, and each lane is compared as `validate`
// compares it. Only a suite's first blocks run here; adapters run the rest. A short run covers some
// groups of suites of each row on each size, and other groups each time.
import { describe, expect, it } from 'vitest';
import { judge } from '../../../src/harness/compare/judge.ts';
import { suiteGroups } from '../../../src/harness/suites/index.ts';
import { drawn, isLong } from '../../effort.ts';
import { type LockstepOptions, lockstepExecutor } from '../../lockstep/lockstep-executor.ts';

const seed = 20_251_120;

/**
 * Without `subgroup_id`, the shader numbers its subgroups itself. `shuffled` places invocations on
 * subgroups in random order.
 */
const configurations: readonly (LockstepOptions & { readonly size: number })[] = [
  { size: 32, subgroupId: true, invocationOrder: 'linear' },
  { size: 64, subgroupId: true, invocationOrder: 'shuffled', seed },
  { size: 128, subgroupId: false, invocationOrder: 'shuffled', seed },
  { size: 16, subgroupId: false, invocationOrder: 'shuffled', seed },
  { size: 1 },
  { size: 1, shape: 'warp' },
  { size: 32, subgroupId: false, invocationOrder: 'shuffled', seed },
  { size: 64, subgroupId: false, invocationOrder: 'linear' },
  { size: 128, subgroupId: true, invocationOrder: 'linear' },
];

const executors = configurations.map((configuration) => ({
  name: JSON.stringify(configuration),
  size: configuration.size,
  executor: lockstepExecutor(configuration.size, configuration),
}));

/**
 * Whether the row is a product, a load or a store of matrices. In a short run,
 * matrix-suites.test.ts and hopper-suites.test.ts cover these rows.
 */
const isOfMatrices = (row: string): boolean => /^(mma|wmma\.mma|wgmma|..matrix|movmatrix)\b/.test(row);
const groups = suiteGroups().filter(({ suites }) => isLong || !isOfMatrices(suites[0]?.row ?? ''));

/**
 * A short run tests each group of suites with one configuration per subgroup size. The
 * configurations of a size alternate from group to group. A long run tests each group with all
 * configurations.
 */
const runs = groups.flatMap((group, index) =>
  executors.flatMap((each, at) => {
    // An instruction of one lane does not depend on the subgroup.
    if (group.suites[0]?.form === 'lane' && each.size !== 32) return [];
    const alike = executors.flatMap((other, place) => (other.size === each.size ? [place] : []));
    if (!isLong && alike[index % alike.length] !== at) return [];
    const id = group.suites[0]?.id ?? '';
    return [{ ...each, id, group, row: id.split(':')[0] ?? '', isOfLane: group.suites[0]?.form === 'lane' }];
  }),
);
const most = 90;

/**
 * Returns the family of a row: asynchronous copies, asynchronous barriers, or surfaces and queries.
 * Every other row is a family.
 */
const familyOf = (row: string): string =>
  /^(cp|st|red|tensormap)\./.test(row)
    ? 'asynchronous copies'
    : /^(mbarrier|barrier\.cluster)/.test(row)
      ? 'asynchronous barriers'
      : /^su(ld|st|red|q)\b|^txq/.test(row)
        ? 'surfaces and queries'
        : row;

/**
 * The kind of a run. Texture lookups of all sizes are one kind: their shaders are long and do not
 * depend on the size, and textures.test.ts runs them on all sizes in turn. Instructions of one lane
 * are also one kind, because wgsl-lane-rows.test.ts covers each of them.
 */
const kindOf = ({ row, size, isOfLane }: (typeof runs)[number]): string =>
  isOfLane ? 'one lane' : /^(tex|tld4)\b/.test(row) ? 'lookups' : `${familyOf(row)} ${size}`;

describe('suites in lockstep', () => {
  it('are complete', () => {
    expect(groups.length).toBeGreaterThan(50);
  });

  it.each(drawn(runs, most, kindOf))('$id and similar ones, $name', async (run) => {
    const { group, name, executor } = run;
    const warps = Math.min(2 * group.blockWarps, group.warps.sample);
    const ids = new Set(group.suites.map(({ id }) => id));
    const batch = group.build({ ids, variant: undefined, firstWarp: 0, warps, seed });
    const { outputs } = await executor.run(batch.launch);
    const answer = { name, native: false, outputs };
    const tallies = [...judge(batch, answer, { only: undefined, answers: [answer] })];
    const failed = tallies.flatMap(([{ id }, { mismatches, first }]) => (mismatches > 0 ? [{ id, first }] : []));
    expect(failed).toEqual([]);
    expect(tallies.reduce((sum, [, { compared }]) => sum + compared, 0)).toBeGreaterThan(0);
  });
});
