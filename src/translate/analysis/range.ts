// Intervals of integers that represent bits modulo 2^width.
import { type Type, widthOf } from '../ir/types.ts';

export interface Range {
  readonly min: number;
  readonly max: number;
}

const anywhere: Range = { min: -Infinity, max: Infinity };
const anyByWidth: ReadonlyMap<number, Range> = new Map(
  [1, 8, 16, 32].map((bits) => [bits, { min: 0, max: 2 ** bits - 1 }]),
);

/**
 * Returns the range of an unknown value. Values of more than 32 bits have ranges only within the
 * integers that a double holds exactly.
 */
export const anyOf = (type: Type): Range => anyByWidth.get(widthOf(type)) ?? anywhere;
export const anyWord: Range = anyOf('i32');

/** Returns the range from 0 to `count - 1`. */
export const below = (count: number): Range => ({ min: 0, max: count - 1 });

export const sameRange = (a: Range, b: Range): boolean => a.min === b.min && a.max === b.max;
export const isAny = (type: Type, range: Range): boolean => sameRange(range, anyOf(type));

/**
 * Returns [min, max], possibly shifted by a multiple of 2^width. Returns the full range if the
 * interval is too wide, or too large for exact arithmetic.
 */
export function rangeOf(type: Type, min: number, max: number): Range {
  const any = anyOf(type);
  if (!Number.isSafeInteger(min) || !Number.isSafeInteger(max)) return any;
  if (any === anywhere) return { min, max };
  const modulus = any.max + 1;
  if (max - min >= any.max) return any;
  if (min >= -modulus / 2 && max <= any.max) return { min, max };
  const shift = Math.floor(max / modulus) * modulus;
  return min - shift >= -modulus / 2 ? { min: min - shift, max: max - shift } : any;
}

export function exactly(type: Type, bits: bigint): Range {
  const number = Number(widthOf(type) > 32 ? BigInt.asIntN(64, bits) : bits);
  return rangeOf(type, number, number);
}

/**
 * Returns the smallest range that contains two ranges, as signed or unsigned numbers: the union of
 * -1 and 0 is [-1, 0], not [0, 2^32 - 1].
 */
export function union(type: Type, a: Range, b: Range): Range {
  if (a === b) return a;
  const direct = hull(a, b);
  const around = hull(signed(type, a), signed(type, b));
  const { min, max } = around.max - around.min < direct.max - direct.min ? around : direct;
  return rangeOf(type, min, max);
}

const hull = (a: Range, b: Range): Range => ({ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) });

/** Returns the range as unsigned numbers, for right shifts, quotients and comparisons. */
export function unsigned(type: Type, range: Range): Range {
  const { min, max } = range;
  if (min >= 0) return range;
  const any = anyOf(type);
  if (any === anywhere) return { min: 0, max: Infinity };
  return max < 0 ? { min: min + any.max + 1, max: max + any.max + 1 } : any;
}

export function signed(type: Type, range: Range): Range {
  const any = anyOf(type);
  if (any === anywhere) return range;
  const { min, max } = range;
  const modulus = any.max + 1;
  const limit = modulus / 2 - 1;
  if (min > limit) return { min: min - modulus, max: max - modulus };
  return max > limit ? { min: -modulus / 2, max: limit } : range;
}

/**
 * Returns the largest number with as many bits as `max`, which bounds `or` and `xor` of numbers up
 * to `max`. Computed with integers: from 2^49, the logarithm of a number next to a power of two
 * rounds to that power.
 */
export function allBitsOf(max: number): number {
  if (!Number.isSafeInteger(max)) return Infinity;
  const high = Math.floor(max / 2 ** 32);
  return 2 ** (high > 0 ? 64 - Math.clz32(high) : 32 - Math.clz32(max)) - 1;
}

/** Returns the number of bits that hold every number of a range of words. */
export const bitsIn = ({ min, max }: Range): number =>
  min < 0 || max > 0xffff_ffff ? 32 : Math.max(32 - Math.clz32(max), 1);

/** Returns the range of a special register, by name; undefined if it is unknown. */
export type SpecialRanges = (name: string) => Range | undefined;
