// Every validation suite on subgroups of 32, 64 and 128 invocations, of 16, and without any: the WGSL that such adapters get, executed by the
// lockstep interpreter, each lane compared as `validate` compares it. A suite's first blocks only; adapters run the rest.
import { describe, expect, it } from 'vitest';
import { judge } from '../../src/harness/compare/judge.ts';
import { suiteGroups } from '../../src/harness/suites/index.ts';
import { isLong } from '../effort.ts';
import { type LockstepOptions, lockstepExecutor } from '../lockstep/lockstep-executor.ts';

const seed = 20_251_120;

/// Without `subgroup_id` the shader numbers its subgroups itself; shuffled, invocations lie on subgroups in no order.
const configurations: readonly (LockstepOptions & { readonly size: number })[] = [
  { size: 32, subgroupId: true, invocationOrder: 'linear' },
  { size: 64, subgroupId: true, invocationOrder: 'shuffled', seed },
  { size: 128, subgroupId: false, invocationOrder: 'shuffled', seed },
  { size: 16, subgroupId: false, invocationOrder: 'shuffled', seed },
  { size: 1 },
  { size: 32, subgroupId: false, invocationOrder: 'shuffled', seed },
  { size: 64, subgroupId: false, invocationOrder: 'linear' },
  { size: 128, subgroupId: true, invocationOrder: 'linear' },
];

const executors = configurations.map((configuration) => ({
  name: JSON.stringify(configuration),
  size: configuration.size,
  executor: lockstepExecutor(configuration.size, configuration),
}));

/// One of each size, in turn; in a long run all of them.
const executorsOf = (index: number) =>
  executors.filter(({ size }, at) => {
    const alike = executors.flatMap((other, place) => (other.size === size ? [place] : []));
    return isLong || alike[index % alike.length] === at;
  });

const groups = suiteGroups().map((group, index) => [group.suites[0]?.id ?? '', group, index] as const);

describe('suites in lockstep', () => {
  it('are all there', () => {
    expect(groups.length).toBeGreaterThan(50);
  });

  it.each(groups)('%s and its like', async (_, group, index) => {
    const warps = Math.min(2 * group.blockWarps, group.warps.sample);
    const ids = new Set(group.suites.map(({ id }) => id));
    const batch = group.build({ ids, variant: undefined, firstWarp: 0, warps, seed });
    for (const { name, executor } of executorsOf(index)) {
      const { outputs } = await executor.run(batch.launch);
      const answer = { name, native: false, outputs };
      const tallies = [...judge(batch, answer, { only: undefined, answers: [answer] })];
      const failed = tallies.flatMap(([{ id }, { mismatches, first }]) => (mismatches > 0 ? [{ id, first }] : []));
      expect(failed, name).toEqual([]);
      expect(
        tallies.reduce((sum, [, { compared }]) => sum + compared, 0),
        name,
      ).toBeGreaterThan(0);
    }
  });
});
