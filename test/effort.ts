// How much the tests draw and select: what fits a pull request, or with LANEWISE_LONG=1 all of it. A short run has a budget for what multiplies (suites by
// lane plans, rows by adapters), so that more rows make none longer.

import { groupBy } from '../src/base/group-by.ts';
import { seeded } from './seed.ts';

export const isLong = process.env.LANEWISE_LONG === '1';

/** `few` of something, or in a long run `many`. */
export const effort = <T>(few: T, many: T): T => (isLong ? many : few);

/** In a short run `count` of a list, at least one of each kind, the kinds as equal as they can be and each evenly spread from `start` on; in a long run all. */
export function selection<T>(list: readonly T[], count: number, kindOf: (item: T) => string, start = 0): readonly T[] {
  return isLong ? list : evenly(list, count, kindOf, start);
}

/** As `selection`, from a place that the run's seed draws. The titles of the tests say which. */
export const drawn = <T>(list: readonly T[], count: number, kindOf: (item: T) => string = () => ''): readonly T[] =>
  selection(list, count, kindOf, seeded('drawn', list.length, count).below(list.length));

/** What `selection` selects in a short run. */
export function evenly<T>(list: readonly T[], count: number, kindOf: (item: T) => string, start = 0): readonly T[] {
  if (list.length <= count) return list;
  const kinds = groupBy(list, kindOf);
  const chosen = new Set<T>();
  let left = count;
  let waiting = kinds.size;
  // The smallest first: what they leave is the others'.
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

/** In a short run, each call gives the next `count` of a list, round and round; in a long run all. */
export function inTurn<T>(list: readonly T[], count: number): () => readonly T[] {
  let next = 0;
  return () => {
    if (isLong || list.length <= count) return list;
    const start = next % list.length;
    next += count;
    return [...list, ...list].slice(start, start + count);
  };
}
