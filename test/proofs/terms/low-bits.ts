// Moves the selection of bits to the operands of sums and products, and moves factors that are
// powers of two out of products. So an index and the address that it replaces become one term.
import { get } from '../../../src/base/invariants.ts';
import { orderOf, remake } from './rewrite.ts';
import {
  add, bitAnd, bitOr, bitXor, complement, constant, extend, extract, ite, mul, negate, shiftLeft, type Term,
} from './term.ts'; // biome-ignore format: a list

/** Returns bits of a term. The low bits of a sum or a product depend only on those of its operands. */
export function bitsOf(term: Term, low: number, width: number): Term {
  const { kind, args } = term;
  const [a, b, c] = args;
  if (low === 0 && width === term.width) return term;
  if (kind === 'bvshl' && a !== undefined && b?.value !== undefined) {
    const amount = Number(b.value);
    if (low >= amount) return bitsOf(a, low - amount, width);
    if (amount >= low + width) return constant(0, width);
    return shiftLeft(bitsOf(a, 0, width), constant(amount - low, width));
  }
  if (kind === 'ite' && a !== undefined && b !== undefined && c !== undefined)
    return ite(a, bitsOf(b, low, width), bitsOf(c, low, width));
  if ((kind === 'zero_extend' || kind === 'sign_extend') && a !== undefined) {
    if (low + width <= a.width) return bitsOf(a, low, width);
    if (low === 0) return extend(a, width, kind === 'sign_extend');
  }
  if (kind === 'extract' && a !== undefined) return bitsOf(a, term.low + low, width);
  if (low > 0 || a === undefined) return extract(term, low, width);
  const of = (each: Term): Term => bitsOf(each, 0, width);
  if (kind === 'bvneg') return negate(of(a));
  if (kind === 'bvnot') return complement(of(a));
  const operator = operators.get(kind);
  return operator === undefined || b === undefined ? extract(term, low, width) : operator(of(a), of(b));
}

const operators: ReadonlyMap<Term['kind'], (a: Term, b: Term) => Term> = new Map([
  ['bvadd', add],
  ['bvmul', mul],
  ['bvand', bitAnd],
  ['bvor', bitOr],
  ['bvxor', bitXor],
]);

/** Moves factors that are powers of two out of the products in a term, and selections of bits into it. */
export function withFactors(root: Term): Term {
  const known = new Map<Term, Term>();
  const of = (term: Term): Term => get(known, term, 'an operand');
  for (const term of orderOf(root)) {
    const made = remake(term, term.args.map(of));
    const [a, b] = made.args;
    const isProduct = made.kind === 'bvmul' && a !== undefined && b !== undefined;
    const isSelection = made.kind === 'extract' && a !== undefined;
    known.set(term, isProduct ? product(a, b) : isSelection ? bitsOf(a, made.low, made.width) : made);
  }
  return of(root);
}

function product(a: Term, b: Term): Term {
  for (const [factor, other] of [[a, b], [b, a]] as const) {
    const [inner, amount] = factor.args;
    if (factor.kind === 'bvshl' && inner !== undefined && amount?.value !== undefined)
      return shiftLeft(product(inner, other), amount);
  } // biome-ignore format: pairs
  return mul(a, b);
}
