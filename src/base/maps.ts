// Accessors for maps in which a missing key is valid: it means an empty list, a count of 0, or a
// value that is created when it is needed.

const nothing: readonly never[] = [];

/** Returns the items of a key, or an empty list if the key is missing. */
export const allOf = <K, V>(map: { get(key: K): readonly V[] | undefined }, key: K): readonly V[] =>
  map.get(key) ?? nothing;

/** Returns the count of a key, or 0 if the key is missing. */
export const countOf = <K>(map: { get(key: K): number | undefined }, key: K): number => map.get(key) ?? 0;

/** Returns the value of a key. If the key is missing, inserts and returns `make()`. */
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
