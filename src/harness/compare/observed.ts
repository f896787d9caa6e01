// The values that executors return for lanes whose result PTX leaves undefined. They are recorded,
// but never counted as mismatches.
import { type UndefinedCause, type UndefinedLane, undefinedCauses } from '../suites/types.ts';

/**
 * The kinds of an observed value. The first kind that matches is counted.
 * - `own value`: the lane's own first operand.
 * - `source value`: the first operand of the lane that a shuffle names.
 * - `reference value`: the value that the reference computes from the participating lanes.
 */
export const observedKinds = ['zero', 'own value', 'source value', 'reference value', 'other'] as const;
export type ObservedKind = (typeof observedKinds)[number];
export type ObservedCounts = Readonly<Partial<Record<ObservedKind, number>>>;

/** Counts of undefined lane results, by the cause and by the observed kind. */
export type Observed = Readonly<Partial<Record<UndefinedCause, ObservedCounts>>>;

/** A mutable `Observed`. */
export type ObservedCounter = Partial<Record<UndefinedCause, Partial<Record<ObservedKind, number>>>>;

export function countObserved(observed: ObservedCounter, cause: UndefinedCause, kind: ObservedKind): void {
  const counts = observed[cause] ?? {};
  observed[cause] = counts;
  counts[kind] = (counts[kind] ?? 0) + 1;
}

/** Classifies an observed word. `reference`, `got` and the values are bits. */
export function kindOf(
  got: number | undefined,
  { own, source }: Pick<UndefinedLane, 'own' | 'source'>,
  reference: number | undefined,
): ObservedKind {
  if (got === undefined) return 'other';
  if (got === 0) return 'zero';
  if (got === own) return 'own value';
  if (got === source) return 'source value';
  return got === reference ? 'reference value' : 'other';
}

function joinCounts(a: ObservedCounts, b: ObservedCounts): ObservedCounts {
  const counts = observedKinds.flatMap((kind) => {
    const count = (a[kind] ?? 0) + (b[kind] ?? 0);
    return count === 0 ? [] : [[kind, count] as const];
  });
  return Object.fromEntries(counts);
}

export function joinObserved(a: Observed, b: Observed): Observed {
  const joined: ObservedCounter = { ...a };
  for (const [cause, counts] of observedEntries(b)) joined[cause] = joinCounts(joined[cause] ?? {}, counts);
  return joined;
}

/** Returns the entries in the order of the causes. */
export function observedEntries(observed: Observed): (readonly [UndefinedCause, ObservedCounts])[] {
  return undefinedCauses.flatMap((cause) => (observed[cause] ? [[cause, observed[cause]] as const] : []));
}
