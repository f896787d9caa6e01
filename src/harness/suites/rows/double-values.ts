// Operands of type f64: edge values, close pairs whose sums cancel, pairs whose products overflow
// or underflow, and random bits.
import type { Random } from '../random.ts';

const doubles = [
  0n, 1n, 0x000f_ffff_ffff_ffffn, 0x0010_0000_0000_0000n, 0x0010_0000_0000_0001n, 0x36a0_0000_0000_0000n, 0x380f_ffff_f000_0000n,
  0x3810_0000_0000_0000n, 0x3ca0_0000_0000_0000n, 0x3cb0_0000_0000_0001n, 0x3fe0_0000_0000_0000n, 0x3fef_ffff_ffff_ffffn,
  0x3ff0_0000_0000_0000n, 0x3ff0_0000_0000_0001n, 0x3ff8_0000_0000_0000n, 0x4004_0000_0000_0000n, 0x4009_21fb_5444_2d18n,
  0x406f_e000_0000_0000n, 0x40df_ffc0_0000_0000n, 0x41df_ffff_ffe0_0000n, 0x41ef_ffff_fff0_0000n, 0x4330_0000_0000_0001n,
  0x43df_ffff_ffff_ffffn, 0x43e0_0000_0000_0000n, 0x43f0_0000_0000_0000n, 0x47ef_ffff_efff_ffffn, 0x47ef_ffff_f000_0000n,
  0x7fe0_0000_0000_0000n, 0x7fef_ffff_ffff_ffffn, 0x7ff0_0000_0000_0000n, 0x7ff0_0000_0000_0001n, 0x7ff8_0000_0000_0000n,
  0x7ff8_dead_0000_beefn,
] as const; // biome-ignore format: a table

/** The two words of each value, the low word first. */
const edges = new Uint32Array(new BigUint64Array(doubles).buffer);

const exponentOf = (high: number): number => (high >>> 20) & 0x7ff;

/**
 * Writes a value into the words at `at`, the low word first. `before` is the index of the previous
 * operand, to which this operand may be close. It is undefined unless that operand has 64 bits.
 */
export function drawDouble(rng: Random, words: Uint32Array, at: number, before: number | undefined): void {
  const high = rng.u32();
  const low = rng.u32();
  const isNear = before !== undefined;
  const beforeLow = isNear ? (words[before] ?? 0) : 0;
  const beforeHigh = isNear ? (words[before + 1] ?? 0) : 0;
  const exponent = isNear ? exponentOf(beforeHigh) : 1023;
  const sign = high & 0x8000_0000;
  switch (rng.below(6)) {
    case 0:
      words[at] = low;
      words[at + 1] = nearExponent(rng, exponent, high);
      return;
    case 1: {
      const mirrored = rng.chance(0.5) ? 1023 - exponent : 3069 - exponent;
      words[at] = low;
      words[at + 1] = nearExponent(rng, mirrored, high);
      return;
    }
    case 2: {
      // Use the previous value plus or minus 1, or its negative.
      const sum = (isNear ? beforeLow : low) + rng.below(3) - 1;
      const carry = sum < 0 ? -1 : sum > 0xffff_ffff ? 1 : 0;
      words[at] = sum;
      words[at + 1] = (isNear ? beforeHigh ^ sign : high & 0x7fff_ffff) + carry;
      return;
    }
    case 3:
      words[at] = low;
      words[at + 1] = high;
      return;
    default: {
      const edge = 2 * rng.below(doubles.length);
      words[at] = edges[edge] ?? 0;
      words[at + 1] = (edges[edge + 1] ?? 0) | sign;
    }
  }
}

/**
 * Returns the upper word of a double with a random fraction and an exponent close to `exponent`.
 */
function nearExponent(rng: Random, exponent: number, random: number): number {
  const field = Math.min(Math.max(exponent + rng.below(120) - 60, 0), 2046);
  return (random & 0x800f_ffff) | (field << 20);
}
