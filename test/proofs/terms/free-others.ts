// Generalizes a claim about few lanes: the parts that depend only on other lanes become free values.
// The claim then holds for all values of the other lanes, and is small. In contrast to `localize`,
// each part has one value wherever it occurs.
import { getOrInsert } from '../../../src/base/maps.ts';
import { spend } from './budget.ts';
import { remake } from './rewrite.ts';
import { and, freeWordFor, type Lanes, no, not, or, partsOf, type Term } from './term.ts';

export class OtherLanes {
  /** The results for the parts of claims about the same lanes. */
  private readonly results = new Map<Lanes, Map<Term, Term>>();

  /** Returns a claim about the lanes in `keep` and free values, from which the given claim follows. */
  free(claim: Term, keep: Lanes): Term {
    const results = getOrInsert(this.results, keep, () => new Map<Term, Term>());
    const isOther = ({ lanes }: Term): boolean => (lanes & keep) === 0;
    const visit = (term: Term): Term => {
      if ((term.lanes & ~keep) === 0) return term;
      return isOther(term) ? freeValueOf(term) : getOrInsert(results, term, () => part(term));
    };
    const part = (term: Term): Term => {
      spend();
      const { kind, args } = term;
      if (kind === 'or') return disjunction(args);
      return kind === 'and' ? not(disjunction(args.map(not))) : remake(term, args.map(visit));
    };
    // One free value replaces what the operands with equal parts about the kept lanes say about others.
    const disjunction = (args: readonly Term[]): Term => {
      const groups = new Map<Term, Term[]>();
      for (const arg of args) {
        const parts = isOther(arg) ? [arg] : withKnownParts(arg);
        const kept = visit(and(...parts.filter((each) => !isOther(each))));
        getOrInsert(groups, kept, () => []).push(and(...parts.filter(isOther)));
      }
      return or(...[...groups].map(([kept, others]) => and(kept, visit(or(...others)))));
    };
    return visit(claim);
  }
}

const simplified = new WeakMap<Term, readonly Term[]>();

/** Returns the parts of a conjunction, simplified: each part is true in the others. */
const withKnownParts = (conjunction: Term): readonly Term[] =>
  getOrInsert(simplified, conjunction, () => {
    const parts = partsOf('and', conjunction);
    const known = new Set(parts);
    const underOthers = (term: Term): Term => {
      const own = partsOf('and', term);
      return own.some((each) => known.has(not(each))) ? no() : and(...own.filter((each) => !known.has(each)));
    };
    return parts.map((part) => (part.kind === 'or' ? or(...part.args.map(underOthers)) : part));
  });

/** Returns the free value of a term. That of a negation is the negated one. */
function freeValueOf(term: Term): Term {
  const [inner] = term.args;
  if (term.kind === 'and') return not(freeValueOf(not(term)));
  return term.kind === 'not' && inner !== undefined ? not(freeValueOf(inner)) : freeWordFor(term);
}
