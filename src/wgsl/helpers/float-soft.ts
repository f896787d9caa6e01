// f32 arithmetic on integers. It is exact even if the hardware flushes subnormal numbers, contracts
// expressions, does not fuse multiply-adds, or does not have a rounding. Values are bits. The
// leading one of a significand is at bit 31, and the lowest bit is set if any lower bit was
// nonzero. A rounding is 0 for nearest even, 1 for toward zero, 2 for down and 3 for up; adding 4
// flushes subnormal results.
import { helperTable } from './helper.ts';

export const floatSoftHelpers = helperTable({
  f32_unpack: {
    code: `
// The significand of a finite nonzero value, with the leading one at bit 31, and the biased exponent
// of the leading one: less than 1 for subnormal values.
fn f32_unpack(bits: u32) -> vec2<u32> {
  let magnitude = bits & 0x7fffffffu;
  let small = magnitude < 0x00800000u;
  // A subnormal value is a multiple of 2^-149. The conversion of the multiple to f32 is exact, and
  // normalizes it.
  let normal = select(magnitude, bitcast<u32>(f32(magnitude)), small);
  return vec2<u32>((normal << 8u) | 0x80000000u, (normal >> 23u) - select(0u, 149u, small));
}`,
  },
  shift_right_sticky: {
    code: `
// A right shift. The lowest bit is set if ones were lost.
fn shift_right_sticky(a: u32, amount: u32) -> u32 {
  let n = min(amount, 31u);
  return (a >> n) | u32((a & ((1u << n) - 1u)) != 0u);
}`,
  },
  shift_right_sticky64: {
    uses: ['shr_u64', 'shl64'],
    code: `
// A 64-bit right shift. The lowest bit is set if ones were lost.
fn shift_right_sticky64(a: vec2<u32>, amount: u32) -> vec2<u32> {
  let n = min(amount, 63u);
  let kept = shr_u64(a, n);
  return vec2<u32>(kept.x | u32(any(shl64(kept, n) != a)), kept.y);
}`,
  },
  soft_round: {
    uses: ['shift_right_sticky'],
    code: `
// Rounds to f32, from the sign bit, the biased exponent of the leading one, and the significand.
fn soft_round(sign: u32, exponent: i32, significand: u32, rounding: u32) -> u32 {
  let flush = rounding > 3u;
  let outwards = (rounding & 3u) == select(3u, 2u, sign != 0u);
  let to_nearest = (rounding & 3u) == 0u;
  // Below the least normal value, the unit of the last place is fixed: the significand moves
  // instead of the exponent. With .ftz, NVIDIA hardware rounds to 24 bits first, and then flushes
  // the result if it is still subnormal.
  let distance = select(u32(max(1 - exponent, 0)), 0u, flush);
  let placed = shift_right_sticky(significand, distance);
  let rest = placed & 0xffu;
  let odd = (placed & 0x100u) != 0u;
  let up = (to_nearest && (rest > 0x80u || (rest == 0x80u && odd))) || (outwards && rest != 0u);
  let kept = (placed >> 8u) + u32(up);
  if (flush && exponent < 1) {
    return sign | select(0u, 0x00800000u, exponent == 0 && kept == 0x01000000u);
  }
  // The leading one adds 1 to the exponent field, and so does a carry out of the fraction.
  let bits = (u32(clamp(exponent, 1, 255) - 1) << 23u) + kept;
  if (bits >= 0x7f800000u) {
    return sign | select(0x7f7fffffu, 0x7f800000u, to_nearest || outwards);
  }
  return sign | bits;
}`,
  },
  soft_add: {
    uses: ['leading_zeros', 'f32_unpack', 'shift_right_sticky', 'soft_round'],
    code: `
// The sum, rounded once.
fn soft_add(a: u32, b: u32, rounding: u32) -> u32 {
  let a_is_larger = (a & 0x7fffffffu) >= (b & 0x7fffffffu);
  let larger = select(b, a, a_is_larger);
  let smaller = select(a, b, a_is_larger);
  let differ = ((a ^ b) & 0x80000000u) != 0u;
  let cancelled = select(0u, 0x80000000u, (rounding & 3u) == 2u);
  if ((larger & 0x7fffffffu) >= 0x7f800000u) {
    let is_nan = (larger & 0x7fffffffu) > 0x7f800000u || (differ && (smaller & 0x7fffffffu) == 0x7f800000u);
    return select(larger, 0x7fffffffu, is_nan);
  }
  if ((smaller & 0x7fffffffu) == 0u) {
    return select(larger, cancelled, differ && (larger & 0x7fffffffu) == 0u);
  }
  let first = f32_unpack(larger);
  let second = f32_unpack(smaller);
  let shifted = shift_right_sticky(second.x >> 1u, first.y - second.y);
  let significand = first.x >> 1u;
  let total = select(significand + shifted, significand - shifted, differ);
  if (total == 0u) {
    return cancelled;
  }
  let zeros = leading_zeros(total);
  return soft_round(larger & 0x80000000u, i32(first.y + 1u - zeros), total << zeros, rounding);
}`,
  },
  soft_mul: {
    uses: ['f32_unpack', 'mul_wide_u32', 'soft_round'],
    code: `
// The product, rounded once.
fn soft_mul(a: u32, b: u32, rounding: u32) -> u32 {
  let sign = (a ^ b) & 0x80000000u;
  let larger = max(a & 0x7fffffffu, b & 0x7fffffffu);
  let smaller = min(a & 0x7fffffffu, b & 0x7fffffffu);
  if (larger >= 0x7f800000u) {
    return select(sign | 0x7f800000u, 0x7fffffffu, larger > 0x7f800000u || smaller == 0u);
  }
  if (smaller == 0u) {
    return sign;
  }
  let first = f32_unpack(a);
  let second = f32_unpack(b);
  let product = mul_wide_u32(first.x, second.x);
  let carry = product.y >> 31u;
  let top = select((product.y << 1u) | (product.x >> 31u), product.y, carry == 1u);
  let rest = select(product.x << 1u, product.x, carry == 1u);
  let exponent = i32(first.y + second.y - 127u + carry);
  return soft_round(sign, exponent, top | u32(rest != 0u), rounding);
}`,
  },
  soft_fma: {
    uses: [
      'add64',
      'clz64',
      'f32_unpack',
      'lt_u64',
      'mul_wide_u32',
      'shift_right_sticky64',
      'shl64',
      'soft_round',
      'sub64',
    ],
    code: `
// a * b + c, rounded once: the sum of the exact 48-bit product and the addend.
fn soft_fma(a: u32, b: u32, c: u32, rounding: u32) -> u32 {
  let sign = (a ^ b) & 0x80000000u;
  let differ = ((sign ^ c) & 0x80000000u) != 0u;
  let larger = max(a & 0x7fffffffu, b & 0x7fffffffu);
  let smaller = min(a & 0x7fffffffu, b & 0x7fffffffu);
  let addend = c & 0x7fffffffu;
  let cancelled = select(0u, 0x80000000u, (rounding & 3u) == 2u);
  if (larger >= 0x7f800000u || addend >= 0x7f800000u) {
    let infinite = larger == 0x7f800000u;
    let is_nan = larger > 0x7f800000u || addend > 0x7f800000u || (infinite && smaller == 0u)
      || (infinite && addend == 0x7f800000u && differ);
    return select(select(c, sign | 0x7f800000u, infinite), 0x7fffffffu, is_nan);
  }
  if (smaller == 0u) {
    return select(c, cancelled, addend == 0u && differ);
  }
  // Both terms have their leading one at bit 62, which leaves a bit for the carry.
  let left = f32_unpack(a);
  let right = f32_unpack(b);
  let added = f32_unpack(c);
  let whole = mul_wide_u32(left.x, right.x);
  let carry = whole.y >> 31u;
  let product = select(whole, vec2<u32>((whole.x >> 1u) | (whole.y << 31u), whole.y >> 1u), carry == 1u);
  let product_exponent = i32(left.y + right.y - 127u + carry);
  // A zero addend gets the smallest exponent and significand 0, so it changes nothing.
  let other = select(vec2<u32>(0u, added.x >> 1u), vec2<u32>(0u, 0u), addend == 0u);
  let other_exponent = select(i32(added.y), product_exponent, addend == 0u);
  let distance = product_exponent - other_exponent;
  let product_leads = distance > 0 || (distance == 0 && !lt_u64(product, other));
  let first = select(other, product, product_leads);
  let second = shift_right_sticky64(select(product, other, product_leads), u32(abs(distance)));
  let total = select(add64(first, second), sub64(first, second), differ);
  if ((total.x | total.y) == 0u) {
    return cancelled;
  }
  let zeros = clz64(total);
  let placed = shl64(total, zeros);
  let exponent = select(other_exponent, product_exponent, product_leads) + 1 - i32(zeros);
  let result_sign = select(c & 0x80000000u, sign, product_leads);
  return soft_round(result_sign, exponent, placed.y | u32(placed.x != 0u), rounding);
}`,
  },
});
