// Test operands: the edges of every type, and seeded random values near each other and far apart.
import type { Bits } from '../../src/cpu-ref/index.ts';
import { halfValue } from '../../src/harness/suites/rows/half-values.ts';
import { isHalf } from './kernel.ts';
import type { Operand, Variant } from './variants.ts';

const WORDS = [
  0, 1, 2, 3, 7, 8, 15, 16, 17, 24, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 0x7fff, 0x8000, 0xffff, 0x10000,
  0x7fffff, 0x800000, 0xffffff, 0x1000000, 0x1000001, 0x1ffffff, 0x7fffffff, 0x80000000, 0x80000001, 0xffff8000,
  0xfffffffe, 0xffffffff,
];

const FLOATS = [
  0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x00400000, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
  0x00800001, 0x01000000, 0x0c800000, 0x33800000, 0x3effffff, 0x3f000000, 0xbf000000, 0x3f000001, 0x3f7fffff,
  0x3f800000, 0xbf800000, 0x3f800001, 0x3fb504f3, 0x3fc00000, 0x40000000, 0x40200000, 0x40490fdb, 0xc0490fdb,
  0x4affffff, 0x4b000000, 0x4b000001, 0x4b7fffff, 0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x4f7fffff,
  0x4f800000, 0x5effffff, 0x5f000000, 0xdf000000, 0x5f7fffff, 0x5f800000, 0x7e800000, 0x7e800001, 0x7f7fffff,
  0xff7fffff, 0x7f800000, 0xff800000, 0x7f800001, 0x7fc00000, 0xffc12345, 0x7fffffff,
];

const DOUBLES = [
  0n, 1n, 2n, 0x0007_ffff_ffff_ffffn, 0x000f_ffff_ffff_ffffn, 0x0010_0000_0000_0000n, 0x0010_0000_0000_0001n,
  0x0020_0000_0000_0000n, 0x1ff0_0000_0000_0000n, 0x3690_0000_0000_0000n, 0x36a0_0000_0000_0000n,
  0x380f_ffff_e000_0000n, 0x380f_ffff_f000_0000n, 0x3810_0000_0000_0000n, 0x3ca0_0000_0000_0000n,
  0x3cb0_0000_0000_0001n, 0x3fdf_ffff_ffff_ffffn, 0x3fe0_0000_0000_0000n, 0x3fe0_0000_0000_0001n,
  0x3fef_ffff_ffff_ffffn, 0x3ff0_0000_0000_0000n, 0x3ff0_0000_0000_0001n, 0x3ff8_0000_0000_0000n,
  0x4000_0000_0000_0000n, 0x4004_0000_0000_0000n, 0x4008_0000_0000_0000n, 0x4009_21fb_5444_2d18n,
  0x405f_c000_0000_0000n, 0x406f_e000_0000_0000n, 0x40df_ffc0_0000_0000n, 0x41df_ffff_ffc0_0000n,
  0x41df_ffff_ffe0_0000n, 0x41e0_0000_0000_0000n, 0x41ef_ffff_fff0_0000n, 0x41f0_0000_0000_0000n,
  0x4330_0000_0000_0000n, 0x4330_0000_0000_0001n, 0x4340_0000_0000_0000n, 0x43df_ffff_ffff_ffffn,
  0x43e0_0000_0000_0000n, 0x43ef_ffff_ffff_ffffn, 0x43f0_0000_0000_0000n, 0x47ef_ffff_e000_0000n,
  0x47ef_ffff_efff_ffffn, 0x47ef_ffff_f000_0000n, 0x7fe0_0000_0000_0000n, 0x7fef_ffff_ffff_ffffn,
  0x7ff0_0000_0000_0000n, 0x7ff0_0000_0000_0001n, 0x7ff8_0000_0000_0000n, 0x7ff8_dead_0000_beefn,
  0x7fff_ffff_ffff_ffffn,
]; // biome-ignore format: a table

/** Returns a generator of 32-bit words whose sequence depends on the seed alone (Mulberry32). */
export function randomWords(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  };
}

/** Returns `count` vectors, each a list of sources. */
export function sourceVectors(variant: Variant, count: number, random: () => number): Bits[][] {
  return Array.from({ length: count }, () => {
    const values: Bits[] = [];
    for (const operand of variant.sources) values.push(operandValue(operand, values, random));
    return values;
  });
}

function operandValue({ name, type }: Operand, earlier: readonly Bits[], random: () => number): Bits {
  if (type === 'pred' || name === 'carry') return random() & 1;
  if (type === 'immediate') return random() & 0xff;
  const dice = random() % 8;
  const previous = earlier.at(-1);
  if (type === 'f32') return floatValue(dice, previous, random);
  if (type === 'f64') return doubleValue(dice, previous, random);
  if (isHalf(type)) return halfValue(type, typeof previous === 'number' ? previous : undefined, random);
  const width = Number(type.slice(1));
  if (width === 64) {
    const pick = (): bigint => BigInt(wordValue(random() % 4, undefined, random));
    if (dice === 0 && typeof previous === 'bigint') return BigInt.asUintN(64, previous + BigInt(random() % 3) - 1n);
    if (dice < 3) return BigInt.asUintN(64, BigInt(random() | 0));
    return pick() | (pick() << 32n);
  }
  // A 32-bit operand after a 64-bit one is most often a shift amount, so it does not depend on that
  // operand.
  return wordValue(dice, typeof previous === 'number' ? previous : undefined, random) % 2 ** width;
}

function wordValue(dice: number, previous: number | undefined, random: () => number): number {
  if (dice === 0 && previous !== undefined) return (previous + (random() % 3) - 1) >>> 0;
  if (dice < 4) return WORDS[random() % WORDS.length] ?? 0;
  if (dice === 4) return random() % 70;
  if (dice === 5) return -(random() % 70) >>> 0;
  return random();
}

const SIGN = 1n << 63n;

function doubleValue(dice: number, previous: Bits | undefined, random: () => number): bigint {
  const bits = (BigInt(random()) << 32n) | BigInt(random());
  const withExponent = (exponent: number): bigint => {
    const field = BigInt(Math.min(Math.max(exponent, 0), 2046));
    // A fraction with few bits set makes ties in rounding likely.
    const fraction = random() & 1 ? bits : bits & 0x800f_fff0_0000_0001n;
    return (fraction & 0x800f_ffff_ffff_ffffn) | (field << 52n);
  };
  if (typeof previous === 'bigint') {
    const exponent = Number((previous >> 52n) & 0x7ffn);
    // Use the same value, its negation or a neighbor, so that the operands cancel.
    if (dice === 0) return BigInt.asUintN(64, (previous ^ (bits & SIGN)) + BigInt(random() % 3) - 1n);
    // Use a nearby exponent, so that the result is rounded.
    if (dice < 3) return withExponent(exponent + (random() % 120) - 60);
    // Use an exponent that brings a product near the smallest or largest value.
    if (dice === 3) return withExponent((random() & 1 ? 1023 : 3069) - exponent + (random() % 120) - 60);
  }
  if (dice < 5) return (DOUBLES[random() % DOUBLES.length] ?? 0n) | (bits & SIGN);
  // Choose values near one, in the range of integers, and in or around the range of f32.
  if (dice === 5) return withExponent(1023 - 3 + (random() % 70));
  if (dice === 6) return withExponent(random() & 1 ? 1023 - 155 + (random() % 290) : random() % 60);
  return bits;
}

function floatValue(dice: number, previous: Bits | undefined, random: () => number): number {
  if (typeof previous === 'number') {
    // Use the same value, its negation or a neighbor, so that the operands cancel.
    if (dice === 0) return (previous ^ (random() & 0x80000003)) >>> 0;
    // Use a nearby exponent, so that the result is rounded.
    if (dice < 3) {
      const exponent = Math.min(Math.max(((previous >>> 23) & 0xff) + (random() % 53) - 26, 0), 254);
      return ((random() & 0x807fffff) | (exponent << 23)) >>> 0;
    }
  }
  if (dice < 5) return FLOATS[random() % FLOATS.length] ?? 0;
  if (dice === 5) return ((random() & 0x81ffffff) | 0x3e000000) >>> 0;
  // Choose values around one, and around the subnormal range.
  if (dice === 6) return ((random() & 0x83ffffff) | (random() & 1 ? 0x3c000000 : 0)) >>> 0;
  return random();
}
