// Walks over terms, and replaces parts of them.
import { get } from '../../../src/base/invariants.ts';
import { spend } from './budget.ts';
import {
  and, apply, bool, compare, complement, concat, equal, extend, extract, extremum, ite, negate, no, not, or, type Term, yes,
} from './term.ts'; // biome-ignore format: a list

/**
 * Returns a term and all terms below it, operands first. Uses no recursion, because terms are deep.
 * `isReversed`: visits the last operand of a term first. `seen`: the terms that were visited
 * before, which are left out.
 */
export function orderOf(root: Term, isReversed = false, seen = new Set<Term>()): Term[] {
  if (seen.has(root)) return [];
  const order: Term[] = [];
  const stack: { readonly term: Term; next: number }[] = [{ term: root, next: 0 }];
  seen.add(root);
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const { args } = top.term;
    const arg = isReversed ? args[args.length - 1 - top.next++] : args[top.next++];
    if (arg === undefined) {
      spend();
      order.push(top.term);
      stack.pop();
    } else if (!seen.has(arg)) {
      seen.add(arg);
      stack.push({ term: arg, next: 0 });
    }
  }
  return order;
}

/** Returns a copy of a term with different operands. */
export function remake(term: Term, args: readonly Term[]): Term {
  const [a, b, c] = args;
  if (a === undefined || args.every((arg, index) => arg === term.args[index])) return term;
  const { kind, width, low } = term;
  switch (kind) {
    case 'not':
      return not(a);
    case 'and':
      return and(...args);
    case 'or':
      return or(...args);
    case 'bvneg':
      return negate(a);
    case 'bvnot':
      return complement(a);
    case 'extract':
      return extract(a, low, width);
    case 'zero_extend':
    case 'sign_extend':
      return extend(a, width, kind === 'sign_extend');
    default:
  }
  if (b === undefined) throw new Error(`${kind} has two operands`);
  switch (kind) {
    case 'ite':
      return c === undefined ? term : ite(a, b, c);
    case '=':
      return equal(a, b);
    case 'concat':
      return concat(a, b);
    case 'umin':
    case 'umax':
    case 'smin':
    case 'smax':
      return extremum(kind, a, b);
    case 'bvult':
    case 'bvule':
    case 'bvslt':
    case 'bvsle':
      return compare(kind, a, b);
    case 'constant':
    case 'variable':
      return term;
    default:
      return apply(kind, a, b);
  }
}

/** Replaces terms in a term. */
export const replace = (term: Term, known: ReadonlyMap<Term, Term>): Term => replacer(known)(term);

/** Returns a function that replaces terms in a term, and visits the parts of several terms once. */
export function replacer(known: ReadonlyMap<Term, Term>): (term: Term) => Term {
  const results = new Map(known);
  const seen = new Set<Term>();
  const resultOf = (each: Term): Term => get(results, each, 'the result of an operand');
  return (term) => {
    for (const each of orderOf(term, false, seen))
      if (!results.has(each)) results.set(each, remake(each, each.args.map(resultOf)));
    return resultOf(term);
  };
}

/** Returns a function that simplifies terms under the assumption that the conditions are true. */
export const assuming = (conditions: readonly Term[]): ((term: Term) => Term) =>
  replacer(new Map(conditions.flatMap((each) => [[each, yes()] as const, [not(each), no()] as const])));

/**
 * Simplifies a boolean: if a part of an `and` is a variable, the variable is true in the other
 * parts. If a part of an `or` is a variable, the variable is false in the other parts.
 */
export function propagate(root: Term): Term {
  const results = new Map<Term, Term>();
  const resultOf = (each: Term): Term => get(results, each, 'an operand');
  for (const term of orderOf(root)) {
    const { kind, args } = remake(term, term.args.map(resultOf));
    results.set(term, kind === 'and' || kind === 'or' ? propagated(kind, args) : remake(term, term.args.map(resultOf)));
  }
  return resultOf(root);
}

function propagated(kind: 'and' | 'or', parts: readonly Term[]): Term {
  const known = new Map<Term, Term>();
  for (const part of parts) {
    const [inner] = part.args;
    if (part.kind === 'variable') known.set(part, bool(kind === 'and'));
    else if (part.kind === 'not' && inner?.kind === 'variable') known.set(inner, bool(kind === 'or'));
  }
  const isKnown = (part: Term): boolean =>
    known.has(part) || (part.kind === 'not' && part.args.every((arg) => known.has(arg)));
  const simple = known.size === 0 ? parts : parts.map((part) => (isKnown(part) ? part : replace(part, known)));
  return kind === 'and' ? and(...simple) : or(...simple);
}
