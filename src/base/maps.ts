// Accessors for maps in which an absent key is valid: it means no items, a count of 0, or a value
// still to be created.

const nothing: readonly never[] = [];

/** Returns the items of a key; an empty list for an absent key. */
export const allOf = <K, V>(map: { get(key: K): readonly V[] | undefined }, key: K): readonly V[] =>
  map.get(key) ?? nothing;

/** Returns the count of a key; 0 for an absent key. */
export const countOf = <K>(map: { get(key: K): number | undefined }, key: K): number => map.get(key) ?? 0;

/** Returns the value of a key. For an absent key, inserts and returns `make()`. */
export function getOrInsert<K, V>(
  map: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  make: () => NoInfer<V>,
): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
