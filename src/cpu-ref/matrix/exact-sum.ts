// Sums of products of narrow floating-point numbers, without rounding errors.
import type { ElementType } from '../../isa/fragments.ts';
import { bf16, type Format, f16, f32, formatWith, valueIn } from '../lane/half-format.ts';

const e5m2 = formatWith(2, 8, -14, 15);
/**
 * The format e4m3. Unlike in other formats, numbers can have the greatest exponent: only the last
 * pattern of each sign is a NaN, and there are no infinities.
 */
const e4m3 = formatWith(3, 8, -6, 8);

const formats: Readonly<Partial<Record<ElementType, Format>>> = { f16, bf16, f32, tf32: f32, e5m2, e4m3 };

/** Returns the format of a floating-point type of up to 32 bits. Throws for other types. */
export function formatOfElement(type: ElementType): Format {
  const format = formats[type];
  if (format === undefined) throw new RangeError(`no floating-point format ${type}`);
  return format;
}

/**
 * Returns the value of an element. The low 13 bits of tf32 are ignored. In e4m3, the patterns of
 * other formats' infinities are numbers.
 */
export function valueOfElement(type: ElementType, bits: number): number {
  if (type === 'e4m3' && bits % 0x80 === 0x7f) return Number.NaN;
  return valueIn(formatOfElement(type), type === 'tf32' ? bits - (bits % 0x2000) : bits);
}

/**
 * Returns the sum of the first `count` terms. If no double equals the exact sum, the result
 * compares like the exact sum with every value of f32 and narrower formats, and with every midpoint
 * of two such values. A sum with infinities of one sign is that infinity; a sum with infinities of
 * both signs is NaN.
 */
export function sumOfTerms(terms: Float64Array, count: number): number {
  let sum = 0;
  let isNegativeZero = true;
  for (let at = 0; at < count; at++) {
    const term = terms[at] ?? 0;
    isNegativeZero &&= term === 0 && Object.is(term, -0);
    const next = sum + term;
    // Compute the error of the rounded sum, by Knuth's two-sum.
    const part = next - sum;
    const lost = sum - (next - part) + (term - part);
    if (lost !== 0 && Number.isFinite(next)) return wideSum(terms, count);
    sum = next;
  }
  return isNegativeZero ? -0 : sum;
}

/** The parts of a sum: numbers whose bits do not overlap, ordered from the smallest. */
const parts = new Float64Array(1100);

/**
 * Returns the sum of the terms, computed exactly (Shewchuk's expansions) and then rounded to odd.
 * An inexact result is therefore not the midpoint of two narrower numbers.
 */
function wideSum(terms: Float64Array, count: number): number {
  let [length, plain] = [0, 0];
  for (let at = 0; at < count; at++) {
    let x = terms[at] ?? 0;
    plain += x;
    let kept = 0;
    for (let index = 0; index < length; index++) {
      const y = parts[index] ?? 0;
      const [large, small] = Math.abs(x) < Math.abs(y) ? [y, x] : [x, y];
      const sum = large + small;
      const lost = small - (sum - large);
      if (lost !== 0) parts[kept++] = lost;
      x = sum;
    }
    parts[kept] = x;
    length = kept + 1;
  }
  if (!Number.isFinite(plain)) return plain;
  let nearest = parts[--length] ?? 0;
  let rest = 0;
  while (length > 0 && rest === 0) {
    const [large, small] = [nearest, parts[--length] ?? 0];
    nearest = large + small;
    rest = small - (nearest - large);
  }
  return rest === 0 ? nearest : odd(nearest, rest);
}

const word = new BigInt64Array(1);
const double = new Float64Array(word.buffer);

/**
 * Rounds an inexact sum to odd: returns `nearest` if its last bit is set, otherwise its neighbor in
 * the direction of the error `rest`.
 */
function odd(nearest: number, rest: number): number {
  double[0] = nearest;
  const bits = word[0] ?? 0n;
  if ((bits & 1n) === 0n) word[0] = rest > 0 === nearest > 0 ? bits + 1n : bits - 1n;
  return double[0];
}
