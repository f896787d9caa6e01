// Floats that chains of arithmetic start from: where an adapter flushes subnormals, they decide whether a chain may go wrong.
import type { Random } from '../../suites/random.ts';

/// By name, bits of one number.
const draws = {
  ordinary: (rng: Random) => withExponent(rng, 120 + rng.below(16)),
  /// Round numbers, whose sums and products are exact, and cancel.
  round: (rng: Random) => (rng.below(2) * 2 ** 31 + (118 + rng.below(18)) * 2 ** 23 + rng.below(8) * 2 ** 20) >>> 0,
  zero: (rng: Random) => (rng.chance(0.5) ? 0 : 0x8000_0000),
  subnormal: (rng: Random) =>
    rng.chance(0.3) ? rng.pick([1, 0x8000_0001, 0x007f_ffff, 0x807f_ffff]) : withExponent(rng, 0),
  /// Normal, and their differences are not.
  least: (rng: Random) => withExponent(rng, 1 + rng.below(26)),
  /// Equal but for their last digits: of whatever size, differences are as small as they can be.
  alike: (rng: Random) => (rng.below(2) * 2 ** 31 + (20 + rng.below(4)) * 2 ** 23 + rng.below(4)) >>> 0,
  /// Products of two lie about the least normal number, and those of three.
  root: (rng: Random) => withExponent(rng, 127 - 68 + rng.below(12)),
  cubeRoot: (rng: Random) => withExponent(rng, 127 - 47 + rng.below(12)),
  /// Products of two have their last digits about there.
  short: (rng: Random) => (withExponent(rng, 127 - 56 + rng.below(14)) & 0xffff_f000) >>> 0,
  /// About the sizes that guards ask for: of sums, products of two, values in shared memory, and products of three.
  threshold: (rng: Random) => {
    const bits = (127 + rng.pick([-103, -25, -40, -63, -86, -52, -19, -126]) + rng.below(3) - 1) * 2 ** 23;
    return (Math.max(bits + rng.below(3) - 1, 0) + rng.below(2) * 2 ** 31) >>> 0;
  },
  huge: (rng: Random) => withExponent(rng, 250 + rng.below(5)),
  large: (rng: Random) => withExponent(rng, 185 + rng.below(12)),
  infinite: (rng: Random) => rng.pick([0x7f80_0000, 0xff80_0000]),
  none: (rng: Random) => rng.pick([0x7fff_ffff, 0x7fc0_0000, 0xffc1_2345, 0x7f80_0001]),
} as const satisfies Readonly<Record<string, (rng: Random) => number>>;

export type FloatKind = keyof typeof draws;

const isKind = (name: string): name is FloatKind => Object.hasOwn(draws, name);
export const floatKinds: readonly FloatKind[] = Object.keys(draws).filter(isKind);

function withExponent(rng: Random, exponent: number): number {
  return ((rng.u32() & 0x807f_ffff) | (exponent << 23)) >>> 0;
}

/// Some that are mostly of one kind, and now and then of another.
export interface FloatMixture {
  readonly mostly: FloatKind;
  readonly else: FloatKind;
  /// One of so many is of the other kind.
  readonly oneOf: number;
}

export function drawMixture(rng: Random): FloatMixture {
  return {
    mostly: rng.pick(['ordinary', 'ordinary', 'ordinary', 'round', 'root', 'cubeRoot', 'short', 'alike', 'threshold', 'least']),
    else: rng.pick(['zero', ...floatKinds]),
    oneOf: rng.pick([2, 8, 40, 200]),
  }; // biome-ignore format: a list
}

export function floatsOf(rng: Random, mixture: FloatMixture, count: number): Uint32Array {
  return Uint32Array.from({ length: count }, () =>
    draws[rng.below(mixture.oneOf) === 0 ? mixture.else : mixture.mostly](rng),
  );
}
