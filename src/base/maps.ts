// Maps in which an absent key means nothing found: no items, or a count of 0.

const nothing: readonly never[] = [];

/// The items of a key.
export const allOf = <K, V>(map: { get(key: K): readonly V[] | undefined }, key: K): readonly V[] =>
  map.get(key) ?? nothing;

/// How often a key was counted.
export const countOf = <K>(map: { get(key: K): number | undefined }, key: K): number => map.get(key) ?? 0;
