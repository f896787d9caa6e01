// Suites of tensor maps and of products of warpgroups on lane plans in rotation. A short run draws
// a few of them.
import { expect, it } from 'vitest';
import { judge } from '../../../../src/harness/compare/judge.ts';
import { cpuExecutor } from '../../../../src/harness/executors/cpu-executor.ts';
import { warpgroupGroups } from '../../../../src/harness/suites/matrix/warpgroup-suites.ts';
import { boxSuiteGroups } from '../../../../src/harness/suites/tensor/box-suites.ts';
import { mapSuiteGroups } from '../../../../src/harness/suites/tensor/map-suites.ts';
import { drawn } from '../../../effort.ts';
import { lockstepExecutor } from '../../../lockstep/lockstep-executor.ts';
import { seed } from '../../../seed.ts';

const executors = [cpuExecutor(), ...[32, 64, 16, 1].map((size) => lockstepExecutor(size))] as const;
const kinds = [warpgroupGroups(), boxSuiteGroups(), mapSuiteGroups()];
const groups = kinds.flatMap((groups) =>
  drawn(
    groups.filter(({ onlyAsked }) => !onlyAsked),
    1,
    () => '',
  ),
);

it.each(groups.map((group, index) => ({ id: group.suites[0]?.id ?? '', group, index })))(
  '$id',
  async ({ group, index }) => {
    const executor = executors[(index + seed) % executors.length] ?? executors[0];
    const ids = new Set(group.suites.map(({ id }) => id));
    for (let block = 0; block < 2; block++) {
      const choice = { ids, variant: undefined, firstWarp: block * group.blockWarps, warps: group.blockWarps, seed };
      const batch = group.build(choice);
      const { outputs } = await executor.run(batch.launch);
      const answer = { name: 'own', native: false, outputs };
      const tallies = [...judge(batch, answer, { only: undefined, answers: [answer] })];
      expect(tallies.flatMap(([{ id }, { mismatches, first }]) => (mismatches > 0 ? [{ id, first }] : []))).toEqual([]);
      expect(tallies.reduce((sum, [, { compared }]) => sum + compared, 0)).toBeGreaterThan(0);
    }
  },
);
