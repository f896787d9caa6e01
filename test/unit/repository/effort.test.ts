// A short run selects an evenly spread subset with every kind.
import { describe, expect, it } from 'vitest';
import { evenly } from '../../effort.ts';

const kinds: Readonly<Record<string, number>> = { many: 100, some: 20, one: 1 };
const items = Object.entries(kinds).flatMap(([kind, count]) =>
  Array.from({ length: count }, (_, index) => ({ kind, index })),
);
const counts = (list: readonly { readonly kind: string }[]): Record<string, number> => {
  const found: Record<string, number> = {};
  for (const { kind } of list) found[kind] = (found[kind] ?? 0) + 1;
  return found;
};

describe('a selection', () => {
  it('has the requested size, and kinds are as equal as possible', () => {
    expect(counts(evenly(items, 31, ({ kind }) => kind))).toEqual({ many: 15, some: 15, one: 1 });
    expect(evenly(items, 1000, ({ kind }) => kind)).toBe(items);
  });

  it('has one of each kind, however small it is', () => {
    expect(counts(evenly(items, 1, ({ kind }) => kind))).toEqual({ many: 1, some: 1, one: 1 });
  });

  it('covers everything, from one start to the next', () => {
    const seen = new Set<object>();
    for (let start = 0; start < 100; start++)
      for (const item of evenly(items, 9, ({ kind }) => kind, start)) seen.add(item);
    expect(seen.size).toBe(items.length);
  });
});
