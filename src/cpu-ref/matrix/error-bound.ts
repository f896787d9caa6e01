// How far a sum of products may be from the exact one where the manual leaves it open.
import { type Format, f32, isNaNIn, valueIn } from '../lane/half-format.ts';
import type { Bits } from '../types.ts';
import { formatOfElement } from './exact-sum.ts';
import { type Factors, factorsOf, type MultiplyRules, sumOf } from './multiply.ts';

/// What adding may lose. Hardware aligns the terms to the largest and cuts them off: at 23 places of fraction or more, at 13 of products of 8-bit types.
/// Additions in f32 keep 24 places.
const placesOf = ({ types }: MultiplyRules): number => (types.a === 'e4m3' || types.a === 'e5m2' ? 13 : 23);

const scratch = new DataView(new ArrayBuffer(8));

/// The exponent of the lowest bit of a finite double that is not zero.
function lowestBit(value: number): number {
  scratch.setFloat64(0, value);
  const [high, low] = [scratch.getUint32(0), scratch.getUint32(4)];
  const field = (high >>> 20) & 0x7ff;
  const exponent = Math.max(field, 1) - 1075;
  if (low !== 0) return exponent + trailingZeros(low);
  return exponent + 32 + trailingZeros((high & 0xf_ffff) | (field === 0 ? 0 : 0x10_0000));
}

const trailingZeros = (word: number): number => 31 - Math.clz32(word & -word);

/// Whether every sum of some of the terms has few enough places for all ways to add, in an accumulator of a format.
function isExactInAnyOrder(
  terms: Float64Array,
  count: number,
  total: number,
  places: number,
  { fraction, least }: Format,
): boolean {
  const kept = Math.min(places, fraction);
  // Flushed below the least normal number: sums that cancel may be as small as the lowest bit.
  const lowest = Math.max(least - fraction, f32.least);
  let unit = Number.POSITIVE_INFINITY;
  for (let at = 0; at < count; at++) {
    const term = terms[at] ?? 0;
    if (term === 0) continue;
    unit = Math.min(unit, lowestBit(term));
    if (unit < lowest || total >= 2 ** (unit + kept)) return false;
  }
  return true;
}

/// The largest distance from the exact sum that is right; 0 where every order of adding gives the same. With S the sum of the terms' absolute values:
/// - each addition may lose 2^-22 S (2^-12 S of products of 8-bit types), and a few more roundings to the format of D may lose a place each; for f16, one every
///   four products;
/// - elements of bf16, tf32 and f32 that are subnormal may count as zeros, and so may what becomes subnormal in f32.
/// It is infinite where sums on the way may leave the format of D, and where such a zero meets an infinity.
export function errorBound(rules: MultiplyRules, a: readonly Bits[], b: readonly Bits[], c: Bits): number {
  const { d } = rules.types;
  if (d === 's32' || d === 'f64') return 0;
  const terms = new Float64Array(a.length + 1);
  const factors = factorsOf(rules, a, b, c);
  return boundOf(rules, factors, terms, sumOf(factors, terms));
}

/// The same of what `sumOf` gives, terms and sum. D has a floating-point type other than f64.
export function boundOf(
  rules: MultiplyRules,
  factors: Factors<Float64Array>,
  terms: Float64Array,
  sum: number,
): number {
  const { types } = rules;
  const format = formatOfElement(types.d);
  const count = factors.k + 1;
  let total = 0;
  for (let at = 0; at < count; at++) {
    const size = Math.abs(terms[at] ?? 0);
    if (size < Number.POSITIVE_INFINITY) total += size;
  }
  // On the way, numbers may have become infinities.
  if (total >= 2 ** format.greatest && !Number.isNaN(sum)) return Number.POSITIVE_INFINITY;
  const flushed = lostSubnormals(rules, factors, terms);
  // An infinity times a subnormal number that counts as zero is a NaN.
  if (!Number.isFinite(sum)) return flushed === Number.POSITIVE_INFINITY ? flushed : 0;
  const places = placesOf(rules);
  if (total === 0 || isExactInAnyOrder(terms, count, total, places, format)) return flushed;
  const roundings = types.d === 'f16' ? Math.ceil(factors.k / 4) + 1 : 2;
  const cut = (count * 2 ** (1 - places) + roundings * 2 ** -format.fraction) * total;
  const underflow =
    count * 2 ** f32.least + (types.d === 'f16' ? roundings * 2 ** (format.least - format.fraction) : 0);
  return flushed + cut + underflow;
}

/// Below which numbers of a type are subnormal in f32, too; 0 where none are.
const leastKept = (type: MultiplyRules['types']['a']): number => {
  const { least } = formatOfElement(type);
  return least === f32.least ? 2 ** least : 0;
};

/// The terms of subnormal elements, of types whose subnormal values are subnormal in f32.
function lostSubnormals(
  { types }: MultiplyRules,
  { a, row, b, column, c, place, k }: Factors<Float64Array>,
  terms: Float64Array,
): number {
  const addend = Math.abs(c[place] ?? 0);
  let lost = addend < leastKept(types.c) ? addend : 0;
  const [leastA, leastB] = [leastKept(types.a), leastKept(types.b)];
  if (leastA === 0 && leastB === 0) return lost;
  for (let at = 0; at < k; at++) {
    const [x, y] = [Math.abs(a[row + at] ?? 0), Math.abs(b[column + at] ?? 0)];
    if ((x !== 0 && x < leastA) || (y !== 0 && y < leastB)) lost += Math.abs(terms[at] ?? 0);
  }
  return lost;
}

/// Whether `bits` are right for an element of D, given its reference and bound. NaNs are compared by bits, zeros by value.
export function isAllowedElement(rules: MultiplyRules, reference: Bits, bound: number, bits: Bits): boolean {
  if (bits === reference || bound === Number.POSITIVE_INFINITY) return true;
  const { d } = rules.types;
  if (d === 's32' || d === 'f64') return false;
  const format = formatOfElement(d);
  const [expected, actual] = [Number(reference), Number(bits)];
  if (isNaNIn(format, expected) || isNaNIn(format, actual)) return false;
  return Math.abs(valueIn(format, expected) - valueIn(format, actual)) <= bound;
}
