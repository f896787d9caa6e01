// Simplifies claims that two selections of values are equal. Instructions such as `shfl` only move
// values, so such a claim holds for any values if both selections choose the same source. Each
// source is replaced by a number, so that the solver compares numbers of a few bits instead of
// words.
import { getOrInsert } from '../../../src/base/maps.ts';
import { constant, equal, ite, type Term } from './term.ts';

/** Returns a claim with smaller selections, from which the equation follows; undefined for other equations. */
export function compareSources(a: Term, b: Term): Term | undefined {
  if (a.width < 8 || (a.kind !== 'ite' && b.kind !== 'ite')) return undefined;
  const sources = new Map<Term, Term>();
  const known = new Map<Term, Term>();
  const numbered = (term: Term): Term => {
    const [condition, then, otherwise] = term.args;
    if (term.kind !== 'ite' || condition === undefined || then === undefined || otherwise === undefined) {
      return getOrInsert(sources, term, () => constant(sources.size, 8));
    }
    return getOrInsert(known, term, () => ite(condition, numbered(then), numbered(otherwise)));
  };
  const numbers = equal(numbered(a), numbered(b));
  return sources.size < 256 ? numbers : undefined;
}
