// What hardware gives lanes whose result PTX leaves undefined. Nothing is held against it: it is written down.
import type { Candidates } from './suites/types.ts';

/// In order: the first that fits is counted.
export const observedKinds = ['zero', 'own value', 'source value', 'reference value', 'other'] as const;
export type ObservedKind = (typeof observedKinds)[number];

/// Undefined lane results by what was there:
/// - `own value`: the lane's own first operand
/// - `source value`: the first operand of the lane that a shuffle names
/// - `reference value`: what the reference computes from the lanes that do take part
export type Observed = Readonly<Partial<Record<ObservedKind, number>>>;

/// `reference` and `got` are bits; so are the candidates.
export function kindOf(
  got: number | undefined,
  { own, source }: Candidates,
  reference: number | undefined,
): ObservedKind {
  if (got === undefined) return 'other';
  if (got === 0) return 'zero';
  if (got === own) return 'own value';
  if (got === source) return 'source value';
  return got === reference ? 'reference value' : 'other';
}

export function joinObserved(a: Observed, b: Observed): Observed {
  const counts = observedKinds.flatMap((kind) => {
    const count = (a[kind] ?? 0) + (b[kind] ?? 0);
    return count === 0 ? [] : [[kind, count] as const];
  });
  return Object.fromEntries(counts);
}
