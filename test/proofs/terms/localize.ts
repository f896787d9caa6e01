// Strengthens a claim about few lanes: removes the conditions that depend on other lanes. If such a
// condition could only make the claim true, it becomes false; otherwise it becomes true. The claim
// then holds for all values of the other lanes, and is small.
import { getOrInsert } from '../../../src/base/maps.ts';
import { spend } from './budget.ts';
import { and, bitAt, bool, equal, ite, not, or, type Term } from './term.ts';

/** Returns a set of lanes of a warp as a mask. */
export type Lanes = number;

const known = new WeakMap<Term, Lanes>();

/**
 * Returns the lanes whose variables a term contains. The name of a variable contains the numbers of
 * its lanes. Free values belong to all lanes.
 */
export const lanesOf = (term: Term): Lanes =>
  getOrInsert(known, term, () => {
    if (term.kind === 'variable') return lanesOfName(term.name);
    return term.args.reduce((lanes, arg) => lanes | lanesOf(arg), 0);
  });

function lanesOfName(name: string): Lanes {
  const numbers = name.startsWith('any') ? [] : (name.match(/\d+/g) ?? []); // Absent: no number.
  return numbers.length === 0 ? -1 : numbers.reduce((lanes, number) => lanes | (1 << (Number(number) & 31)), 0);
}

const equalBits = (a: Term, b: Term): Term =>
  and(...Array.from({ length: a.width }, (_, bit) => equal(bitAt(a, bit), bitAt(b, bit))));

/** Returns a claim about the lanes in `keep`, from which the given claim follows. */
export function localize(claim: Term, keep: Lanes): Term {
  const results = [new Map<Term, Term>(), new Map<Term, Term>()] as const;
  const visit = (term: Term, isPositive: boolean): Term => {
    if ((lanesOf(term) & ~keep) === 0) return term;
    if ((lanesOf(term) & keep) === 0) return bool(!isPositive);
    return getOrInsert(results[isPositive ? 1 : 0], term, () => part(term, isPositive));
  };
  const part = (term: Term, isPositive: boolean): Term => {
    spend();
    const [a, b, c] = term.args;
    const same = (each: Term): Term => visit(each, isPositive);
    const opposite = (each: Term): Term => visit(each, !isPositive);
    switch (term.kind) {
      case 'not':
        return a === undefined ? term : not(opposite(a));
      case 'and':
        return and(...term.args.map(same));
      case 'or':
        return or(...term.args.map(same));
      case '=':
        if (a === undefined || b === undefined) break;
        // The bits of a word may depend on fewer lanes than the word.
        if (a.width > 1 && b.value !== undefined) return same(equalBits(a, b));
        if (a.width > 0) break;
        return and(or(not(opposite(a)), same(b)), or(same(a), not(opposite(b))));
      case 'ite':
        if (a === undefined || b === undefined || c === undefined || c.width > 0) break;
        if ((lanesOf(a) & ~keep) === 0) return ite(a, same(b), same(c));
        return (lanesOf(a) & keep) === 0
          ? and(same(b), same(c))
          : and(or(not(opposite(a)), same(b)), or(same(a), same(c)));
      default:
    }
    return bool(!isPositive);
  };
  return visit(claim, true);
}
