// Which results of a sum of products are right. The manual specifies neither the order of the
// additions nor how often the sum is rounded.
//
// The reference is the exact sum, rounded once. A slack excuses another answer only if some order of
// additions, each rounded or cut off after `placesOf` places, can give that answer:
// - If every order gives the exact sum, the answer must have the reference's bits, including the sign
//   of a zero.
// - A finite answer is within `distance` of the exact sum. Subnormal elements, addends and sums count,
//   as tensor cores keep them: the sum of subnormal numbers loses at most the format's least bit.
// - -0 replaces another zero only if the form keeps the sign of a zero and a negative sum may be too small
//   for the format: sums that cancel are +0.
// - An infinity is right only if the terms of its sign can overflow, and a NaN only if infinities of
//   both signs can meet.
// - A NaN is NVIDIA's canonical one.
import { canonicalOf, type Format, f32, infinityOf, isNaNIn, signOf, sizeOf, valueIn } from '../lane/half-format.ts';
import type { Bits } from '../types.ts';
import { formatOfElement } from './exact-sum.ts';
import { factorsOf, type MultiplyRules, sumOf } from './multiply.ts';

/**
 * The places of fraction that additions keep. Hardware aligns the terms to the largest one and cuts
 * them off after 23 places or more; of products of 8-bit types it keeps 13. Additions in f32 keep 23.
 */
const placesOf = ({ types }: MultiplyRules): number => (types.a === 'e4m3' || types.a === 'e5m2' ? 13 : 23);

const scratch = new DataView(new ArrayBuffer(8));

/** The exponent of the lowest bit of a finite double that is not zero. */
function lowestBit(value: number): number {
  scratch.setFloat64(0, value);
  const [high, low] = [scratch.getUint32(0), scratch.getUint32(4)];
  const field = (high >>> 20) & 0x7ff;
  const exponent = Math.max(field, 1) - 1075;
  if (low !== 0) return exponent + trailingZeros(low);
  return exponent + 32 + trailingZeros((high & 0xf_ffff) | (field === 0 ? 0 : 0x10_0000));
}

const trailingZeros = (word: number): number => 31 - Math.clz32(word & -word);

/**
 * Answers other than the reference that are right. An answer must have the reference's bits if both
 * are 0.
 */
export interface Slack {
  /** The largest distance of a finite answer from the reference. */
  readonly distance: number;
  /** A sum of `otherAnswers`. */
  readonly others: number;
}

/**
 * What may replace a finite number, or an infinity: see the rules above. `finite`: the reference is an
 * infinity because a sum of numbers overflows, so the greatest numbers may be within the distance.
 */
export const otherAnswers = {
  negativeZero: 1,
  plusInfinity: 2,
  minusInfinity: 4,
  nan: 8,
  finite: 16,
} as const;

const noSlack: Slack = { distance: 0, others: 0 };

/** The slack of an element of D, from the bits of its row of A, its column of B and its element of C. */
export function slackOf(rules: MultiplyRules, a: readonly Bits[], b: readonly Bits[], c: Bits): Slack {
  const { d } = rules.types;
  if (d === 's32' || d === 'f64') return noSlack;
  const terms = new Float64Array(a.length + 1);
  const sum = sumOf(factorsOf(rules, a, b, c), terms);
  return slackOfSum(rules, terms, sum);
}

/** The same, given the terms and the sum from `sumOf`. D has a floating-point type other than f64. */
export function slackOfSum(rules: MultiplyRules, terms: Float64Array, sum: number): Slack {
  if (Number.isNaN(sum)) return noSlack;
  const { types } = rules;
  const format = formatOfElement(types.d);
  const places = placesOf(rules);
  const facts = factsOf(terms);
  const { plus, minus, unit } = facts;
  const total = plus + minus;
  // Below this bit, additions lose what a term has.
  const least = Math.max(format.least - format.fraction, f32.least - places);
  const isExact = unit >= least && total < 2 ** (unit + Math.min(places, format.fraction));
  const distance = isExact ? 0 : distanceOf(rules, format, terms.length, total);
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
  /** The sums of the positive terms and of the sizes of the negative ones, infinities left out. */
  readonly plus: number;
  readonly minus: number;
  /** The exponent of the lowest bit of any term; infinite if all are zero. */
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
 * With S the sum of the terms' absolute values: each addition may lose 2^-22 S (2^-12 S of products of
 * 8-bit types), and a few more roundings to the format of D may lose a place each; for f16, one every
 * four products. Where numbers are subnormal, each of these loses at most the least bit instead.
 */
function distanceOf(rules: MultiplyRules, format: Format, count: number, total: number): number {
  const places = placesOf(rules);
  const isHalf = rules.types.d === 'f16';
  const roundings = isHalf ? Math.ceil((count - 1) / 4) + 1 : 2;
  const cut = (count * 2 ** (1 - places) + roundings * 2 ** -format.fraction) * total;
  const underflow =
    count * 2 ** (f32.least - places) + (isHalf ? roundings * 2 ** (format.least - format.fraction) : 0);
  return cut + underflow;
}

/** Whether `bits` are right for an element of D, given its reference and its slack. */
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

/** The value of bits that are not a NaN; of an infinity, the power of two after the greatest number. */
function finiteIn(format: Format, bits: number): number {
  const value = valueIn(format, bits);
  return Number.isFinite(value) ? value : Math.sign(value) * 2 ** (format.greatest + 1);
}
