// The interpolator of NVIDIA's special function units (see the tables): approximate functions to the bit. Numbers hold all sums, which have 44 bits at
// most.
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

/** x^2 / 2^19 of 17 bits, by the squarer: each partial product is cut to whole places. */
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

/** The last 17 bits of a fraction of 23. */
const low17 = (fraction: number): number => fraction & 0x1_ffff;

/** A number that is not negative, cut to 24 significant bits. */
function cut(value: number): number {
  const unit = 2 ** Math.max(0, Math.floor(Math.log2(value)) - 23);
  return value === 0 ? 0 : Math.floor(value / unit) * unit;
}

/** 2 / (1 + fraction / 2^23), as a whole number of 2^-23. */
export function reciprocalPlaces(fraction: number): number {
  const { value, slope, curve } = segmentOf(reciprocalSegments, fraction >> 16);
  const x = fraction & 0xffff;
  return Math.floor((value * 2 ** 13 - slope * x + curve * square(2 * x) + 0x47e7) / 2 ** 15);
}

/** 2 / sqrt of the number of [1, 4) with this fraction of 23 bits, from 2 on if `isOdd`, as a whole number of 2^-23. */
export function rootPlaces(fraction: number, isOdd: boolean): number {
  if (fraction === 0 && !isOdd) return 2 ** 24;
  const { value, slope, curve } = segmentOf(rootSegments, (fraction >> 17) + (isOdd ? 64 : 0));
  const x = low17(fraction);
  return Math.floor((value * 2 ** 14 - slope * x + 4 * curve * square(x) + 0x7fff) / 2 ** 16);
}

/** The square root of such a number, as a whole number of 2^-23. */
export function squareRootPlaces(fraction: number, isOdd: boolean): number {
  const { value, slope, curve } = segmentOf(squareRootSegments, (fraction >> 17) + (isOdd ? 64 : 0));
  const x = low17(fraction);
  const rest = slope * x - curve * square(x) + 0x7fff;
  return isOdd ? Math.floor((value * 2 ** 14 + rest) / 2 ** 16) : Math.floor((value * 2 ** 15 + rest) / 2 ** 17);
}

/** 2 ^ (fraction / 2^23), as a whole number of 2^-23. */
export function exponentialPlaces(fraction: number): number {
  const { value, slope, curve } = segmentOf(exponentialSegments, fraction >> 17);
  const x = low17(fraction);
  return Math.floor((value * 2 ** 13 + slope * x + curve * square(x) + 0x77e2) / 2 ** 15);
}

/** log2 of (1 + fraction / 2^23) * 2^exponent. */
export function logarithmOf(fraction: number, exponent: number): number {
  if (fraction === 0 && exponent === 0) return 0;
  const { value, slope, curve } = segmentOf(logarithmSegments, fraction >> 17);
  const x = low17(fraction);
  const sum = value * 2 ** 12 + slope * x - 2 * curve * square(x) + 0x3345;
  const places = Math.floor(sum / 4) + exponent * 2 ** 36;
  // A negative sum loses a place: its bits are inverted.
  return places < 0 ? -cut(-places - 1) / 2 ** 36 : cut(places) / 2 ** 36;
}

/** The sine of so many quarter turns, of which there are up to four. */
export function sineOfTurns(quarters: number): number {
  const quarter = Math.floor(quarters);
  const places = Math.floor((quarters - quarter) * 2 ** 23);
  const fraction = quarter % 2 === 0 ? places : 0x7f_ffff - places;
  const { value, slope, curve } = segmentOf(sineSegments, fraction >> 17, 11);
  const x = low17(fraction);
  const size = cut(value * 2 ** 11 + slope * x - curve * square(x)) / 2 ** 37;
  return quarter % 4 < 2 ? size : -size;
}

/** tanh of an f32 by its bits, from 2^-8 on and below 8. */
export function tangentOf(bits: number): number {
  const fraction = bits & 0x7f_ffff;
  const binade = tangentBinades[(bits >> 23) - 119];
  if (binade === undefined) throw new RangeError(`${bits} is no argument between 2^-8 and 8`);
  const { value, slope, curve } = segmentOf(tangentSegments, binade.first + (fraction >> (23 - binade.bits)), 16);
  const x = (fraction >> (6 - binade.bits)) & 0x1_ffff;
  return cut(value * 2 ** 14 + slope * x - curve * square(x)) / 2 ** binade.places;
}
