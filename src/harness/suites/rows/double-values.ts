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

const sign = 1n << 63n;
const word = new BigUint64Array(1);
const [lower, upper] = [new Uint32Array(word.buffer, 0, 1), new Uint32Array(word.buffer, 4, 1)];

function wide(rng: Random): bigint {
  upper[0] = rng.u32();
  lower[0] = rng.u32();
  return word[0] ?? 0n;
}

/// `previous`: the operand before, which this one may be near to.
export function doubleValue(rng: Random, previous: bigint | undefined): bigint {
  const bits = wide(rng);
  const near = (exponent: number): bigint => {
    const field = BigInt(Math.min(Math.max(exponent + rng.below(120) - 60, 0), 2046));
    return (bits & 0x800f_ffff_ffff_ffffn) | (field << 52n);
  };
  const exponent = previous === undefined ? 1023 : Number((previous >> 52n) & 0x7ffn);
  switch (rng.below(6)) {
    case 0:
      return near(exponent);
    case 1:
      return near(rng.chance(0.5) ? 1023 - exponent : 3069 - exponent);
    case 2:
      return BigInt.asUintN(64, ((previous ?? bits) ^ (bits & sign)) + BigInt(rng.below(3)) - 1n);
    case 3:
      return bits;
    default:
      return rng.pick(doubles) | (bits & sign);
  }
}
