// Simplifies claims that two conjunctions are equivalent, if their parts are equations of words, some of
// them under conditions. The claim holds for words if it holds for words of
// one bit: operands for which one conjunction is true and an equation of the other is false have a bit
// in which this equation is false. All equations that hold for words hold for each of their bits.
import { getOrInsert } from '../../../src/base/maps.ts';
import { orderOf, replace } from './rewrite.ts';
import { equal, partsOf, type Term, variable } from './term.ts';

/** Returns the claim about words of one bit; undefined if its form is another. */
export function withOneBit(a: Term, b: Term): Term | undefined {
  if (a.width !== 0 || !isConjunction(a) || !isConjunction(b)) return undefined;
  const words = orderOf(equal(a, b)).filter(({ kind, width }) => kind === 'variable' && width > 1);
  if (words.length === 0) return undefined;
  return replace(equal(a, b), new Map(words.map((word) => [word, variable(`${word.name} bit`, 1)])));
}

/**
 * Whether a boolean is a conjunction of equations of words for all values of the other variables.
 */
function isConjunction(term: Term): boolean {
  if (!hasWords(term)) return true;
  const [condition, ...choices] = term.args;
  if (term.kind === 'ite') return condition !== undefined && !hasWords(condition) && choices.every(isConjunction);
  const parts = partsOf('and', term);
  if (parts.length > 1) return parts.every(isConjunction);
  const others = partsOf('or', term).filter(hasWords);
  return others.length === 1 && others.every((part) => (part === term ? isEquation(part) : isConjunction(part)));
}

const known = new WeakMap<Term, boolean>();
const hasWords = (term: Term): boolean =>
  getOrInsert(known, term, () => (term.kind === 'variable' ? term.width > 1 : term.args.some(hasWords)));

/** Whether a term is an equation of variables and of choices between them. */
function isEquation({ kind, args }: Term): boolean {
  return kind === '=' && args.every(isSelection);
}

function isSelection(term: Term): boolean {
  return orderOf(term).every(
    ({ kind, width, args }) => width <= 1 || kind === 'variable' || (kind === 'ite' && !hasWords(args[0] ?? term)),
  );
}
