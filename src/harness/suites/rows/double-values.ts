// Values of f64: edges, numbers near each other, whose sums cancel and whose products leave the range, and random bits.
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

const word = new BigUint64Array(1);
const [lower, upper] = [new Uint32Array(word.buffer, 0, 1), new Uint32Array(word.buffer, 4, 1)];

const bitsOf = (high: number, low: number): bigint => {
  upper[0] = high;
  lower[0] = low;
  return word[0] ?? 0n;
};

/// `previous`: the operand before, which this one may be near to.
export function doubleValue(rng: Random, previous: bigint | undefined): bigint {
  const [high, low] = [rng.u32(), rng.u32()];
  const near = (exponent: number): bigint => {
    const field = Math.min(Math.max(exponent + rng.below(120) - 60, 0), 2046);
    return bitsOf((high & 0x800f_ffff) | (field << 20), low);
  };
  word[0] = previous ?? 0n;
  const [before, beforeLow] = [upper[0] ?? 0, lower[0] ?? 0];
  const exponent = previous === undefined ? 1023 : (before >>> 20) & 0x7ff;
  const sign = high & 0x8000_0000;
  switch (rng.below(6)) {
    case 0:
      return near(exponent);
    case 1:
      return near(rng.chance(0.5) ? 1023 - exponent : 3069 - exponent);
    case 2: {
      const bits = previous === undefined ? bitsOf(high & 0x7fff_ffff, low) : bitsOf(before ^ sign, beforeLow);
      return BigInt.asUintN(64, bits + BigInt(rng.below(3)) - 1n);
    }
    case 3:
      return bitsOf(high, low);
    default:
      word[0] = rng.pick(doubles);
      return bitsOf((upper[0] ?? 0) | sign, lower[0] ?? 0);
  }
}
