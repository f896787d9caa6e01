// NVIDIA's special function interpolator in integer arithmetic: its tables and its squarer.
import {
  exponentialSegments,
  reciprocalSegments,
  rootSegments,
  tangentBinades,
  tangentSegments,
} from '../../base/interpolator-tables.ts';
import { type Helper, helperTable } from './helper.ts';

function lookup(
  name: string,
  what: string,
  table: readonly number[],
  halves = 'slope (16 bits) and curve (10 bits)',
): Helper {
  return {
    code: `
// The table entry of a segment of ${what}: the value, and the sizes of ${halves}.
fn ${name}(segment: u32) -> vec2<u32> {
  const table = ${words(table)};
  return vec2<u32>(table[2u * segment], table[2u * segment + 1u]);
}`,
  };
}

const words = (table: readonly number[]): string =>
  `array<u32, ${table.length}>(${table.map((word) => `0x${word.toString(16)}`).join(',')})`;

const binades = tangentBinades.map(({ bits, first, places }) => bits | (first << 8) | (places << 16));

export const interpolatorHelpers = helperTable({
  reciprocal_segment: lookup('reciprocal_segment', '1/x', reciprocalSegments),
  root_segment: lookup('root_segment', '1/sqrt(x)', rootSegments),
  exponential_segment: lookup('exponential_segment', '2^x', exponentialSegments),
  tangent_segment: lookup('tangent_segment', 'tanh(x)', tangentSegments, 'slope and curve (16 bits each)'),
  interpolator_square: {
    code: `
// x^2 / 2^19 for 17 bits, with each partial product truncated to an integer. The product of bits i
// and j counts only if i + j >= 18: the square of the upper eight bits is complete, and that of the
// lower nine vanishes.
fn interpolator_square(x: u32) -> u32 {
  let upper = x >> 9u;
  let lower = x & 0x1ffu;
  return ((upper * upper) >> 1u)${[1, 2, 3, 4, 5, 6, 7].map((bit) => `\n    + ((upper >> ${bit}u) & 1u) * (lower >> ${9 - bit}u)`).join('')};
}`,
  },
  interpolated_ex2: {
    uses: ['exponential_segment', 'interpolator_square'],
    code: `
// 2^x of an f32 by its bits, as NVIDIA's hardware computes it: subnormal values count as zero.
fn interpolated_ex2(a: u32) -> u32 {
  let size = a & 0x7fffffffu;
  let negative = u32(a > 0x7fffffffu);
  if (size >= 0x43000000u) {
    return select(select(0x7f800000u, 0u, negative != 0u), 0x7fffffffu, size > 0x7f800000u);
  }
  // The argument in fixed point: an integer and 23 bits of fraction. A negative number is rounded
  // down, so its fraction is the complement, one unit too small.
  let exponent = size >> 23u;
  let significand = (size & 0x007fffffu) | 0x00800000u;
  let fixed = select(significand >> min(127u - exponent, 31u), significand << ((exponent - 127u) & 7u), exponent > 126u);
  let flips = select(0u, negative, (fixed & 0x007fffffu) != 0u);
  let fraction = (fixed ^ (0u - flips)) & 0x007fffffu;
  let whole = select(i32(fixed >> 23u), -i32((fixed >> 23u) + flips), negative != 0u);
  // In half units of the last place, so that 32 bits suffice.
  let segment = exponential_segment(fraction >> 17u);
  let slope = segment.y >> 10u;
  let x = fraction & 0x1ffffu;
  let curve = (segment.y & 0x3ffu) * interpolator_square(x) + 0x77e2u;
  let change = slope * (x >> 1u) + ((slope * (x & 1u) + curve) >> 1u);
  let bits = i32((segment.x + (change >> 12u)) >> 2u) + ((whole + 126) << 23u);
  return u32(select(bits, 0, bits < 0x00800000));
}`,
  },
  interpolated_tanh: {
    uses: ['tangent_segment', 'interpolator_square'],
    code: `
// The hyperbolic tangent of an f32 by its bits, as NVIDIA's hardware computes it: the argument
// below 2^-8, 1 from 8 up.
fn interpolated_tanh(a: u32) -> u32 {
  let size = a & 0x7fffffffu;
  let sign = a & 0x80000000u;
  if (size < 0x3b800000u) {
    return a;
  }
  if (size >= 0x41000000u) {
    return select(sign | 0x3f800000u, 0x7fffffffu, size > 0x7f800000u);
  }
  // For each binade: the fraction bits that select the segment, the first segment, and the
  // fixed-point places of the result.
  const binades = ${words(binades)};
  let binade = binades[(size >> 23u) - 119u];
  let fraction = size & 0x007fffffu;
  let segment = tangent_segment(((binade >> 8u) & 0xffu) + (fraction >> (23u - (binade & 7u))));
  let x = (fraction >> (6u - (binade & 7u))) & 0x1ffffu;
  // In half units of the last place, so that 32 bits suffice.
  let slope = segment.y >> 16u;
  let curve = (segment.y & 0xffffu) * interpolator_square(x);
  let change = slope * (x >> 1u) + u32((i32(slope * (x & 1u)) - i32(curve)) >> 1u);
  let sum = (segment.x << 6u) + (change >> 7u);
  let zeros = countLeadingZeros(sum);
  return sign | (((165u - zeros - (binade >> 16u)) << 23u) + ((sum << zeros) >> 8u));
}`,
  },
});
