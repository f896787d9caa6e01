// Computes one element of D = A x B + C from a row of A, a column of B and an element of C, all as
// bits.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#warp-level-matrix-instructions-mma

import { getOrInsert } from '../../base/maps.ts';
import { type ElementType, elementBits } from '../../isa/fragments.ts';
import { nanAmong } from '../lane/double-bits.ts';
import { fmaDouble } from '../lane/double-exact.ts';
import type { Direction } from '../lane/float-exact.ts';
import { roundTo, signOf } from '../lane/half-format.ts';
import type { Bits } from '../types.ts';
import { formatOfElement, sumOfTerms, valueOfElement } from './exact-sum.ts';

/** The types of a matrix product, and how elements are multiplied and added. */
export interface MultiplyRules {
  readonly types: Readonly<Record<'a' | 'b' | 'c' | 'd', ElementType>>;
  /** Whether an integer sum is clamped instead of wrapped. */
  readonly satfinite: boolean;
  /** The operation that replaces the product of two bits. */
  readonly op: 'xor' | 'and' | undefined;
  /** The rounding of f64 sums. */
  readonly rounding: Direction;
  /**
   * Whether a floating-point sum that is zero has the sign of its terms. The manual does not
   * specify this. On an H200, f64 and `m8n8k4` with sums in f16 preserve the sign; all other forms
   * return +0.
   */
  readonly keepsSignOfZero: boolean;
}

const isSignedType = (type: ElementType): boolean => type.startsWith('s');

/**
 * The elements of a matrix: the bits of f64 elements, and the values of integers and narrower
 * floating-point types.
 */
export type Elements = Float64Array | BigUint64Array;

/** Returns the number for the bits of an element that is not f64. */
function elementValue(type: ElementType, bits: Bits): number {
  const size = integerSizes.get(type);
  if (size === undefined) return valueOfElement(type, Number(bits));
  const value = Number(bits) % size;
  return isSignedType(type) && value >= size / 2 ? value - size : value;
}

/**
 * Returns a function that returns `elementValue` of a type. For types of up to 16 bits, the
 * function reads a table, because an instruction needs the value of every element.
 */
export function elementReader(type: ElementType): (bits: number) => number {
  return getOrInsert(elementReaders, type, () => readerOf(type));
}

const elementReaders = new Map<ElementType, (bits: number) => number>();

function readerOf(type: ElementType): (bits: number) => number {
  if (elementBits[type] > 16) return (bits) => elementValue(type, bits);
  const values = Float64Array.from({ length: 2 ** elementBits[type] }, (_, bits) => elementValue(type, bits));
  return (bits) => values[bits] ?? 0;
}

/** The number of values of each integer type. */
const integerSizes: ReadonlyMap<ElementType, number> = new Map(
  (['s8', 'u8', 's4', 'u4', 'b1', 's32'] as const).map((type) => [type, 2 ** elementBits[type]]),
);

/** A row of A, a column of B and an element of C, each as a list and an index in that list. */
export interface Factors<List extends Elements> {
  readonly a: List;
  readonly row: number;
  readonly b: List;
  readonly column: number;
  readonly c: List;
  readonly place: number;
  /** The number of elements of the row and of the column. */
  readonly k: number;
}

export function integerSum({ satfinite, op }: MultiplyRules, factors: Factors<Float64Array>): number {
  const { a, row, b, column, c, place, k } = factors;
  let sum = c[place] ?? 0;
  for (let at = 0; at < k; at++) {
    const [x, y] = [a[row + at] ?? 0, b[column + at] ?? 0];
    sum += op === undefined ? x * y : op === 'xor' ? x ^ y : x & y;
  }
  return satfinite ? Math.max(Math.min(sum, 0x7fff_ffff), -0x8000_0000) >>> 0 : sum >>> 0;
}

/**
 * Returns the sum of f64 products. The products are added one after another, beginning with the
 * first row of B, as on an H200.
 */
export function doubleSum({ rounding }: MultiplyRules, factors: Factors<BigUint64Array>): bigint {
  const { a, row, b, column, c, place, k } = factors;
  let sum = c[place] ?? 0n;
  for (let at = 0; at < k; at++) {
    const [x, y] = [a[row + at] ?? 0n, b[column + at] ?? 0n];
    sum = nanAmong([y, sum, x]) ?? fmaDouble(x, y, sum, rounding);
  }
  return sum;
}

/**
 * Returns the exact sum. Fills `terms` with the products of the row and the column, followed by the
 * element of C.
 */
export function sumOf(factors: Factors<Float64Array>, terms: Float64Array): number {
  const { a, row, b, column, c, place, k } = factors;
  // The product of two numbers of at most 24 bits has at most 48 bits, so a double represents it
  // exactly.
  for (let at = 0; at < k; at++) terms[at] = (a[row + at] ?? 0) * (b[column + at] ?? 0);
  terms[k] = c[place] ?? 0;
  return sumOfTerms(terms, k + 1);
}

/** Rounds a sum to an element of D. */
export function roundedSum({ types, keepsSignOfZero }: MultiplyRules, sum: number): number {
  const format = formatOfElement(types.d);
  const bits = roundTo(format, sum, 'rn');
  return bits === signOf(format) && !keepsSignOfZero ? 0 : bits;
}

/**
 * Returns the bits of an element of D. The results are exact for integers, and for f64 in the order
 * of `doubleSum`. For other floating-point types, the result is the exact sum, rounded once;
 * `error-bound.ts` defines the other allowed results.
 */
export function multiplyElement(rules: MultiplyRules, a: readonly Bits[], b: readonly Bits[], c: Bits): Bits {
  const { d } = rules.types;
  if (d === 's32') return integerSum(rules, factorsOf(rules, a, b, c));
  if (d !== 'f64') return roundedSum(rules, sumOf(factorsOf(rules, a, b, c), new Float64Array(a.length + 1)));
  const bits = (list: readonly Bits[]) => BigUint64Array.from(list, BigInt);
  const factors = { a: bits(a), row: 0, b: bits(b), column: 0, c: bits([c]), place: 0, k: a.length };
  return doubleSum(rules, factors);
}

/** Returns the factors of an element, for types other than f64. */
export function factorsOf(
  { types }: MultiplyRules,
  a: readonly Bits[],
  b: readonly Bits[],
  c: Bits,
): Factors<Float64Array> {
  const values = (type: ElementType, list: readonly Bits[]) => Float64Array.from(list, (x) => elementValue(type, x));
  return {
    a: values(types.a, a),
    row: 0,
    b: values(types.b, b),
    column: 0,
    c: values(types.c, [c]),
    place: 0,
    k: a.length,
  };
}
