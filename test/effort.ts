// Selects the cases of a run: some of them in a short run, all of them in a long run
// (LANEWISE_LONG=1). A short run has a budget for combinations (suites by lane plans, rows by
// adapters), so that its time does not grow with the number of rows.

import { groupBy } from '../src/base/group-by.ts';
import { seeded } from './seed.ts';

export const isLong = process.env.LANEWISE_LONG === '1';

/** Returns `few`, or `many` in a long run. */
export const effort = <T>(few: T, many: T): T => (isLong ? many : few);

/**
 * Returns `count` items of a list in a short run, and all items in a long run. The selection
 * contains at least one item of every kind, and if possible equally many of each kind. The items of
 * a kind are evenly spaced, starting at `start`.
 */
export function selection<T>(list: readonly T[], count: number, kindOf: (item: T) => string, start = 0): readonly T[] {
  return isLong ? list : evenly(list, count, kindOf, start);
}

/**
 * Returns a selection like `selection`, starting at an index that depends on the run's seed. The
 * titles of the tests show the selection.
 */
export const drawn = <T>(list: readonly T[], count: number, kindOf: (item: T) => string = () => ''): readonly T[] =>
  selection(list, count, kindOf, seeded('drawn', list.length, count).below(list.length));

/** Returns the selection of a short run. */
export function evenly<T>(list: readonly T[], count: number, kindOf: (item: T) => string, start = 0): readonly T[] {
  if (list.length <= count) return list;
  const kinds = groupBy(list, kindOf);
  const chosen = new Set<T>();
  let left = count;
  let waiting = kinds.size;
  // Begin with the smallest kinds, so that the other kinds can use their unused shares.
  for (const items of [...kinds.values()].sort((a, b) => a.length - b.length)) {
    const share = Math.min(items.length, Math.max(1, Math.floor(left / waiting)));
    for (let index = 0; index < share; index++) {
      const at = (Math.floor((index * items.length) / share) + start) % items.length;
      for (const item of items.slice(at, at + 1)) chosen.add(item);
    }
    left -= share;
    waiting -= 1;
  }
  return list.filter((item) => chosen.has(item));
}

/**
 * Returns a function that returns items of a list. In a short run, each call returns the next
 * `count` items, cyclically; in a long run, it returns all.
 */
export function inTurn<T>(list: readonly T[], count: number): () => readonly T[] {
  let next = 0;
  return () => {
    if (isLong || list.length <= count) return list;
    const start = next % list.length;
    next += count;
    return [...list, ...list].slice(start, start + count);
  };
}
