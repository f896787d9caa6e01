// The interpolator of NVIDIA's special function units, bit by bit (base/interpolator-tables.ts
// contains its tables). JavaScript numbers represent all sums exactly, because the sums have at
// most 44 bits.
import {
  exponentialSegments,
  logarithmSegments,
  reciprocalSegments,
  rootSegments,
  sineSegments,
  squareRootSegments,
  tangentBinades,
  tangentSegments,
} from '../../base/interpolator-tables.ts';

/**
 * Returns x^2 / 2^19 for an x of 17 bits. As in the hardware, each partial product is truncated to
 * an integer.
 */
function square(x: number): number {
  let sum = 0;
  for (let bit = 2; bit < 17; bit++) if ((x >> bit) & 1) sum += x >> (18 - bit);
  return sum >> 1;
}

interface Segment {
  readonly value: number;
  readonly slope: number;
  readonly curve: number;
}

function segmentOf(table: readonly number[], index: number, curveBits = 10): Segment {
  const rest = table[2 * index + 1] ?? 0;
  return { value: table[2 * index] ?? 0, slope: Math.floor(rest / 2 ** curveBits), curve: rest % 2 ** curveBits };
}

/** Returns the low 17 bits of a 23-bit fraction. */
const low17 = (fraction: number): number => fraction & 0x1_ffff;

/** Truncates a number that is not negative to 24 significant bits. */
function cut(value: number): number {
  const unit = 2 ** Math.max(0, Math.floor(Math.log2(value)) - 23);
  return value === 0 ? 0 : Math.floor(value / unit) * unit;
}

/** Returns 2 / (1 + fraction / 2^23), in units of 2^-23. */
export function reciprocalPlaces(fraction: number): number {
  const { value, slope, curve } = segmentOf(reciprocalSegments, fraction >> 16);
  const x = fraction & 0xffff;
  return Math.floor((value * 2 ** 13 - slope * x + curve * square(2 * x) + 0x47e7) / 2 ** 15);
}

/**
 * Returns 2 / sqrt(x), in units of 2^-23. x is in [2, 4) if `isOdd`, and otherwise in [1, 2).
 * `fraction` contains the 23 fraction bits of x.
 */
export function rootPlaces(fraction: number, isOdd: boolean): number {
  if (fraction === 0 && !isOdd) return 2 ** 24;
  const { value, slope, curve } = segmentOf(rootSegments, (fraction >> 17) + (isOdd ? 64 : 0));
  const x = low17(fraction);
  return Math.floor((value * 2 ** 14 - slope * x + 4 * curve * square(x) + 0x7fff) / 2 ** 16);
}

/** Returns sqrt(x), in units of 2^-23, for the same x as in `rootPlaces`. */
export function squareRootPlaces(fraction: number, isOdd: boolean): number {
  const { value, slope, curve } = segmentOf(squareRootSegments, (fraction >> 17) + (isOdd ? 64 : 0));
  const x = low17(fraction);
  const rest = slope * x - curve * square(x) + 0x7fff;
  return isOdd ? Math.floor((value * 2 ** 14 + rest) / 2 ** 16) : Math.floor((value * 2 ** 15 + rest) / 2 ** 17);
}

/** Returns 2^(fraction / 2^23), in units of 2^-23. */
export function exponentialPlaces(fraction: number): number {
  const { value, slope, curve } = segmentOf(exponentialSegments, fraction >> 17);
  const x = low17(fraction);
  return Math.floor((value * 2 ** 13 + slope * x + curve * square(x) + 0x77e2) / 2 ** 15);
}

/** Returns log2((1 + fraction / 2^23) * 2^exponent). */
export function logarithmOf(fraction: number, exponent: number): number {
  if (fraction === 0 && exponent === 0) return 0;
  const { value, slope, curve } = segmentOf(logarithmSegments, fraction >> 17);
  const x = low17(fraction);
  const sum = value * 2 ** 12 + slope * x - 2 * curve * square(x) + 0x3345;
  const places = Math.floor(sum / 4) + exponent * 2 ** 36;
  // The hardware negates a sum by inverting its bits, so that the magnitude is one unit smaller.
  return places < 0 ? -cut(-places - 1) / 2 ** 36 : cut(places) / 2 ** 36;
}

/** Returns the sine of an angle of at most four quarter turns, given in quarter turns. */
export function sineOfTurns(quarters: number): number {
  const quarter = Math.floor(quarters);
  const places = Math.floor((quarters - quarter) * 2 ** 23);
  const fraction = quarter % 2 === 0 ? places : 0x7f_ffff - places;
  const { value, slope, curve } = segmentOf(sineSegments, fraction >> 17, 11);
  const x = low17(fraction);
  const size = cut(value * 2 ** 11 + slope * x - curve * square(x)) / 2 ** 37;
  return quarter % 4 < 2 ? size : -size;
}

/**
 * Returns the hyperbolic tangent of the f32 with these bits. The f32 is at least 2^-8 and below 8.
 */
export function tangentOf(bits: number): number {
  const fraction = bits & 0x7f_ffff;
  const binade = tangentBinades[(bits >> 23) - 119];
  if (binade === undefined)
    throw new RangeError(`invalid argument ${bits}: expected the bits of an f32 from 2^-8 to below 8`);
  const { value, slope, curve } = segmentOf(tangentSegments, binade.first + (fraction >> (23 - binade.bits)), 16);
  const x = (fraction >> (6 - binade.bits)) & 0x1_ffff;
  return cut(value * 2 ** 14 + slope * x - curve * square(x)) / 2 ** binade.places;
}
