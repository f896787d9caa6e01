// Operands of lane instructions: edge values of every type, close pairs whose sums cancel, pairs
// whose products overflow or underflow, and random bits.
import type { Random } from '../random.ts';
import { drawDouble } from './double-values.ts';
import { halfValue } from './half-values.ts';
import { bitsOf } from './lane-kernel.ts';

const floats = [
  0, 1, 0x007f_ffff, 0x0080_0000, 0x3300_0000, 0x3380_0001, 0x387f_e000, 0x3880_0000, 0x3f7f_ffff, 0x3f80_0000, 0x3f80_0001,
  0x3f80_1000, 0x3f80_8000, 0x3f81_8000, 0x477f_efff, 0x477f_f000, 0x4b00_0001, 0x7f7f_7fff, 0x7f7f_8000, 0x7f7f_ffff, 0x7f80_0000,
  0x7f80_0001, 0x7fc1_2345,
] as const; // biome-ignore format: a table

const numbers = [
  0n,
  1n,
  2n,
  0x7fn,
  0x80n,
  0xffn,
  0x7fffn,
  0x8000n,
  0x7fff_ffffn,
  0x8000_0000n,
  0xffff_ffffn,
  (1n << 53n) + 1n,
  1n << 63n,
] as const;

const isHalf = (type: string): boolean => /^b?f16/.test(type);

/**
 * Draws an operand into `words[at]`, and into the next word if it has 64 bits. `before` is the
 * index of the previous operand, to which this operand may be close; undefined for the first
 * operand.
 */
export type DrawWords = (rng: Random, words: Uint32Array, at: number, before: number | undefined) => void;

/**
 * Returns the function that draws operands of `type` after an operand of type `previous`. The types
 * are resolved once, and not for every lane.
 */
export function drawerOf(type: string, previous: string | undefined): DrawWords {
  const isBeforeWide = previous !== undefined && bitsOf(previous) > 32;
  if (type === 'f64') return (rng, words, at, before) => drawDouble(rng, words, at, isBeforeWide ? before : undefined);
  if (bitsOf(type) > 32) return drawWide;
  const value = narrowDrawer(type);
  const isNear = previous !== undefined && !isBeforeWide;
  return (rng, words, at, before) => {
    words[at] = value(rng, isNear && before !== undefined ? words[before] : undefined);
  };
}

type DrawWord = (rng: Random, previous: number | undefined) => number;

function narrowDrawer(type: string): DrawWord {
  if (type === 'pred' || type === 'carry') return (rng) => rng.below(2);
  if (type === 'f32') return floatValue;
  if (isHalf(type)) return (rng, previous) => halfValue(type, previous, rng.u32);
  const width = bitsOf(type);
  return (rng) => narrowValue(rng, width);
}

const pairs = new Uint32Array(new BigUint64Array(numbers).buffer);

/** Draws a number of the list, or random bits shifted to the right. Some results are negated. */
function drawWide(rng: Random, words: Uint32Array, at: number): void {
  let low: number;
  let high: number;
  if (rng.chance(0.4)) {
    const place = 2 * rng.below(numbers.length);
    [low, high] = [pairs[place] ?? 0, pairs[place + 1] ?? 0];
  } else {
    const [upper, lower, by] = [rng.u32(), rng.u32(), rng.below(64)];
    low = shiftedLow(upper, lower, by);
    high = by < 32 ? upper >>> by : 0;
  }
  const negate = rng.chance(0.3);
  words[at] = negate ? -low : low;
  words[at + 1] = negate ? ~high + (low === 0 ? 1 : 0) : high;
}

/** Returns the lower word of a 64-bit value shifted to the right by less than 64. */
function shiftedLow(high: number, low: number, by: number): number {
  if (by === 0) return low;
  return by < 32 ? (low >>> by) | (high << (32 - by)) : high >>> (by - 32);
}

const lowWords = numbers.map((value) => Number(BigInt.asUintN(32, value)));

/**
 * Draws a value of at most 32 bits as `drawWide` does, but without 64-bit arithmetic, because it is
 * called often.
 */
function narrowValue(rng: Random, width: number): number {
  let value: number;
  if (rng.chance(0.4)) value = lowWords[rng.below(lowWords.length)] ?? 0;
  else {
    const [high, low, by] = [rng.u32(), rng.u32(), rng.below(64)];
    value = shiftedLow(high, low, by);
  }
  if (rng.chance(0.3)) value = -value;
  return (width === 32 ? value : value & (2 ** width - 1)) >>> 0;
}

/** Draws a float. One third of the floats are in or near the range of f16. */
function floatValue(rng: Random): number {
  if (rng.chance(0.4)) return (rng.pick(floats) ^ (rng.below(2) << 31)) >>> 0;
  const bits = rng.u32();
  return rng.chance(0.5) ? bits : ((bits & 0x807f_ffff) | ((100 + rng.below(46)) << 23)) >>> 0;
}
