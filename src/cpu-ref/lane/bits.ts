// Instructions that count, find, extract and insert bits (`popc` to `bmsk`).
// https://docs.nvidia.com/cuda/parallel-thread-execution/#integer-arithmetic-instructions
import type { LaneFunction } from '../types.ts';
import { integerBits, integerType, narrowBits, narrowValue, sourceAt, typeIn, wideValue, wordAt } from './values.ts';

const s32 = integerType('s32');
const notFound = 0xffffffff;

/** Returns the position of the most significant one bit; -1 for 0. */
function topBit(a: bigint): number {
  return a === 0n ? -1 : a.toString(2).length - 1;
}

const popc: LaneFunction = (mods, sources) => {
  let rest = wideValue(sourceAt(sources, 0), typeIn(mods));
  let count = 0;
  for (; rest !== 0n; rest >>= 1n) count += Number(rest & 1n);
  return [count];
};

const clz: LaneFunction = (mods, sources) => {
  const type = typeIn(mods);
  return [type.width - 1 - topBit(wideValue(sourceAt(sources, 0), type))];
};

/**
 * Returns the position of the most significant bit that differs from the sign, or from 0 for an
 * unsigned type. With `.shiftamt`, returns the left shift that moves this bit to the most
 * significant position.
 */
const bfind: LaneFunction = (mods, sources) => {
  const type = typeIn(mods);
  const a = wideValue(sourceAt(sources, 0), type);
  const position = topBit(a < 0n ? ~a : a);
  if (position < 0) return [notFound];
  return [mods.shiftamt === undefined ? position : type.width - 1 - position];
};

/** Implements the manual's pseudocode. The result for a `base` above 31 is undefined. */
const fns: LaneFunction = (_, sources) => {
  const mask = wordAt(sources, 0);
  const base = wordAt(sources, 1);
  const offset = narrowValue(sourceAt(sources, 2), s32);
  const isSet = (pos: number) => pos < 32 && ((mask >>> pos) & 1) === 1;
  if (offset === 0) return [isSet(base) ? base : notFound];
  let count = Math.abs(offset) - 1;
  const inc = offset > 0 ? 1 : -1;
  for (let pos = base; pos >= 0 && pos < 32; pos += inc) {
    if (!isSet(pos)) continue;
    if (count === 0) return [pos];
    count--;
  }
  return [notFound];
};

const brev: LaneFunction = (mods, sources) => {
  const type = typeIn(mods);
  const a = wideValue(sourceAt(sources, 0), type);
  let d = 0n;
  for (let i = 0n; i < BigInt(type.width); i++) d = (d << 1n) | ((a >> i) & 1n);
  return [integerBits(d, type)];
};

/**
 * Extracts a bit field. Position and length are "restricted to the 8-bit value range 0..255". Only
 * their low 8 bits have an effect, as in the pseudocode, and on an H200 for 32-bit types. (For
 * 64-bit types, the H200 does not mask larger values.) Signed types extend the field with its top
 * bit, or with the sign of `a` if the field ends after the most significant bit.
 */
const bfe: LaneFunction = (mods, sources) => {
  const type = typeIn(mods);
  const a = wideValue(sourceAt(sources, 0), { ...type, signed: false });
  const pos = wordAt(sources, 1) & 0xff;
  const len = wordAt(sources, 2) & 0xff;
  const msb = type.width - 1;
  const bitAt = (i: number) => (a >> BigInt(i)) & 1n;
  const sbit = !type.signed || len === 0 ? 0n : bitAt(Math.min(pos + len - 1, msb));
  let d = 0n;
  for (let i = 0; i <= msb; i++) d |= (i < len && pos + i <= msb ? bitAt(pos + i) : sbit) << BigInt(i);
  return [integerBits(d, type)];
};

/**
 * Inserts a bit field: `f = b; f[pos + i] = a[i]`, for the bits of the field that are inside `b`.
 */
const bfi: LaneFunction = (mods, sources) => {
  const type = typeIn(mods);
  const a = wideValue(sourceAt(sources, 0), type);
  const b = wideValue(sourceAt(sources, 1), type);
  const pos = BigInt(wordAt(sources, 2) & 0xff);
  const len = BigInt(wordAt(sources, 3) & 0xff);
  const field = ((1n << len) - 1n) << pos;
  return [integerBits((b & ~field) | ((a << pos) & field), type)];
};

/**
 * Extends the low bits of `a`. For widths of 32 and more, `.clamp` returns all of `a`, and `.wrap`
 * uses the width modulo 32. The result for width 0 is 0.
 */
const szext: LaneFunction = (mods, sources) => {
  const type = typeIn(mods);
  const a = wordAt(sources, 0);
  const b = wordAt(sources, 1);
  const n = mods.mode === 'clamp' ? Math.min(b, 32) : b & 0x1f;
  if (n === 0) return [0];
  const unusedBits = 32 - n;
  return [narrowBits(type.signed ? (a << unusedBits) >> unusedBits : (a << unusedBits) >>> unusedBits, type)];
};

/**
 * Returns a mask of bits. With `.clamp`, the result for positions of 32 and more is 0. Bits after
 * bit 31 are ignored.
 */
const bmsk: LaneFunction = (mods, sources) => {
  const a = wordAt(sources, 0);
  const b = wordAt(sources, 1);
  const position = mods.mode === 'clamp' ? Math.min(a, 32) : a & 0x1f;
  const width = mods.mode === 'clamp' ? Math.min(b, 32) : b & 0x1f;
  return [integerBits(((1n << BigInt(width)) - 1n) << BigInt(position), integerType('b32'))];
};

export const bitFunctions = { popc, clz, bfind, fns, brev, bfe, bfi, szext, bmsk } satisfies Record<
  string,
  LaneFunction
>;
