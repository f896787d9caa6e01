// f64 quotients and square roots, digit by digit: f32 arithmetic estimates a digit, and integer
// arithmetic makes the result exact. The estimates only need the accuracy that WGSL guarantees. If
// a digit is too small, the next digit or a comparison at the end corrects it.
import { eachRounding } from './double-round.ts';
import { helperTable } from './helper.ts';

export const doubleDivideHelpers = helperTable({
  mul_digit64: {
    code: `
// The lower 64 bits of the product with a number of less than 16 bits.
fn mul_digit64(a: vec2<u32>, digit: u32) -> vec2<u32> {
  let middle = (a.x >> 16u) * digit + (((a.x & 0xffffu) * digit) >> 16u);
  return vec2<u32>(a.x * digit, a.y * digit + (middle >> 16u));
}`,
  },
  f64_digit: {
    uses: ['mul_digit64', 'sub64'],
    code: `
// One digit of the quotient, and the new remainder. The remainder is less than twice the divisor;
// each step multiplies it by 2^14.
fn f64_digit(rest: vec2<u32>, divisor: vec2<u32>, scale: f32) -> vec3<u32> {
  let digit = u32(f32((rest.y << 10u) | (rest.x >> 22u)) * scale);
  let moved = vec2<u32>(rest.x << 14u, (rest.y << 14u) | (rest.x >> 18u));
  return vec3<u32>(sub64(moved, mul_digit64(divisor, digit)), digit);
}`,
  },
  f64_quotient: {
    uses: ['f64_digit', 'sub64', 'lt_u64'],
    code: `
// The quotient of numbers with their leading ones at bit 52: 57 or 56 bits from bit 63 or 62 down;
// the lowest bit is set if the quotient has more bits.
fn f64_quotient(n: vec2<u32>, d: vec2<u32>) -> vec2<u32> {
  // Four digits of 14 bits. The scale is too small by 2^-19, and WGSL's division and conversions
  // have smaller errors. So no digit is too large, and none is too small by more than one: each
  // remainder is less than twice the divisor.
  let scale = 32767.9375 / f32((d.y << 11u) | (d.x >> 21u));
  let first = f64_digit(n, d, scale);
  let second = f64_digit(first.xy, d, scale);
  let third = f64_digit(second.xy, d, scale);
  let fourth = f64_digit(third.xy, d, scale);
  let one_more = !lt_u64(fourth.xy, d);
  let rest = select(fourth.xy, sub64(fourth.xy, d), one_more);
  let high = (first.z << 14u) + second.z;
  let low = (third.z << 14u) + fourth.z + u32(one_more);
  let words = vec2<u32>((high << 28u) + low, (high >> 4u) + u32((high << 28u) + low < low));
  return vec2<u32>((words.x << 7u) | min(rest.x | rest.y, 1u), (words.y << 7u) | (words.x >> 25u));
}`,
  },
  ...eachRounding('f64_div', (suffix, how) => ({
    uses: ['f64_is_nan', 'f64_invalid', 'f64_normal', 'f64_quotient', `f64_round${suffix}`],
    code: `
// The quotient, rounded ${how}.
fn f64_div${suffix}(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let sign = (a.y ^ b.y) & 0x80000000u;
  let a_exponent = (a.y >> 20u) & 0x7ffu;
  let b_exponent = (b.y >> 20u) & 0x7ffu;
  var exponent = i32(a_exponent) - i32(b_exponent) + 1023;
  var n = a;
  var d = b;
  if (max(a_exponent - 1u, b_exponent - 1u) > 2045u) {
    let nothing_over = (a.x | (a.y << 1u)) == 0u;
    let by_nothing = (b.x | (b.y << 1u)) == 0u;
    let infinite = a_exponent == 0x7ffu;
    let by_infinite = b_exponent == 0x7ffu;
    if (nothing_over || by_nothing || infinite || by_infinite) {
      let is_nan = (nothing_over && by_nothing) || (infinite && by_infinite) || f64_is_nan(a) || f64_is_nan(b);
      let number = vec2<u32>(0u, sign | select(0u, 0x7ff00000u, infinite || by_nothing));
      // If both are NaNs, the result is the dividend's.
      return select(number, f64_invalid(b, a), is_nan);
    }
    if (a_exponent == 0u) {
      let normal = f64_normal(a);
      n = normal.xy;
      exponent += 1 - i32(normal.z);
    }
    if (b_exponent == 0u) {
      let normal = f64_normal(b);
      d = normal.xy;
      exponent += i32(normal.z) - 1;
    }
  }
  n.y = (n.y & 0x000fffffu) | 0x00100000u;
  d.y = (d.y & 0x000fffffu) | 0x00100000u;
  let quotient = f64_quotient(n, d);
  let is_short = quotient.y < 0x80000000u;
  let high = select(quotient.y, (quotient.y << 1u) | (quotient.x >> 31u), is_short);
  let low = select(quotient.x, quotient.x << 1u, is_short);
  return f64_round${suffix}(sign, exponent - i32(is_short), vec2<u32>(low, high));
}`,
  })),
  f64_root_digit: {
    uses: ['mul_digit64', 'sub64', 'add64'],
    code: `
// The remainder and the root after 12 more bits of the root. \`next\`: the radicand's next 24 bits;
// \`size\`: the part of the remainder that determines the digit.
fn f64_root_digit(rest: vec2<u32>, root: vec2<u32>, next: u32, size: u32, scale: f32) -> vec4<u32> {
  let digit = u32(f32(size) * scale);
  let moved = vec2<u32>((rest.x << 24u) | next, (rest.y << 24u) | (rest.x >> 8u));
  let factor = vec2<u32>((root.x << 13u) | digit, (root.y << 13u) | (root.x >> 19u));
  let longer = add64(vec2<u32>(root.x << 12u, (root.y << 12u) | (root.x >> 20u)), vec2<u32>(digit, 0u));
  return vec4<u32>(sub64(moved, mul_digit64(factor, digit)), longer);
}`,
  },
  f64_root: {
    uses: ['f64_root_digit', 'sub64', 'lt_u64', 'add64'],
    code: `
// The square root of a number with its leading one at bit 52 or 53: 55 bits from bit 63 down; the
// lowest bit is set if the root has more bits.
fn f64_root(a: vec2<u32>) -> vec2<u32> {
  // 19 bits, then three digits of 12. The scale is too small by 2^-20, and WGSL's roots, products
  // and conversions have smaller errors. So no digit is too large; the first is too small by less
  // than 2, the others by at most 1. A digit has less than 13 bits.
  let size = f32((a.y << 10u) | (a.x >> 22u));
  let scale = inverseSqrt(size) * 7.99999237060546875;
  let start = u32(size * scale);
  let left = vec2<u32>(((a.x >> 16u) | (a.y << 16u)) - start * start, 0u);
  let first = f64_root_digit(left, vec2<u32>(start, 0u), (a.x & 0xffffu) << 8u, left.x, scale * 32.0);
  let second = f64_root_digit(first.xy, first.zw, 0u, (first.x >> 12u) | (first.y << 20u), scale * 32.0);
  let third = f64_root_digit(second.xy, second.zw, 0u, (second.x >> 24u) | (second.y << 8u), scale * 32.0);
  let double = vec2<u32>(third.z << 1u, (third.w << 1u) | (third.z >> 31u));
  let one_more = lt_u64(double, third.xy);
  let rest = select(third.x | third.y, u32(any(sub64(third.xy, double) != vec2<u32>(1u, 0u))), one_more);
  let root = add64(third.zw, vec2<u32>(u32(one_more), 0u));
  return vec2<u32>((root.x << 9u) | min(rest, 1u), (root.y << 9u) | (root.x >> 23u));
}`,
  },
  ...eachRounding('f64_sqrt', (suffix, how) => ({
    uses: [...['f64_invalid', 'f64_normal', 'f64_root'], `f64_round${suffix}`],
    code: `
// The square root, rounded ${how}.
fn f64_sqrt${suffix}(a: vec2<u32>) -> vec2<u32> {
  var exponent = (a.y >> 20u) + 1023u;
  var size = a;
  if ((a.y >> 20u) - 1u > 2045u) {
    let is_zero = (a.x | (a.y << 1u)) == 0u;
    if (is_zero || a.y >= 0x7ff00000u) {
      return select(f64_invalid(a, a), a, is_zero || (a.y == 0x7ff00000u && a.x == 0u));
    }
    let normal = f64_normal(a);
    size = normal.xy;
    exponent += 1u - normal.z;
  }
  // If the exponent is odd, the radicand is in [2, 4).
  let odd = exponent & 1u;
  size.y = (size.y & 0x000fffffu) | 0x00100000u;
  let radicand = select(size, vec2<u32>(size.x << 1u, (size.y << 1u) | (size.x >> 31u)), odd != 0u);
  return f64_round${suffix}(0u, i32(exponent >> 1u), f64_root(radicand));
}`,
  })),
});
