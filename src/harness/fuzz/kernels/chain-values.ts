// The float inputs of chains of arithmetic. If an adapter flushes subnormals, the inputs determine
// whether a chain can fail.
import type { Random } from '../../suites/random.ts';

/**
 * Returns a function that draws numbers of one binade that are equal except for their last digits.
 * Their differences, and the rounding errors of their products, are as small as possible.
 */
const alike =
  (exponent: number) =>
  (rng: Random): number =>
    (rng.below(2) * 2 ** 31 + (127 + exponent) * 2 ** 23 + (rng.chance(0.2) ? rng.below(2 ** 23) : rng.below(4))) >>> 0;

/** Each function draws the bits of one number. */
const draws = {
  ordinary: (rng: Random) => withExponent(rng, 120 + rng.below(16)),
  /** Draws round numbers, whose sums and products are exact and can cancel. */
  round: (rng: Random) => (rng.below(2) * 2 ** 31 + (118 + rng.below(18)) * 2 ** 23 + rng.below(8) * 2 ** 20) >>> 0,
  // Numbers just below and above the thresholds of guards: for sums only, for products of two
  // factors, for values in shared memory, and for products of three factors.
  belowSums: alike(-104),
  aboveSums: alike(-103),
  belowPairs: alike(-41),
  abovePairs: alike(-40),
  belowTriples: alike(-20),
  aboveTriples: alike(-19),
  // Numbers just below and above the thresholds if the other factor is a constant with a full
  // significand, or a power of two.
  belowScaled: alike(-81),
  aboveScaled: alike(-80),
  belowShifted: alike(-79),
  aboveShifted: alike(-78),
  zero: (rng: Random) => (rng.chance(0.5) ? 0 : 0x8000_0000),
  subnormal: (rng: Random) =>
    rng.chance(0.3) ? rng.pick([1, 0x8000_0001, 0x007f_ffff, 0x807f_ffff]) : withExponent(rng, 0),
  /** Draws normal numbers with subnormal differences. */
  least: (rng: Random) => withExponent(rng, 1 + rng.below(26)),
  /**
   * Draws numbers whose products of two are near the least normal number. For `cubeRoot`, products
   * of three are near it.
   */
  root: (rng: Random) => withExponent(rng, 127 - 68 + rng.below(12)),
  cubeRoot: (rng: Random) => withExponent(rng, 127 - 47 + rng.below(12)),
  /** Draws numbers whose products of two have their last digits near the least normal number. */
  short: (rng: Random) => (withExponent(rng, 127 - 56 + rng.below(14)) & 0xffff_f000) >>> 0,
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

/** A mixture of values. Most values are of one kind, and some are of another kind. */
export interface FloatMixture {
  readonly mostly: FloatKind;
  readonly else: FloatKind;
  /** On average, one of `oneOf` numbers is of the other kind. */
  readonly oneOf: number;
}

/**
 * The kinds for most numbers of a mixture. Zeros are frequent, because a small number is not lost
 * in a sum of zeros.
 */
const common: readonly [FloatKind, ...FloatKind[]] = [
  'ordinary', 'ordinary', 'round', 'root', 'cubeRoot', 'short', 'least', 'zero', 'zero', 'belowSums', 'belowSums', 'aboveSums', 'belowPairs', 'belowPairs',
  'abovePairs', 'belowTriples', 'aboveTriples',
]; // biome-ignore format: a list

/** The style of a chain, which restricts its operations. */
export type ChainStyle = 'sums' | 'products' | 'any';

type Pair = readonly [below: FloatKind, above: FloatKind];
const ofSums: Pair = ['belowSums', 'aboveSums'];
const ofProducts: readonly [Pair, ...Pair[]] = [
  ['belowPairs', 'abovePairs'],
  ['belowPairs', 'abovePairs'],
  ['belowScaled', 'aboveScaled'],
  ['belowShifted', 'aboveShifted'],
  ['belowTriples', 'aboveTriples'],
];

/**
 * Draws a mixture. A guard with a slightly wrong threshold fails for values between the two
 * thresholds. So most values are between the thresholds, or just outside.
 */
export function drawMixture(rng: Random, style: ChainStyle): FloatMixture {
  if (rng.chance(0.6)) {
    const isSum = style === 'sums' || (style === 'any' && rng.chance(0.5));
    const [below, above] = isSum ? ofSums : rng.pick(ofProducts);
    const [mostly, other] = rng.chance(0.7) ? [below, above] : [above, below];
    return { mostly, else: rng.pick([other, other, 'zero']), oneOf: rng.pick([2, 3, 8, 40]) };
  }
  return { mostly: rng.pick(common), else: rng.pick(['zero', ...floatKinds]), oneOf: rng.pick([2, 8, 40, 200]) };
}

export function floatsOf(rng: Random, mixture: FloatMixture, count: number): Uint32Array {
  return Uint32Array.from({ length: count }, () =>
    draws[rng.below(mixture.oneOf) === 0 ? mixture.else : mixture.mostly](rng),
  );
}
