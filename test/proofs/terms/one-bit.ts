// Simplifies claims that two conjunctions are equivalent, if their parts are equations of words, some of
// them under conditions. The claim holds for words if it holds for words of
// one bit: operands for which one conjunction is true and an equation of the other is false have a bit
// in which this equation is false. All equations that hold for words hold for each of their bits.
import { get } from '../../../src/base/invariants.ts';
import { getOrInsert } from '../../../src/base/maps.ts';
import { selectedValues } from './bits.ts';
import { orderOf, replace } from './rewrite.ts';
import { equal, ite, partsOf, type Term, variable } from './term.ts';

/** Returns the claim about words of one bit; undefined if its form is another. */
export function withOneBit(a: Term, b: Term): Term | undefined {
  if (a.width !== 0 || !isConjunction(a) || !isConjunction(b)) return undefined;
  const claim = equal(a, b);
  const equations = orderOf(claim).filter((term) => isEquation(term) && hasWords(term));
  if (equations.length === 0) return undefined;
  return replace(claim, new Map(equations.map((each) => [each, equationOfBits(each)])));
}

function equationOfBits({ args: [a, b] }: Term): Term {
  if (a === undefined || b === undefined) throw new Error('an equation has two operands');
  return equal(bitOfSelection(a), bitOfSelection(b));
}

const bitsOfSelections = new WeakMap<Term, Term>();

/**
 * Replaces the words that a selection selects from by variables of one bit, constants included. The
 * conditions of the selection get their smallest forms.
 */
const bitOfSelection = (selection: Term): Term =>
  getOrInsert(bitsOfSelections, selection, () => {
    // A variable has a name instead of a value.
    const bitOf = ({ value, name }: Term): Term => variable(`${value ?? name} bit`, 1);
    if (selection.kind !== 'ite') return bitOf(selection);
    const values = selectedValues(selection);
    if (values !== undefined) {
      const [[first] = [selection], ...others] = values;
      return others.reduce((rest, [value, condition]) => ite(condition, bitOf(value), rest), bitOf(first));
    }
    const bits = new Map<Term, Term>();
    for (const word of orderOf(selection).filter(isSelection)) {
      const [condition, then, otherwise] = word.args;
      const isChoice = condition !== undefined && then !== undefined && otherwise !== undefined;
      bits.set(word, isChoice ? ite(condition, get(bits, then, 'a bit'), get(bits, otherwise, 'a bit')) : bitOf(word));
    }
    return get(bits, selection, 'a bit');
  });

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

const selections = new WeakMap<Term, boolean>();
/** Whether a word is a variable, a constant, or a choice between such words. */
const isSelection = (term: Term): boolean =>
  getOrInsert(selections, term, () => {
    const [condition, then, otherwise] = term.args;
    if (term.width <= 1) return false;
    if (term.kind === 'variable' || term.kind === 'constant') return true;
    if (term.kind !== 'ite' || condition === undefined || then === undefined || otherwise === undefined) return false;
    return !hasWords(condition) && isSelection(then) && isSelection(otherwise);
  });
