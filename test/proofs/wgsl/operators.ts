// WGSL's operators and elementwise functions of integers, on terms.
// https://www.w3.org/TR/WGSL/#arithmetic-expr and the sections after it.
import type { ScalarName } from '../../wgsl-interpreter/types.ts';
import { orderOf } from '../terms/rewrite.ts';
import {
  add, and, apply, bitAnd, bitAt, bitOr, bitXor, type Comparison, compare, complement, constant, equal, extend, extract, extremum, freeWordFor, ite, mul,
  negate, not, or, shiftLeft, shiftRight, shiftRightSigned, sub, type Term, wordOf,
} from '../terms/term.ts'; // biome-ignore format: a list

type Binary = (a: Term, b: Term) => Term;

/** Returns the effective shift amount: the low five bits. */
const amount = (b: Term): Term => bitAnd(b, constant(31));
const ordered = (isSigned: boolean, kind: 'lt' | 'le'): Comparison =>
  isSigned ? (kind === 'lt' ? 'bvslt' : 'bvsle') : kind === 'lt' ? 'bvult' : 'bvule';

/** Divides as in WGSL: `x / 0` is x, `x % 0` is 0, and the smallest i32 divided by -1 is itself. */
const divide =
  (isSigned: boolean): Binary =>
  (a, b) =>
    ite(equal(b, constant(0)), a, apply(isSigned ? 'bvsdiv' : 'bvudiv', a, b));
const remainder =
  (isSigned: boolean): Binary =>
  (a, b) =>
    ite(equal(b, constant(0)), constant(0), apply(isSigned ? 'bvsrem' : 'bvurem', a, b));

/** Returns the result of an operator, or undefined for an unknown operator. */
export function binary(operator: string, type: ScalarName, a: Term, b: Term): Term | undefined {
  const isSigned = type === 'i32';
  if (type === 'bool') {
    const logic: Readonly<Record<string, Binary>> = {
      '&': and,
      '|': or,
      '==': equal,
      '!=': (x, y) => not(equal(x, y)),
    };
    return logic[operator]?.(a, b);
  }
  if (type === 'f32') return undefined;
  switch (operator) {
    case '+':
      return add(a, b);
    case '-':
      return sub(a, b);
    case '*':
      return mul(a, b);
    case '/':
      return divide(isSigned)(a, b);
    case '%':
      return remainder(isSigned)(a, b);
    case '&':
      return bitAnd(a, b);
    case '|':
      return bitOr(a, b);
    case '^':
      return bitXor(a, b);
    case '<<':
      return shiftLeft(a, amount(b));
    case '>>':
      return isSigned ? shiftRightSigned(a, amount(b)) : shiftRight(a, amount(b));
    case '==':
      return equal(a, b);
    case '!=':
      return not(equal(a, b));
    case '<':
      return compare(ordered(isSigned, 'lt'), a, b);
    case '<=':
      return compare(ordered(isSigned, 'le'), a, b);
    case '>':
      return compare(ordered(isSigned, 'lt'), b, a);
    case '>=':
      return compare(ordered(isSigned, 'le'), b, a);
    default:
      return undefined;
  }
}

export const comparisons: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=']);

export function unary(operator: string, type: ScalarName, a: Term): Term | undefined {
  if (operator === '!') return type === 'bool' ? not(a) : undefined;
  if (type === 'bool' || type === 'f32') return undefined;
  return operator === '~' ? complement(a) : operator === '-' ? negate(a) : undefined;
}

// Functions.

/** Returns whether each bit of a term is set, beginning with the least significant bit. */
const bitsOf = (a: Term): Term[] => Array.from({ length: a.width }, (_, index) => bitAt(a, index));

const count = (a: Term): Term =>
  bitsOf(a)
    .map((bit) => wordOf(bit))
    .reduce(add);

/** Returns the index of the last of these bits that is set, or all ones if none is set. */
const lastOf = (bits: readonly Term[], indexes: readonly number[]): Term =>
  bits.reduce((rest, bit, at) => ite(bit, constant(indexes[at] ?? 0), rest), constant(-1));

/** The maximum number of words that the operands of one lane have. */
const maxOperands = 8;

/**
 * Returns the position of the lowest 1 of x, for the count of the bits in `~x & (x - 1)`. Undefined
 * for other terms. If x contains results of comparisons of many values, a free word replaces it. The
 * proof of `match.any` needs no more than that the position is a function of x.
 */
function lowestIn({ kind, args }: Term): Term | undefined {
  if (kind !== 'bvand') return undefined;
  for (const [sum, zeros] of [args, [...args].reverse()]) {
    if (sum?.kind !== 'bvadd' || !sum.args.includes(constant(-1))) continue;
    const x = sum.args.find(({ value }) => value === undefined);
    if (x === undefined || zeros !== complement(x)) continue;
    const areCompared = bitsOf(x).some((bit) => orderOf(bit).some((each) => each.kind === '='));
    const isOfMany = orderOf(x).filter((each) => each.kind === 'variable').length > maxOperands;
    if (areCompared && !isOfMany) return undefined;
    const word = areCompared ? freeWordFor(x) : x;
    return bitsOf(word).reduceRight((rest, bit, index) => ite(bit, constant(index), rest), constant(32));
  }
  return undefined;
}

const firstLeading = (bits: readonly Term[]): Term =>
  lastOf(
    bits,
    bits.map((_, index) => index),
  );
const firstTrailing = (a: Term): Term => {
  const bits = bitsOf(a).reverse();
  return lastOf(
    bits,
    bits.map((_, index) => bits.length - 1 - index),
  );
};

const min =
  (isSigned: boolean): Binary =>
  (a, b) =>
    extremum(isSigned ? 'smin' : 'umin', a, b);
const max =
  (isSigned: boolean): Binary =>
  (a, b) =>
    extremum(isSigned ? 'smax' : 'umax', a, b);

const byte = (a: Term, index: number): Term => extract(a, index * 8, 8);
/** Returns the sum of the products of the four bytes of two words. */
function dot(a: Term, b: Term, isSigned: boolean): Term {
  const widen = (part: Term): Term => extend(part, 32, isSigned);
  return [0, 1, 2, 3].map((index) => mul(widen(byte(a, index)), widen(byte(b, index)))).reduce(add);
}

/** Limits an offset or a count to the width, as in extractBits and insertBits. */
const clampTo = (a: Term, limit: Term): Term => ite(compare('bvult', limit, a), limit, a);
function extractBits(isSigned: boolean, e: Term, offset: Term, size: Term): Term {
  const o = clampTo(offset, constant(32));
  const c = clampTo(size, sub(constant(32), o));
  const left = shiftLeft(e, sub(constant(32), add(o, c)));
  const shift = isSigned ? shiftRightSigned : shiftRight;
  return ite(equal(c, constant(0)), constant(0), shift(left, sub(constant(32), c)));
}
function insertBits(e: Term, bits: Term, offset: Term, size: Term): Term {
  const o = clampTo(offset, constant(32));
  const c = clampTo(size, sub(constant(32), o));
  const mask = shiftLeft(sub(shiftLeft(constant(1), c), constant(1)), o);
  return bitOr(bitAnd(e, complement(mask)), bitAnd(shiftLeft(bits, o), mask));
}

const reverseBits = (a: Term): Term =>
  bitsOf(a)
    .map((bit, index) => ite(bit, constant(1n << BigInt(31 - index)), constant(0)))
    .reduce(bitOr);

/**
 * Returns the result of a builtin function of integer scalars, or undefined for any other function.
 */
export function elementwise(name: string, type: ScalarName, args: readonly Term[]): Term | undefined {
  const isSigned = type === 'i32';
  const [a, b, c, d] = args;
  if (a === undefined || type === 'bool' || type === 'f32') return undefined;
  switch (name) {
    case 'countOneBits':
      return lowestIn(a) ?? count(a); // Absent: another word.
    case 'countLeadingZeros':
      return sub(constant(31), firstLeading(bitsOf(a)));
    case 'countTrailingZeros': {
      const first = firstTrailing(a);
      return ite(equal(first, constant(-1)), constant(32), first);
    }
    case 'firstLeadingBit': {
      if (!isSigned) return firstLeading(bitsOf(a));
      const sign = shiftRightSigned(a, constant(31));
      return firstLeading(bitsOf(bitXor(a, sign)));
    }
    case 'firstTrailingBit':
      return firstTrailing(a);
    case 'reverseBits':
      return reverseBits(a);
    case 'abs':
      return isSigned ? ite(compare('bvslt', a, constant(0)), negate(a), a) : a;
    default:
  }
  if (b === undefined) return undefined;
  switch (name) {
    case 'min':
      return min(isSigned)(a, b);
    case 'max':
      return max(isSigned)(a, b);
    case 'dot4U8Packed':
      return dot(a, b, false);
    case 'dot4I8Packed':
      return dot(a, b, true);
    default:
  }
  if (c === undefined) return undefined;
  if (name === 'clamp') return min(isSigned)(max(isSigned)(a, b), c);
  if (name === 'extractBits') return extractBits(isSigned, a, b, c);
  return name === 'insertBits' && d !== undefined ? insertBits(a, b, c, d) : undefined;
}

/** The operators that atomics apply to the old value and their operand. */
export const atomicOperators: Readonly<Record<string, string>> = {
  atomicAdd: '+',
  atomicSub: '-',
  atomicAnd: '&',
  atomicOr: '|',
  atomicXor: '^',
};
