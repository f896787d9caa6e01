// Conversions between f64 and integers or f32, which are exact or rounded once. The numbers of the
// roundings are those of float-soft.ts.
import { eachRounding } from './double-round.ts';
import { helperTable } from './helper.ts';

export const doubleConvertHelpers = helperTable({
  f64_from_f32: {
    uses: ['leading_zeros'],
    code: `
// The f64 of an f32, from its bits. A NaN becomes quiet and keeps its payload.
fn f64_from_f32(bits: u32) -> vec2<u32> {
  let size = bits & 0x7fffffffu;
  // The leading one of a subnormal value moves to the implicit bit.
  let zeros = leading_zeros(size);
  let is_small = size < 0x00800000u;
  let fraction = select(size, size << ((zeros - 8u) & 31u), is_small);
  let bias = select(select(0x38000000u, 0x70000000u, size >= 0x7f800000u), (904u - zeros) << 20u, is_small);
  let high = (fraction >> 3u) + bias;
  let quiet = select(0u, 0x00080000u, size > 0x7f800000u);
  return select(
    vec2<u32>(fraction << 29u, (bits & 0x80000000u) | high | quiet),
    vec2<u32>(0u, bits),
    size == 0u,
  );
}`,
  },
  f32_from_f64_rounded: {
    uses: ['f64_is_nan', 'soft_round'],
    code: `
// The bits of an f64 rounded to f32: 0 to nearest even, 1 towards zero, 2 down, 3 up. A NaN keeps
// the upper part of its payload.
fn f32_from_f64_rounded(a: vec2<u32>, rounding: u32) -> u32 {
  let sign = a.y & 0x80000000u;
  let top = (a.y << 11u) | (a.x >> 21u);
  let exponent = (a.y >> 20u) & 0x7ffu;
  if (exponent == 0x7ffu) {
    return sign | 0x7f800000u | select(0u, 0x00400000u | ((top & 0x7fffffffu) >> 8u), f64_is_nan(a));
  }
  // Subnormal values are far below the least f32, so their missing leading one does not matter.
  let significand = top | select(0u, 0x80000000u, exponent != 0u) | u32((a.x << 11u) != 0u);
  return soft_round(sign, i32(exponent) - 896, significand, rounding);
}`,
  },
  f32_from_f64: {
    uses: ['f32_from_f64_rounded'],
    code: `
// The bits of the f32 nearest to an f64.
fn f32_from_f64(a: vec2<u32>) -> u32 {
  if ((a.y & 0x7fffffffu) - 0x38100000u >= 0x0fd00000u) {
    return f32_from_f64_rounded(a, 0u);
  }
  // The result is normal, and finite before rounding.
  let kept = (((a.y & 0x7fffffffu) << 3u) | (a.x >> 29u)) - 0xc0000000u;
  let up = (a.x & 0x1fffffffu) + (kept & 1u) > 0x10000000u;
  return (a.y & 0x80000000u) | (kept + u32(up));
}`,
  },
  f64_from_u32: {
    uses: ['leading_zeros'],
    code: `
// The f64 of an unsigned word.
fn f64_from_u32(a: u32) -> vec2<u32> {
  let zeros = leading_zeros(a);
  // The leading one adds 1 to the exponent.
  let placed = a << (zeros & 31u);
  let high = ((1053u - zeros) << 20u) + (placed >> 11u);
  return select(vec2<u32>(placed << 21u, high), vec2<u32>(0u, 0u), a == 0u);
}`,
  },
  f64_from_s32: {
    uses: ['magnitude_s32', 'f64_from_u32'],
    code: `
// The f64 of a signed word.
fn f64_from_s32(a: u32) -> vec2<u32> {
  let size = f64_from_u32(magnitude_s32(a));
  return vec2<u32>(size.x, size.y | (a & 0x80000000u));
}`,
  },
  ...eachRounding('f64_from_u64', (suffix, how) => ({
    uses: ['clz64', 'shl64', `f64_pack${suffix}`],
    code: `
// The f64 of a 64-bit number, from its sign bit and magnitude, rounded ${how}.
fn f64_from_u64${suffix}(sign: u32, size: vec2<u32>) -> vec2<u32> {
  if ((size.x | size.y) == 0u) {
    return size;
  }
  let zeros = clz64(size);
  return f64_pack${suffix}(sign, 1086u - zeros, shl64(size, zeros));
}`,
  })),
  f64_to_u64: {
    uses: ['f64_is_nan', 'f64_size'],
    code: `
// The value truncated to 64 bits, clamped to [0, 2^64); 2^63 for a NaN.
fn f64_to_u64(a: vec2<u32>) -> vec2<u32> {
  let number = select(f64_size(a), vec2<u32>(0u, 0u), a.y >= 0x80000000u);
  return select(number, vec2<u32>(0u, 0x80000000u), f64_is_nan(a));
}`,
  },
  f64_to_s64: {
    uses: ['f64_is_nan', 'f64_size', 'neg64'],
    code: `
// The value truncated to a signed number of 64 bits, clamped to its range; -2^63 for a NaN.
fn f64_to_s64(a: vec2<u32>) -> vec2<u32> {
  let size = f64_size(a);
  let least = vec2<u32>(0u, 0x80000000u);
  let negative = select(neg64(size), least, size.y >= 0x80000000u);
  let positive = select(size, ~least, size.y >= 0x80000000u);
  return select(select(positive, negative, a.y >= 0x80000000u), least, f64_is_nan(a));
}`,
  },
  f64_size: {
    uses: ['f64_exponent', 'f64_significand', 'shl64', 'shr_u64'],
    code: `
// The integer part of the absolute value, at most 2^64 - 1.
fn f64_size(a: vec2<u32>) -> vec2<u32> {
  let exponent = f64_exponent(a);
  let placed = shr_u64(shl64(f64_significand(a), 1u), 1086u - min(exponent, 1086u));
  return select(placed, vec2<u32>(0xffffffffu, 0xffffffffu), exponent > 1086u);
}`,
  },
  f64_size_word: {
    code: `
// The integer part of the absolute value, at most 2^32 - 1.
fn f64_size_word(a: vec2<u32>) -> u32 {
  let exponent = (a.y >> 20u) & 0x7ffu;
  let placed = 0x80000000u | (a.y << 11u) | (a.x >> 21u);
  let whole = select(placed >> ((1054u - exponent) & 31u), 0u, exponent < 1023u);
  return select(whole, 0xffffffffu, exponent > 1054u);
}`,
  },
  f64_to_u32: {
    uses: ['f64_is_nan', 'f64_size_word'],
    code: `
// The value truncated to a u32, clamped to its range; 2^31 for a NaN.
fn f64_to_u32(a: vec2<u32>) -> u32 {
  return select(select(f64_size_word(a), 0u, a.y >= 0x80000000u), 0x80000000u, f64_is_nan(a));
}`,
  },
  f64_to_s32: {
    uses: ['f64_is_nan', 'f64_size_word'],
    code: `
// The value truncated to an i32, clamped to its range; -2^31 for a NaN.
fn f64_to_s32(a: vec2<u32>) -> u32 {
  let size = f64_size_word(a);
  let positive = min(size, 0x7fffffffu);
  let negative = 0u - min(size, 0x80000000u);
  return select(select(positive, negative, a.y >= 0x80000000u), 0x80000000u, f64_is_nan(a));
}`,
  },
  f64_integral: {
    uses: ['f64_is_nan', 'f64_quiet', 'add64', 'low_mask64', 'shl64'],
    code: `
// The value rounded to an integer: 0 to nearest even, 1 towards zero, 2 down, 3 up. A result of
// zero keeps the sign.
fn f64_integral(a: vec2<u32>, rounding: u32) -> vec2<u32> {
  let sign = a.y & 0x80000000u;
  let size = a.y & 0x7fffffffu;
  let outwards = rounding == select(3u, 2u, sign != 0u);
  if (size >= 0x43300000u) {
    // All values from 2^52 up are integers.
    return select(a, f64_quiet(a), f64_is_nan(a));
  }
  if (size < 0x3ff00000u) {
    let over_half = size > 0x3fe00000u || (size == 0x3fe00000u && a.x != 0u);
    let to_one = (outwards && (size | a.x) != 0u) || (rounding == 0u && over_half);
    return vec2<u32>(0u, sign | select(0u, 0x3ff00000u, to_one));
  }
  // The number of fraction bits, from 1 to 52.
  let places = 1075u - (size >> 20u);
  let mask = low_mask64(places);
  let fraction = a & mask;
  let whole = a & ~mask;
  let unit = shl64(vec2<u32>(1u, 0u), places);
  let half = shl64(vec2<u32>(1u, 0u), places - 1u);
  let is_half = all(fraction == half);
  // The unit's bit distinguishes odd from even, even if it is the lowest bit of the exponent: that
  // of 1 is odd.
  let is_odd = any((whole & unit) != vec2<u32>(0u, 0u));
  let nearer = any((fraction & half) != vec2<u32>(0u, 0u)) && (!is_half || is_odd);
  let up = (rounding == 0u && nearer) || (outwards && (fraction.x | fraction.y) != 0u);
  return select(whole, add64(whole, unit), up);
}`,
  },
});
