// Approximate f64 functions. The functions that read only the upper word return the same bits as
// NVIDIA's hardware, which interpolates.
import { helperTable } from './helper.ts';

export const doubleApproxHelpers = helperTable({
  f64_rcp_approx: {
    uses: ['reciprocal_segment', 'interpolator_square'],
    code: `
// The upper word of an approximate reciprocal, from the upper word alone. Subnormal values count as
// zero.
fn f64_rcp_approx(a: u32) -> u32 {
  let sign = a & 0x80000000u;
  let exponent = (a >> 20u) & 0x7ffu;
  let fraction = a & 0x000fffffu;
  if (exponent == 0x7ffu) {
    return select(sign, 0x7fffffffu, fraction != 0u);
  }
  if (exponent == 0u) {
    return sign | 0x7ff00000u;
  }
  let segment = reciprocal_segment(fraction >> 13u);
  let x = fraction & 0x1fffu;
  let curve = (segment.y & 0x3ffu) * interpolator_square(x << 4u) + 0x47e7u;
  let change = i32(curve >> 3u) - i32((segment.y >> 10u) * x);
  let quotient = u32(i32(segment.x) + (change >> 10u)) >> 5u;
  // The leading one adds 1 to the exponent field. Subnormal results become zero.
  let bits = i32(quotient) + ((2044 - i32(exponent)) << 20u);
  return sign | select(u32(bits), 0u, bits < 0x00100000);
}`,
  },
  f64_rsqrt_approx: {
    uses: ['root_segment', 'interpolator_square'],
    code: `
// The upper word of an approximate reciprocal square root, from the upper word alone. Subnormal
// values count as zero.
fn f64_rsqrt_approx(a: u32) -> u32 {
  let exponent = (a >> 20u) & 0x7ffu;
  let fraction = a & 0x000fffffu;
  if (exponent == 0u) {
    return (a & 0x80000000u) | 0x7ff00000u;
  }
  if (a >= 0x7ff00000u) {
    return select(0x7fffffffu, 0u, a == 0x7ff00000u);
  }
  // The value is m * 4^k with m in [1, 4); the root of 4^k is 2^k.
  let odd = (exponent & 1u) ^ 1u;
  let bias = (3068u - exponent + odd) >> 1u;
  if ((fraction | odd) == 0u) {
    return (bias + 1u) << 20u;
  }
  let segment = root_segment((odd << 6u) | (fraction >> 14u));
  let x = fraction & 0x3fffu;
  let curve = (segment.y & 0x3ffu) * interpolator_square(x << 3u) * 4u + 0x7fffu;
  let change = i32(curve >> 3u) - i32((segment.y >> 10u) * x);
  let root = u32(i32(segment.x) + (change >> 11u)) >> 5u;
  return ((bias - 1u) << 20u) + root;
}`,
  },
  f64_rsqrt: {
    uses: [
      'f64_invalid',
      'f64_exponent',
      'f64_significand',
      'clz64',
      'shl64',
      'f64_rsqrt_approx',
      'f64_mul',
      'f64_fma',
    ],
    code: `
// The reciprocal square root as NVIDIA's compiler computes it: the approximation and one iteration.
fn f64_rsqrt(a: vec2<u32>) -> vec2<u32> {
  if ((a.x | (a.y << 1u)) == 0u) {
    return vec2<u32>(0u, a.y | 0x7ff00000u);
  }
  if (a.y >= 0x7ff00000u) {
    return select(f64_invalid(a, a), vec2<u32>(0u, 0u), a.y == 0x7ff00000u && a.x == 0u);
  }
  // The value is m * 4^k with m in [1, 4).
  let zeros = clz64(f64_significand(a));
  let placed = shl64(f64_significand(a), zeros);
  let exponent = f64_exponent(a) + 1024u - zeros;
  let odd = exponent & 1u;
  let fraction = vec2<u32>((placed.x >> 11u) | (placed.y << 21u), (placed.y >> 11u) & 0x000fffffu);
  let value = vec2<u32>(fraction.x, ((1023u + odd) << 20u) | fraction.y);
  let guess = vec2<u32>(0u, f64_rsqrt_approx(value.y));
  let square = f64_mul(guess, guess);
  let error = f64_fma(value, vec2<u32>(square.x, square.y ^ 0x80000000u), vec2<u32>(0u, 0x3ff00000u));
  let factor = f64_fma(error, vec2<u32>(0u, 0x3fd80000u), vec2<u32>(0u, 0x3fe00000u));
  let result = f64_fma(factor, f64_mul(error, guess), guess);
  return vec2<u32>(result.x, result.y + (1023u << 20u) - ((exponent >> 1u) << 20u));
}`,
  },
});
