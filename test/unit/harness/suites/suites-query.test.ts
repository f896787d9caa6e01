import { describe, expect, it } from 'vitest';
import { isBrief } from '../../../../src/cli/validate.ts';
import type { KernelExecutor } from '../../../../src/harness/executors/executor.ts';
import { briefGroups } from '../../../../src/harness/suites/brief-selection.ts';
import { groupsFor, planLaunches, QueryError, selectFrom, suiteGroups } from '../../../../src/harness/suites/index.ts';
import type { SuiteGroup } from '../../../../src/harness/suites/types.ts';

const suites = suiteGroups().flatMap((group) => group.suites);
const select = (...queries: string[]) => [...selectFrom(suiteGroups(), queries).suites.keys()];

describe('selectFrom', () => {
  it('selects everything without a query', () => {
    expect(select()).toHaveLength(suites.length);
  });

  it.each([
    ['shfl.sync', /^shfl\.sync:/],
    ['shfl', /^shfl:/],
    ['shfl.sync:bfly', /^shfl\.sync:bfly:/],
    ['*:*:guard', /^[^:]+:[^:]+:guard$/],
    ['vote.sync::arms', /^vote\.sync:[^:]+:arms$/],
    ['redux.sync*:m*', /^redux\.sync[^:]*:m/],
    ['activemask:guard', /^activemask:guard$/],
  ])('%s', (query, pattern) => {
    expect(select(query)).toEqual(suites.map(({ id }) => id).filter((id) => pattern.test(id)));
    expect(select(query).length).toBeGreaterThan(0);
  });

  it('accepts any number of stars without enumerating their matches', () => {
    expect(select(`${'*'.repeat(5000)}:guard`)).toEqual(select('*:guard'));
    expect(() => select(`${'*'.repeat(5000)}!`)).toThrow(QueryError);
  });

  it('accepts several queries, and single cases beside whole suites', () => {
    const { suites: chosen } = selectFrom(suiteGroups(), [
      'activemask:guard#4',
      'activemask:guard#9',
      'elect.sync:groups',
    ]);
    expect(chosen.get('activemask:guard')).toEqual(new Set([4, 9]));
    expect(chosen.get('elect.sync:groups')).toBe('all');
    expect(chosen.size).toBe(2);
  });

  it.each([
    ['shfl.snyc:up', 'shfl.sync:up'],
    ['vote.sync:al', 'vote.sync:all'],
    ['matchany', 'match.any.sync'],
    ['elect.sync:gaurd#3', 'elect.sync:guard'],
  ])('%s: names %s', (query, nearest) => {
    expect(() => select(query)).toThrow(QueryError);
    expect(() => select(query)).toThrow(nearest);
  });

  it.each(['', '#3', 'shfl.sync#x'])('refuses %j', (query) => {
    expect(() => select(query)).toThrow(QueryError);
  });
});

describe('planLaunches', () => {
  it.each([[['shfl.sync:up', 'add.f32']], [['add', 'vote']], [['*:*:guard#3', 'vadd']], [[':sat']]])(
    '%j: builds only the groups of some rows, and selects the same suites',
    (queries) => {
      const all = suiteGroups();
      const some = groupsFor(queries);
      const { suites: chosen } = selectFrom(all, queries);
      expect(selectFrom(some, queries).suites).toEqual(chosen);
      const firsts = (groups: readonly SuiteGroup[]) =>
        groups.filter(({ suites }) => suites.some(({ id }) => chosen.has(id))).map(({ suites }) => suites[0]?.id);
      expect(firsts(some)).toEqual(firsts(all));
    },
  );

  it('builds no lane family for a warp instruction, and suggests ids of all families', () => {
    expect(groupsFor(['elect.sync']).some(({ suites }) => suites[0]?.form === 'lane')).toBe(false);
    expect(() => planLaunches({ queries: ['elect.sync', 'adds32'], seed: 1, exhaustive: false })).toThrow(/add/);
  });

  it('runs the one block that holds a single case', () => {
    const [launch, ...others] = planLaunches({ queries: ['shfl.sync:up:immediate#77'], seed: 1, exhaustive: false });
    expect(others).toEqual([]);
    const [suite] = launch?.suites ?? [];
    expect(launch?.only).toBe(77);
    expect(launch?.choice.variant).toBe(77 % (suite?.variants ?? 1));
    expect(launch?.build().slots.map(({ result }) => result)).toEqual(['d', 'p']);
  });

  it('briefly: some suites of every instruction, in a quarter of the kernels, and every suite for some seed', () => {
    const all = groupsFor([]);
    const idsOf = (groups: readonly SuiteGroup[]) => groups.flatMap((group) => group.suites.map(({ id }) => id));
    const rowsOf = (groups: readonly SuiteGroup[]) => new Set(idsOf(groups).map((id) => id.split(':')[0]));
    const count = idsOf(all).length;
    const seen = new Set<string>();
    // Seeing every suite needs many seeds, because a seed draws few of the suites of texture
    // lookups.
    for (let seed = 0; seed < 128 && seen.size < count; seed++) {
      const some = briefGroups(all, seed);
      for (const id of idsOf(some)) seen.add(id);
      if (seed >= 64) continue;
      expect(some.length).toBeLessThan(all.length / 4);
      expect(idsOf(some).length).toBeLessThan(count / 4);
      expect(rowsOf(some)).toEqual(rowsOf(all));
    }
    expect(seen.size).toBe(count);
    const launches = (brief: boolean) => planLaunches({ queries: [], seed: 1, exhaustive: false, brief });
    expect(launches(true).length).toBeLessThan(launches(false).length / 4);
    const [one] = launches(true);
    expect(one?.choice.ids).toEqual(new Set(one?.suites.map(({ id }) => id)));
  });
});

describe('a run without queries', () => {
  const nothing = { features: [], wgslFeatures: [], limits: {}, flags: [], subgroupMinSize: 4, subgroupMaxSize: 4 };
  const names = { host: '', vendor: '', architecture: '', device: '', description: '' };
  const machine = (software?: boolean): Pick<KernelExecutor, 'describe'> => ({
    describe: () => ({
      name: 'dawn',
      ...(software === undefined ? {} : { adapter: { ...names, ...nothing, software } }),
    }),
  });

  it('is brief if every adapter is software, unless an option says otherwise', () => {
    expect(isBrief([], {}, [machine(true)])).toBe(true);
    expect(isBrief([], {}, [machine(true), machine()])).toBe(true);
    expect(isBrief([], {}, [machine(true), machine(false)])).toBe(false);
    expect(isBrief([], {}, [machine()])).toBe(false);
    expect(isBrief(['shfl.sync'], {}, [machine(true)])).toBe(false);
    expect(isBrief([], { all: true }, [machine(true)])).toBe(false);
    expect(isBrief([], { exhaustive: true }, [machine(true)])).toBe(false);
  });
});
