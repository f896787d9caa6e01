// Intervals of integers that stand for bits modulo 2^width.
import { type Type, widthOf } from '../ir/types.ts';

export interface Range {
  readonly min: number;
  readonly max: number;
}

const anywhere: Range = { min: -Infinity, max: Infinity };
const anyByWidth: ReadonlyMap<number, Range> = new Map(
  [1, 8, 16, 32].map((bits) => [bits, { min: 0, max: 2 ** bits - 1 }]),
);

/** Of a value that nothing is known of. Values of more than 32 bits have ranges only as far as a double counts exactly. */
export const anyOf = (type: Type): Range => anyByWidth.get(widthOf(type)) ?? anywhere;
export const anyWord: Range = anyOf('i32');

/** The numbers from 0 to one less than `count`. */
export const below = (count: number): Range => ({ min: 0, max: count - 1 });

export const sameRange = (a: Range, b: Range): boolean => a.min === b.min && a.max === b.max;
export const isAny = (type: Type, range: Range): boolean => sameRange(range, anyOf(type));

/** [min, max] itself or moved by a multiple of 2^width; anything where it is too wide, or too far off for exact arithmetic. */
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

export const union = (type: Type, a: Range, b: Range): Range =>
  rangeOf(type, Math.min(a.min, b.min), Math.max(a.max, b.max));

/** As unsigned numbers, by which right shifts, quotients and comparisons go. */
export function unsigned(type: Type, { min, max }: Range): Range {
  const any = anyOf(type);
  if (min >= 0) return { min, max };
  if (any === anywhere) return { min: 0, max: Infinity };
  return max < 0 ? { min: min + any.max + 1, max: max + any.max + 1 } : any;
}

export function signed(type: Type, { min, max }: Range): Range {
  const any = anyOf(type);
  if (any === anywhere) return { min, max };
  const modulus = any.max + 1;
  const limit = modulus / 2 - 1;
  if (min > limit) return { min: min - modulus, max: max - modulus };
  return max > limit ? { min: -modulus / 2, max: limit } : { min, max };
}

/**
 * The greatest number of as many bits as another one has: what `or` and `xor` of numbers up to that stay below. Counted in integers, since a logarithm of a sum
 * next to a power of two is rounded to that power, from 2^49 on.
 */
export function allBitsOf(max: number): number {
  if (!Number.isSafeInteger(max)) return Infinity;
  const high = Math.floor(max / 2 ** 32);
  return 2 ** (high > 0 ? 64 - Math.clz32(high) : 32 - Math.clz32(max)) - 1;
}

/** Bits that every number of a range of words needs at most. */
export const bitsIn = ({ min, max }: Range): number =>
  min < 0 || max > 0xffff_ffff ? 32 : Math.max(32 - Math.clz32(max), 1);

/** Ranges of special registers, by name; undefined where nothing is known. */
export type SpecialRanges = (name: string) => Range | undefined;
