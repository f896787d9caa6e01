// Conversions between register bits and numbers. Types of up to 32 bits are exact as `number`;
// 64-bit types are `bigint`.
import type { Mods } from '../../isa/index.ts';
import type { Bits } from '../types.ts';

export interface IntegerType {
  readonly width: 1 | 8 | 16 | 32 | 64;
  readonly signed: boolean;
}

const integerTypes: Readonly<Record<string, IntegerType>> = {
  pred: { width: 1, signed: false },
  b8: { width: 8, signed: false },
  u8: { width: 8, signed: false },
  s8: { width: 8, signed: true },
  b16: { width: 16, signed: false },
  u16: { width: 16, signed: false },
  s16: { width: 16, signed: true },
  b32: { width: 32, signed: false },
  u32: { width: 32, signed: false },
  s32: { width: 32, signed: true },
  b64: { width: 64, signed: false },
  u64: { width: 64, signed: false },
  s64: { width: 64, signed: true },
};

/**
 * Returns the width and signedness of an integer, bit or predicate type. Bit types count as
 * unsigned. Throws an error for other types.
 */
export function integerType(name: string | undefined): IntegerType {
  const type = integerTypes[name ?? ''];
  if (type === undefined) throw new Error(`'.${name}' is not an integer type.`);
  return type;
}

/** Returns the type in slot `slot` of the instruction. */
export function typeIn(mods: Mods, slot = 'type'): IntegerType {
  return integerType(mods[slot]);
}

export function isWide(type: IntegerType): boolean {
  return type.width === 64;
}

/** Returns the i-th source. Throws an error if there are fewer sources. */
export function sourceAt(sources: readonly Bits[], i: number): Bits {
  const bits = sources[i];
  if (bits === undefined) throw new Error(`The instruction has no source ${i}: ${sources.length} given.`);
  return bits;
}

/** Returns the i-th source as an unsigned 32-bit number. */
export function wordAt(sources: readonly Bits[], i: number): number {
  const bits = sourceAt(sources, i);
  return typeof bits === 'bigint' ? Number(BigInt.asUintN(32, bits)) : bits >>> 0;
}

/** Returns the i-th source as an unsigned 64-bit number. */
export function wideSource(sources: readonly Bits[], i: number): bigint {
  const bits = sourceAt(sources, i);
  return BigInt.asUintN(64, typeof bits === 'bigint' ? bits : BigInt(bits));
}

/** Returns the low bits of a register as a number of a type of up to 32 bits. */
export function narrowValue(bits: Bits, { width, signed }: IntegerType): number {
  const word = typeof bits === 'bigint' ? Number(BigInt.asUintN(32, bits)) : bits;
  const unusedBits = 32 - width;
  return signed ? (word << unusedBits) >> unusedBits : (word << unusedBits) >>> unusedBits;
}

/** Returns a register's bits as a number of any type. */
export function wideValue(bits: Bits, { width, signed }: IntegerType): bigint {
  const value = BigInt(bits);
  return signed ? BigInt.asIntN(width, value) : BigInt.asUintN(width, value);
}

/**
 * Returns the bits of an integer, modulo 2^width. The magnitude of the integer must be below 2^53.
 */
export function narrowBits(value: number, { width }: IntegerType): number {
  const unusedBits = 32 - width;
  return (value << unusedBits) >>> unusedBits;
}

/**
 * Returns the bits of an integer, modulo 2^width: a `number` for up to 32 bits, otherwise a
 * `bigint`.
 */
export function integerBits(value: bigint, { width }: IntegerType): Bits {
  const bits = BigInt.asUintN(width, value);
  return width === 64 ? bits : Number(bits);
}

/** Returns the least and the greatest value of a type. */
function rangeOf({ width, signed }: IntegerType): { readonly least: bigint; readonly greatest: bigint } {
  const bits = BigInt(width);
  return signed
    ? { least: -(1n << (bits - 1n)), greatest: (1n << (bits - 1n)) - 1n }
    : { least: 0n, greatest: (1n << bits) - 1n };
}

/** Returns the value of the type that is nearest to `value`. */
export function clamped(value: bigint, type: IntegerType): bigint {
  const { least, greatest } = rangeOf(type);
  if (value < least) return least;
  return value > greatest ? greatest : value;
}

/**
 * Returns the bits of an integral number, clamped to the type's range. For 64-bit types, the
 * magnitude of the number must be at most 2^128.
 */
export function clampedBits(value: number, type: IntegerType): Bits {
  const { width, signed } = type;
  if (width === 64) return integerBits(clamped(BigInt(value), type), type);
  const greatest = signed ? 2 ** (width - 1) - 1 : 2 ** width - 1;
  const least = signed ? -greatest - 1 : 0;
  return narrowBits(Math.min(Math.max(value, least), greatest), type);
}

export function lesser(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}

export function greater(a: bigint, b: bigint): bigint {
  if (a > b) return a;
  return b;
}
