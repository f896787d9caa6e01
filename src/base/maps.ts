// Maps whose absent keys are no error: they mean no items, a count of 0, or a value still to be made.

const nothing: readonly never[] = [];

/** The items of a key. */
export const allOf = <K, V>(map: { get(key: K): readonly V[] | undefined }, key: K): readonly V[] =>
  map.get(key) ?? nothing;

/** How often a key was counted. */
export const countOf = <K>(map: { get(key: K): number | undefined }, key: K): number => map.get(key) ?? 0;

/** The value of a key. If the key is absent, `make` makes its value, which is entered. */
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
