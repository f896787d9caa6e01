// Exact conversions between f32 and integers. The numbers of the roundings are those of
// float-soft.ts.
import { helperTable } from './helper.ts';

export const floatConvertHelpers = helperTable({
  f32_integral: {
    code: `
// The value rounded to an integer: 0 to nearest even, 1 towards zero, 2 down, 3 up. A result of
// zero keeps the sign.
fn f32_integral(a: f32, rounding: u32) -> f32 {
  let bits = bitcast<u32>(a);
  let sign = bits & 0x80000000u;
  let magnitude = bits & 0x7fffffffu;
  let outwards = rounding == select(3u, 2u, sign != 0u);
  if (magnitude >= 0x4b000000u) {
    // All values from 2^23 up are integers.
    return bitcast<f32>(select(bits, 0x7fffffffu, magnitude > 0x7f800000u));
  }
  if (magnitude < 0x3f800000u) {
    let to_one = (outwards && magnitude != 0u) || (rounding == 0u && magnitude > 0x3f000000u);
    return bitcast<f32>(sign | select(0u, 0x3f800000u, to_one));
  }
  let unit = 1u << (150u - (magnitude >> 23u));
  let fraction = bits & (unit - 1u);
  let whole = bits - fraction;
  // The unit's bit distinguishes odd from even, even if it is the lowest bit of the exponent: that
  // of 1 is odd.
  let nearer = fraction > unit / 2u || (fraction == unit / 2u && (whole & unit) != 0u);
  let up = (rounding == 0u && nearer) || (outwards && fraction != 0u);
  return bitcast<f32>(select(whole, whole + unit, up));
}`,
  },
  f32_to_s32: {
    code: `
// The value truncated to an i32, clamped to its range; 0 for a NaN.
fn f32_to_s32(a: f32) -> i32 {
  let bits = bitcast<u32>(a);
  let magnitude = bits & 0x7fffffffu;
  if (magnitude < 0x4f000000u) {
    return i32(a);
  }
  return select(bitcast<i32>(0x7fffffffu + (bits >> 31u)), 0, magnitude > 0x7f800000u);
}`,
  },
  f32_to_u32: {
    code: `
// The value truncated to a u32, clamped to its range; 0 for a NaN.
fn f32_to_u32(a: f32) -> u32 {
  let bits = bitcast<u32>(a);
  if (bits < 0x4f800000u) {
    return u32(a);
  }
  // Negative values and NaNs of either sign are greater than the infinity.
  return select(0xffffffffu, 0u, bits > 0x7f800000u);
}`,
  },
  f32_to_u64: {
    uses: ['shl64'],
    code: `
// The value truncated to 64 bits, clamped to [0, 2^64); 2^63 for a NaN.
fn f32_to_u64(a: f32) -> vec2<u32> {
  let bits = bitcast<u32>(a);
  if ((bits & 0x7fffffffu) > 0x7f800000u) {
    return vec2<u32>(0u, 0x80000000u);
  }
  if (bits >= 0x80000000u || bits < 0x3f800000u) {
    return vec2<u32>(0u, 0u);
  }
  if (bits >= 0x5f800000u) {
    return vec2<u32>(0xffffffffu, 0xffffffffu);
  }
  let exponent = bits >> 23u;
  let significand = (bits & 0x007fffffu) | 0x00800000u;
  if (exponent < 150u) {
    return vec2<u32>(significand >> (150u - exponent), 0u);
  }
  return shl64(vec2<u32>(significand, 0u), exponent - 150u);
}`,
  },
  f32_to_s64: {
    uses: ['f32_to_u64', 'neg64'],
    code: `
// The value truncated to a signed number of 64 bits, clamped to its range; -2^63 for a NaN.
fn f32_to_s64(a: f32) -> vec2<u32> {
  let bits = bitcast<u32>(a);
  let magnitude = bits & 0x7fffffffu;
  if (magnitude >= 0x5f000000u) {
    let greatest = vec2<u32>(0xffffffffu, 0x7fffffffu);
    return select(vec2<u32>(0u, 0x80000000u), greatest, bits <= 0x7f800000u);
  }
  let size = f32_to_u64(bitcast<f32>(magnitude));
  return select(size, neg64(size), bits >= 0x80000000u);
}`,
  },
  soft_from_u32: {
    uses: ['leading_zeros', 'soft_round'],
    code: `
// The f32 of a number, from its sign bit and magnitude, rounded once.
fn soft_from_u32(sign: u32, size: u32, rounding: u32) -> u32 {
  if (size == 0u) {
    return 0u;
  }
  let zeros = leading_zeros(size);
  return soft_round(sign, 158 - i32(zeros), size << zeros, rounding);
}`,
  },
  soft_from_u64: {
    uses: ['clz64', 'shl64', 'soft_round'],
    code: `
// The f32 of a 64-bit number, from its sign bit and magnitude, rounded once.
fn soft_from_u64(sign: u32, size: vec2<u32>, rounding: u32) -> u32 {
  if ((size.x | size.y) == 0u) {
    return 0u;
  }
  let zeros = clz64(size);
  let placed = shl64(size, zeros);
  return soft_round(sign, 190 - i32(zeros), placed.y | u32(placed.x != 0u), rounding);
}`,
  },
  f32_from_u32: {
    uses: ['soft_from_u32'],
    code: `
// The f32 of an unsigned word. WGSL leaves the rounding of values from 2^24 up to the adapter.
fn f32_from_u32(a: u32, rounding: u32) -> f32 {
  if (a <= 0x01000000u) {
    return f32(a);
  }
  return bitcast<f32>(soft_from_u32(0u, a, rounding));
}`,
  },
  f32_from_s32: {
    uses: ['magnitude_s32', 'soft_from_u32'],
    code: `
// The f32 of a signed word. WGSL leaves the rounding of magnitudes from 2^24 up to the adapter.
fn f32_from_s32(a: u32, rounding: u32) -> f32 {
  let size = magnitude_s32(a);
  if (size <= 0x01000000u) {
    return f32(bitcast<i32>(a));
  }
  return bitcast<f32>(soft_from_u32(a & 0x80000000u, size, rounding));
}`,
  },
  f32_from_u64: {
    uses: ['soft_from_u64'],
    code: `
// The f32 of an unsigned 64-bit number.
fn f32_from_u64(a: vec2<u32>, rounding: u32) -> f32 {
  return bitcast<f32>(soft_from_u64(0u, a, rounding));
}`,
  },
  f32_from_s64: {
    uses: ['abs_s64', 'soft_from_u64'],
    code: `
// The f32 of a signed 64-bit number.
fn f32_from_s64(a: vec2<u32>, rounding: u32) -> f32 {
  return bitcast<f32>(soft_from_u64(a.y & 0x80000000u, abs_s64(a), rounding));
}`,
  },
});
