// Sums of products of narrow floating-point numbers, without rounding.
import type { ElementType } from '../../isa/fragments.ts';
import { bf16, type Format, f16, f32, formatWith, valueIn } from '../lane/half-format.ts';

const e5m2 = formatWith(2, 8, -14, 15);
/// Its greatest exponent has numbers too; only the last pattern of each sign is a NaN, and there are no infinities.
const e4m3 = formatWith(3, 8, -6, 8);

const formats: Readonly<Partial<Record<ElementType, Format>>> = { f16, bf16, f32, tf32: f32, e5m2, e4m3 };

/// The format of a floating-point type of up to 32 bits. Throws for others.
export function formatOfElement(type: ElementType): Format {
  const format = formats[type];
  if (format === undefined) throw new RangeError(`no floating-point format ${type}`);
  return format;
}

/// By type of up to 16 bits, the value of each pattern: an element of a matrix is looked at for every row or column that it meets.
const tables = new Map<ElementType, Float64Array>();

/// The value of an element. Of tf32 the low 13 bits mean nothing.
export function valueOfElement(type: ElementType, bits: number): number {
  const known = tables.get(type);
  if (known !== undefined) return known[bits] ?? Number.NaN;
  const format = formatOfElement(type);
  if (format.bits > 16) return valueIn(format, type === 'tf32' ? bits - (bits % 0x2000) : bits);
  const holdsNaN = (pattern: number): boolean => type === 'e4m3' && pattern % 0x80 === 0x7f;
  const table = Float64Array.from({ length: 2 ** format.bits }, (_, pattern) =>
    holdsNaN(pattern) ? Number.NaN : valueIn(format, pattern),
  );
  tables.set(type, table);
  return table[bits] ?? Number.NaN;
}

/// The types of a row of A, a column of B, and an element of C.
export type SumTypes = Readonly<Record<'a' | 'b' | 'c', ElementType>>;

export interface ExactSum {
  /// The sum as a double that lies on the same side as it of every value, and of every middle between two, of f32 and narrower formats.
  readonly sum: number;
  /// Products and addend, each exact.
  readonly terms: readonly number[];
}

/// `a[0] * b[0] + a[1] * b[1] + … + c`. An infinity with infinities of its sign only is the sum; opposite ones, and zero times an infinity, give NaN.
export function sumOfProducts(types: SumTypes, a: readonly number[], b: readonly number[], c: number): ExactSum {
  // A product of two numbers of 24 bits at most has 48, and a double holds its exponent.
  const terms = a.map((bits, k) => valueOfElement(types.a, bits) * valueOfElement(types.b, b[k] ?? 0));
  terms.push(valueOfElement(types.c, c));
  let sum = 0;
  let isNegativeZero = true;
  for (const term of terms) {
    isNegativeZero &&= Object.is(term, -0);
    const next = sum + term;
    // Knuth's two-sum: what the rounded sum has lost.
    const part = next - sum;
    const lost = sum - (next - part) + (term - part);
    if (lost !== 0 && Number.isFinite(next)) return { sum: wideSum(terms), terms };
    sum = next;
  }
  return { sum: isNegativeZero ? -0 : sum, terms };
}

/// The least product is of two subnormal numbers, 2^-149 each.
const unitExponent = -298;

function wideSum(terms: readonly number[]): number {
  if (!terms.every(Number.isFinite)) return terms.reduce((sum, term) => sum + term, 0);
  const total = terms.reduce((sum, term) => sum + scaled(term), 0n);
  const size = total < 0n ? -total : total;
  const excess = BigInt(Math.max(size.toString(2).length - 53, 0));
  const kept = size >> excess;
  // Rounded to odd: one that has lost something is no middle between two narrower numbers.
  const odd = kept << excess === size ? kept : kept | 1n;
  const value = Number(odd) * 2 ** (Number(excess) + unitExponent);
  return total < 0n ? -value : value;
}

/// In units of 2^unitExponent. The largest product is below 2^256, so that a double holds it.
const scaled = (term: number): bigint => BigInt(term * 2 ** -unitExponent);
