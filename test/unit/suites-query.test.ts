import { describe, expect, it } from 'vitest';
import { planLaunches, QueryError, suiteGroups } from '../../src/harness/suites/index.ts';
import { selectSuites } from '../../src/harness/suites/query.ts';

const suites = suiteGroups().flatMap((group) => group.suites);
const select = (...queries: string[]) => [...selectSuites(suites, queries).suites.keys()];

describe('selectSuites', () => {
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

  it('takes any number of stars without counting through them', () => {
    expect(select(`${'*'.repeat(5000)}:guard`)).toEqual(select('*:guard'));
    expect(() => select(`${'*'.repeat(5000)}!`)).toThrow(QueryError);
  });

  it('takes several queries, and single cases beside whole suites', () => {
    const { suites: chosen } = selectSuites(suites, ['activemask:guard#4', 'activemask:guard#9', 'elect.sync:groups']);
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
  it('runs the one block that holds a single case', () => {
    const [launch, ...others] = planLaunches({ queries: ['shfl.sync:up:immediate#77'], seed: 1, exhaustive: false });
    expect(others).toEqual([]);
    const [suite] = launch?.suites ?? [];
    expect(launch?.only).toBe(77);
    expect(launch?.choice.variant).toBe(77 % (suite?.variants ?? 1));
    expect(launch?.build().slots.map(({ result }) => result)).toEqual(['d', 'p']);
  });
});
