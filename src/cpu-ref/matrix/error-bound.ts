// Bounds for sums of products: the results that are allowed for an element of D. The manual
// specifies neither the order of the additions nor how often the sum is rounded.
//
// The reference is the exact sum, rounded once. A slack allows another answer only if some order of
// additions can produce it, each addition being rounded or truncated after `placesOf` places:
// - If every order returns the exact sum, the answer must have the reference's bits, including the
//   sign of a zero.
// - A finite answer is within `distance` of the exact sum. Subnormal elements, addends and sums
//   count, because tensor cores keep them: a sum of subnormal numbers loses at most the format's
//   least bit.
// - Tensor cores align terms by the exponents of their operands, and do not normalize products of
//   subnormal elements first. A subnormal element has the exponent of the least normal number. So
//   the terms lose the bits below the largest *nominal* exponent of a term, less `placesOf`, even
//   if that term itself is small. (Models of tensor cores: arXiv 2511.10909, arXiv 2512.07004.).
// - -0 replaces another zero only if the form keeps the sign of a zero and a negative sum may be
//   too small for the format: sums that cancel are +0.
// - An infinity is allowed only if the terms of its sign can overflow, and a NaN only if infinities
//   of both signs can meet.
// - A NaN is NVIDIA's canonical NaN.
import { at } from '../../base/invariants.ts';
import type { ElementType } from '../../isa/fragments.ts';
import { canonicalOf, type Format, f32, infinityOf, isNaNIn, signOf, sizeOf, valueIn } from '../lane/half-format.ts';
import type { Bits } from '../types.ts';
import { formatOfElement } from './exact-sum.ts';
import { type Factors, factorsOf, type MultiplyRules, sumOf } from './multiply.ts';

/**
 * Returns the number of fraction places to which additions are exact. Hardware aligns the terms to
 * the largest exponent and truncates them after at least 23 places, or after 13 places for products
 * of 8-bit types. Additions in f32 have 23 places.
 */
const placesOf = ({ types }: MultiplyRules): number => (types.a === 'e4m3' || types.a === 'e5m2' ? 13 : 23);

const scratch = new DataView(new ArrayBuffer(8));

/** Returns the exponent of the lowest set bit of a finite double other than zero. */
function lowestBit(value: number): number {
  scratch.setFloat64(0, value);
  const [high, low] = [scratch.getUint32(0), scratch.getUint32(4)];
  const field = (high >>> 20) & 0x7ff;
  const exponent = Math.max(field, 1) - 1075;
  if (low !== 0) return exponent + trailingZeros(low);
  return exponent + 32 + trailingZeros((high & 0xf_ffff) | (field === 0 ? 0 : 0x10_0000));
}

/** Returns the largest power of two that is at most a positive, finite, normal double. */
function powerBelow(value: number): number {
  scratch.setFloat64(0, value);
  scratch.setUint32(0, scratch.getUint32(0) & 0x7ff0_0000);
  scratch.setUint32(4, 0);
  return scratch.getFloat64(0);
}

const trailingZeros = (word: number): number => 31 - Math.clz32(word & -word);

/**
 * The allowed results other than the reference. If both fields are 0, the result must have the
 * reference's bits.
 */
export interface Slack {
  /** The maximum distance of a finite result from the reference. */
  readonly distance: number;
  /** A union of `otherAnswers`. */
  readonly others: number;
}

/**
 * Flags for the other results that are allowed, by the rules at the top of this file. `finite`: the
 * reference is infinite because a sum of finite terms overflows; a finite result within the
 * distance of that sum is then also allowed.
 */
export const otherAnswers = {
  negativeZero: 1,
  plusInfinity: 2,
  minusInfinity: 4,
  nan: 8,
  finite: 16,
} as const;

const noSlack: Slack = { distance: 0, others: 0 };

/**
 * Returns the slack of an element of D, from the bits of its row of A, its column of B and its
 * element of C.
 */
export function slackOf(rules: MultiplyRules, a: readonly Bits[], b: readonly Bits[], c: Bits): Slack {
  const { d } = rules.types;
  if (d === 's32' || d === 'f64') return noSlack;
  const terms = new Float64Array(a.length + 1);
  const factors = factorsOf(rules, a, b, c);
  return slackOfSum(rules, factors, terms, sumOf(factors, terms));
}

/**
 * Returns the slack, from the factors and the terms and sum that `sumOf` computed from them. The
 * type of D must be a floating-point type other than f64.
 */
export function slackOfSum(
  rules: MultiplyRules,
  factors: Factors<Float64Array>,
  terms: Float64Array,
  sum: number,
): Slack {
  if (Number.isNaN(sum)) return noSlack;
  const { types } = rules;
  const format = formatOfElement(types.d);
  const places = placesOf(rules);
  const facts = factsOf(terms);
  const { plus, minus, unit } = facts;
  const total = plus + minus;
  const scale = Math.max(total, nominalSize(rules, factors));
  // The exponent below which additions may drop bits of a term.
  const least = Math.max(format.least - format.fraction, f32.least - places);
  const isExact =
    unit >= least && scale < 2 ** (unit + places + 1) && total < 2 ** (unit + Math.min(places, format.fraction));
  const distance = isExact ? 0 : distanceOf(rules, format, terms.length, { total, scale });
  const overflowsAt = 2 ** (format.greatest + 1) - 2 ** (format.greatest - format.fraction - 1);
  const mayBe = { plus: plus + distance >= overflowsAt, minus: minus + distance >= overflowsAt };
  if (!Number.isFinite(sum)) {
    const meets = sum > 0 ? mayBe.minus : mayBe.plus;
    return meets ? { distance: 0, others: otherAnswers.nan } : noSlack;
  }
  const others =
    (rules.keepsSignOfZero && unit < least && minus > 0 ? otherAnswers.negativeZero : 0) +
    (mayBe.plus ? otherAnswers.plusInfinity : 0) +
    (mayBe.minus ? otherAnswers.minusInfinity : 0) +
    (mayBe.plus && mayBe.minus ? otherAnswers.nan : 0) +
    (Math.abs(sum) >= overflowsAt ? otherAnswers.finite : 0);
  return { distance, others };
}

interface TermFacts {
  /**
   * The sum of the magnitudes of the positive terms, and the sum of those of the negative terms,
   * without infinities.
   */
  readonly plus: number;
  readonly minus: number;
  /** The exponent of the lowest bit that is set in any term; infinite if all terms are zero. */
  readonly unit: number;
}

function factsOf(terms: Float64Array): TermFacts {
  let [plus, minus, unit] = [0, 0, Number.POSITIVE_INFINITY];
  for (const term of terms) {
    if (term === 0 || !Number.isFinite(term)) continue;
    if (term > 0) plus += term;
    else minus -= term;
    unit = Math.min(unit, lowestBit(term));
  }
  return { plus, minus, unit };
}

/**
 * Returns the largest power of two among the nominal exponents of terms with a subnormal operand,
 * or 0 if there is no such term. Other terms are at least as large as the power of their exponent.
 */
function nominalSize({ types }: MultiplyRules, { a, row, b, column, c, place, k }: Factors<Float64Array>): number {
  const [leastA, leastB, leastC] = [leastNormal(types.a), leastNormal(types.b), leastNormal(types.c)];
  const addend = Math.abs(at(c, place, 'the element of C'));
  let size = addend > 0 && addend < leastC ? leastC : 0;
  for (let index = 0; index < k; index++) {
    const [x, y] = [
      Math.abs(at(a, row + index, 'an element of A')),
      Math.abs(at(b, column + index, 'an element of B')),
    ];
    if (x === 0 || y === 0 || (x >= leastA && y >= leastB)) continue;
    const product = Math.max(powerBelow(x), leastA) * Math.max(powerBelow(y), leastB);
    if (product < Number.POSITIVE_INFINITY) size = Math.max(size, product);
  }
  return size;
}

const leastNormal = (type: ElementType): number => 2 ** formatOfElement(type).least;

interface Sizes {
  /** The sum of the magnitudes of the terms. */
  readonly total: number;
  /** The total, or the largest nominal size of a term if that is larger. */
  readonly scale: number;
}

/**
 * Returns the maximum error of a sum. Each addition may lose 2^-22 of the scale (2^-12 for products
 * of 8-bit types). A few more roundings to the format of D may each lose an ulp of the total; for
 * f16, there is one for every four products. If numbers are subnormal, each of these roundings
 * loses at most the least bit instead.
 */
function distanceOf(rules: MultiplyRules, format: Format, count: number, { total, scale }: Sizes): number {
  const places = placesOf(rules);
  const isHalf = rules.types.d === 'f16';
  const roundings = isHalf ? Math.ceil((count - 1) / 4) + 1 : 2;
  const cut = count * 2 ** (1 - places) * scale + roundings * 2 ** -format.fraction * total;
  const underflow =
    count * 2 ** (f32.least - places) + (isHalf ? roundings * 2 ** (format.least - format.fraction) : 0);
  return cut + underflow;
}

/** Whether `bits` are allowed for an element of D, given its reference and its slack. */
export function isAllowedElement(
  rules: MultiplyRules,
  reference: Bits,
  { distance, others }: Slack,
  bits: Bits,
): boolean {
  if (bits === reference) return true;
  const { d } = rules.types;
  if (d === 's32' || d === 'f64') return false;
  const format = formatOfElement(d);
  const [expected, actual] = [Number(reference), Number(bits)];
  const has = (answer: keyof typeof otherAnswers): boolean => (others & otherAnswers[answer]) !== 0;
  if (isNaNIn(format, actual)) return has('nan') && actual === canonicalOf(format);
  if (isNaNIn(format, expected)) return false;
  const infinity = infinityOf(format);
  if (sizeOf(format, actual) === infinity) return has(actual === infinity ? 'plusInfinity' : 'minusInfinity');
  if (sizeOf(format, expected) === infinity && !has('finite')) return false;
  if (actual === signOf(format) && !has('negativeZero')) return false;
  return distance > 0 && Math.abs(finiteIn(format, expected) - finiteIn(format, actual)) <= distance;
}

/**
 * Returns the value of bits other than NaN. For an infinity, returns the power of two after the
 * greatest number.
 */
function finiteIn(format: Format, bits: number): number {
  const value = valueIn(format, bits);
  return Number.isFinite(value) ? value : Math.sign(value) * 2 ** (format.greatest + 1);
}
