// Lists by key.
import { getOrInsert } from './maps.ts';

/** Items by what `keyOf` says of them, in the order of the first of each. */
export function groupBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    getOrInsert(groups, key, () => []).push(item);
  }
  return groups;
}
