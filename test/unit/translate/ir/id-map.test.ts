// Maps and sets with numbered keys, compared with the maps and sets of JavaScript. A kernel that is
// expanded from many functions has numbers in groups that are far apart, added in any order.
import { expect, test } from 'vitest';
import { at } from '../../../../src/base/invariants.ts';
import { IdMap, IdSet } from '../../../../src/translate/ir/id-map.ts';
import { seeded } from '../../../seed.ts';

const key = (id: number) => ({ id });

function expectEntries(ids: readonly number[]): void {
  const [map, set] = [new IdMap<{ readonly id: number }, number>(), new IdSet<{ readonly id: number }>()];
  ids.forEach((id, index) => {
    map.set(key(id), index);
    set.add(key(id));
  });
  const known = new Map(ids.map((id, index) => [id, index]));
  for (const near of ids.flatMap((id) => [id - 1, id, id + 1]).filter((id) => id >= 0)) {
    expect(map.get(key(near)), `the value of ${near}`).toBe(known.get(near));
    expect(set.has(key(near)), `whether ${near} is a member`).toBe(known.has(near));
  }
  expect([map.size, set.size]).toEqual([known.size, known.size]);
}

test('a list of pages that grew at its front contains later pages', () => {
  expectEntries([1000, 1001, 1002, 1079, 999, 1060].map((page) => 64 * page));
});

test('maps and sets return what was added, for groups of numbers in any order', () => {
  for (let round = 0; round < 15; round++) {
    const next = seeded('id-map', round);
    const groups = Array.from({ length: 6 }, () => next.below(20_000));
    const ids = Array.from({ length: 120 }, () => at(groups, next.below(6), 'a group') + next.below(4000));
    expectEntries(ids);
  }
});
