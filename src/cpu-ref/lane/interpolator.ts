// The interpolator of NVIDIA's special function units (see the tables): significands of approximate functions, to the bit. Numbers hold all
// sums, which have 40 bits at most.
import {
  exponentialSegments,
  reciprocalSegments,
  rootSegments,
  tangentBinades,
  tangentSegments,
} from '../../base/interpolator-tables.ts';

/// x^2 / 2^19 of 17 bits, by the squarer: each partial product is cut to whole places.
function square(x: number): number {
  let sum = 0;
  for (let bit = 0; bit < 17; bit++) if ((x >> bit) & 1) sum += x >> (18 - bit);
  return sum >> 1;
}

interface Scales {
  /// Places by which the table's value and the curve are shifted, and by which the sum is, in the end.
  readonly value: number;
  readonly curve: number;
  readonly result: number;
  /// What is added for rounding.
  readonly bias: number;
  readonly slopeSign: 1 | -1;
}

function interpolated(table: readonly number[], segment: number, x: number, squared: number, scales: Scales): number {
  const [value = 0, rest = 0] = table.slice(2 * segment, 2 * segment + 2);
  const slope = scales.slopeSign * Math.floor(rest / 1024);
  const sum = value * 2 ** scales.value + slope * x + (rest % 1024) * squared * 2 ** scales.curve + scales.bias;
  return Math.floor(sum / 2 ** scales.result);
}

const ofReciprocal: Scales = { value: 13, curve: 0, result: 15, bias: 0x47e7, slopeSign: -1 };
const ofRoot: Scales = { value: 14, curve: 2, result: 16, bias: 0x7fff, slopeSign: -1 };
const ofExponential: Scales = { value: 13, curve: 0, result: 15, bias: 0x77e2, slopeSign: 1 };

/// 2 / (1 + fraction / 2^23), as a whole number of 2^-23.
export function reciprocalPlaces(fraction: number): number {
  const x = fraction & 0xffff;
  return interpolated(reciprocalSegments, fraction >> 16, x, square(2 * x), ofReciprocal);
}

/// 2 / sqrt of the number of [1, 4) with this fraction of 23 bits, from 2 on if `isOdd`, as a whole number of 2^-23.
export function rootPlaces(fraction: number, isOdd: boolean): number {
  if (fraction === 0 && !isOdd) return 2 ** 24;
  const x = fraction & 0x1ffff;
  return interpolated(rootSegments, (fraction >> 17) + (isOdd ? 64 : 0), x, square(x), ofRoot);
}

/// 2 ^ (fraction / 2^23), as a whole number of 2^-23.
export function exponentialPlaces(fraction: number): number {
  const x = fraction & 0x1ffff;
  return interpolated(exponentialSegments, fraction >> 17, x, square(x), ofExponential);
}

/// tanh of an f32 by its bits, from 2^-8 on and below 8: a significand of 24 bits (cut, not rounded) times a power of two.
export function tangentOf(bits: number): number {
  const fraction = bits & 0x7f_ffff;
  const binade = tangentBinades[(bits >> 23) - 119];
  if (binade === undefined) throw new RangeError(`${bits} is no argument between 2^-8 and 8`);
  const segment = binade.first + (fraction >> (23 - binade.bits));
  const x = (fraction >> (6 - binade.bits)) & 0x1_ffff;
  const [value = 0, rest = 0] = tangentSegments.slice(2 * segment, 2 * segment + 2);
  const sum = value * 2 ** 14 + Math.floor(rest / 2 ** 16) * x - (rest % 2 ** 16) * square(x);
  const excess = Math.max(0, Math.floor(Math.log2(sum)) - 23);
  return (Math.floor(sum / 2 ** excess) * 2 ** excess) / 2 ** binade.places;
}
