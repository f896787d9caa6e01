// Groups items into lists by key.
import { getOrInsert } from './maps.ts';

/** Groups items by `keyOf(item)`. Keys are in the order of their first item. */
export function groupBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    getOrInsert(groups, key, () => []).push(item);
  }
  return groups;
}
