// Strengthens a claim about few lanes: removes the conditions that depend on other lanes. If such a
// condition could only make the claim true, it becomes false; otherwise it becomes true. The claim
// then holds for all values of the other lanes, and is small.
import { getOrInsert } from '../../../src/base/maps.ts';
import { spend } from './budget.ts';
import { and, bitAt, bool, equal, ite, type Lanes, not, or, type Term } from './term.ts';

/** Whether all bits of two words are equal. */
export const equalBits = (a: Term, b: Term): Term =>
  and(...Array.from({ length: a.width }, (_, bit) => equal(bitAt(a, bit), bitAt(b, bit))));

/** Returns a claim about the lanes in `keep`, from which the given claim follows. */
export function localize(claim: Term, keep: Lanes): Term {
  const results = [new Map<Term, Term>(), new Map<Term, Term>()] as const;
  const visit = (term: Term, isPositive: boolean): Term => {
    if ((term.lanes & ~keep) === 0) return term;
    if ((term.lanes & keep) === 0) return bool(!isPositive);
    return getOrInsert(results[isPositive ? 1 : 0], term, () => part(term, isPositive));
  };
  // Replaces all operands about other lanes by one constant.
  const localized = (args: readonly Term[], isPositive: boolean): readonly Term[] => {
    const kept = args.filter(({ lanes }) => (lanes & ~keep) === 0 || (lanes & keep) !== 0);
    const results = kept.map((each) => visit(each, isPositive));
    return kept.length === args.length ? results : [bool(!isPositive), ...results];
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
        return and(...localized(term.args, isPositive));
      case 'or':
        return or(...localized(term.args, isPositive));
      case '=':
        if (a === undefined || b === undefined) break;
        // The bits of a word may depend on fewer lanes than the word.
        if (a.width > 1 && b.value !== undefined) return same(equalBits(a, b));
        if (a.width > 0) break;
        return and(or(not(opposite(a)), same(b)), or(same(a), not(opposite(b))));
      case 'ite':
        if (a === undefined || b === undefined || c === undefined || c.width > 0) break;
        if ((a.lanes & ~keep) === 0) return ite(a, same(b), same(c));
        // If the condition is unknown, the smaller choice implies the choice, and the larger one
        // follows from it.
        if ((a.lanes & keep) === 0) return isPositive ? and(same(b), same(c)) : or(same(b), same(c));
        return and(or(not(opposite(a)), same(b)), or(same(a), same(c)), ...(isPositive ? [] : [or(same(b), same(c))]));
      default:
    }
    return bool(!isPositive);
  };
  return visit(claim, true);
}
