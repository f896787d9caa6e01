// How far a sum of products may be from the exact one where the manual leaves it open.
import { type Format, f32, isNaNIn, sizeOf, valueIn } from '../lane/half-format.ts';
import type { Bits } from '../types.ts';
import { formatOfElement, sumOfProducts, valueOfElement } from './exact-sum.ts';
import type { MultiplyRules } from './multiply.ts';

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
  terms: readonly number[],
  total: number,
  places: number,
  { fraction, least }: Format,
): boolean {
  const unit = Math.min(...terms.filter((term) => term !== 0).map(lowestBit));
  const kept = Math.min(places, fraction);
  // Flushed below the least normal number: sums that cancel may be as small as the lowest bit.
  return total < 2 ** (unit + kept) && unit >= Math.max(least - fraction, f32.least);
}

const isSubnormal = (format: Format, bits: number): boolean =>
  sizeOf(format, bits) !== 0 && sizeOf(format, bits) < 2 ** format.fraction;

/// The largest distance from the exact sum that is right; 0 where every order of adding gives the same. With S the sum of the terms' absolute values:
/// - each addition may lose 2^-22 S (2^-12 S of products of 8-bit types), and a few more roundings to the format of D may lose a place each; for f16, one every
///   four products;
/// - elements of bf16, tf32 and f32 that are subnormal may count as zeros, and so may what becomes subnormal in f32.
/// It is infinite where sums on the way may leave the format of D, and where such a zero meets an infinity.
export function errorBound(rules: MultiplyRules, a: readonly Bits[], b: readonly Bits[], c: Bits): number {
  const { types } = rules;
  if (types.d === 's32' || types.d === 'f64') return 0;
  const format = formatOfElement(types.d);
  const { sum, terms } = sumOfProducts(types, a.map(Number), b.map(Number), Number(c));
  const finite = terms.filter(Number.isFinite);
  const total = finite.reduce((size, term) => size + Math.abs(term), 0);
  // On the way, numbers may have become infinities.
  if (total >= 2 ** format.greatest && !Number.isNaN(sum)) return Number.POSITIVE_INFINITY;
  const flushed = lostSubnormals(rules, a, b, c);
  // An infinity times a subnormal number that counts as zero is a NaN.
  if (!Number.isFinite(sum)) return flushed === Number.POSITIVE_INFINITY ? flushed : 0;
  const places = placesOf(rules);
  if (total === 0 || isExactInAnyOrder(terms, total, places, format)) return flushed;
  const roundings = types.d === 'f16' ? Math.ceil(a.length / 4) + 1 : 2;
  const cut = (terms.length * 2 ** (1 - places) + roundings * 2 ** -format.fraction) * total;
  const underflow =
    terms.length * 2 ** f32.least + (types.d === 'f16' ? roundings * 2 ** (format.least - format.fraction) : 0);
  return flushed + cut + underflow;
}

/// The terms of subnormal elements, of types whose subnormal values are subnormal in f32.
function lostSubnormals({ types }: MultiplyRules, a: readonly Bits[], b: readonly Bits[], c: Bits): number {
  const isLost = (type: MultiplyRules['types']['a'], bits: Bits) => {
    const format = formatOfElement(type);
    return format.least === f32.least && isSubnormal(format, Number(bits));
  };
  let lost = isLost(types.c, c) ? Math.abs(valueOfElement(types.c, Number(c))) : 0;
  a.forEach((x, k) => {
    const y = b[k] ?? 0;
    if (isLost(types.a, x) || isLost(types.b, y)) {
      lost += Math.abs(valueOfElement(types.a, Number(x)) * valueOfElement(types.b, Number(y)));
    }
  });
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
