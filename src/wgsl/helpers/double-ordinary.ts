// f64 arithmetic on zeros and normal numbers, rounded to nearest even, without branches, so that a
// driver can interleave the instructions of many operations. The caller checks the operands before
// and the results afterwards. A result that may be wrong (an infinity, a NaN, a subnormal value, or
// a value beyond 2^1023) has one of the two largest exponents. The result for other operands is
// arbitrary.
import { helperTable } from './helper.ts';

/** Returns a helper that rounds a significand whose leading one is at bit 62 or 63. */
const rounding = (leading: 62 | 63): string => {
  const [cut, rest, half] = leading === 62 ? [10, '0x3ffu', '0x1ffu'] : [11, '0x7ffu', '0x3ffu'];
  return `
// The f64 of a sign bit, a biased exponent and a significand with its leading one at bit ${leading},
// rounded to nearest even.
fn f64_ordinary_round${leading}(sign: u32, exponent: i32, significand: vec2<u32>) -> vec2<u32> {
  // A carry out of the fraction may add one more.
  let place = min(bitcast<u32>(exponent - 1), 2045u);
  let low = (significand.x >> ${cut}u) | (significand.y << ${32 - cut}u);
  let rounded = low + (((significand.x & ${rest}) + ${half} + (low & 1u)) >> ${cut}u);
  return vec2<u32>(rounded, sign | ((significand.y >> ${cut}u) + (place << 20u) + u32(rounded < low)));
}`;
};

/**
 * Returns statements for a 64-bit value whose leading one is at bit 62 or 63. They compute the bits
 * from bit 62 up, and set the lowest bit if a lower bit was lost.
 */
const fromBit62 = (value: string): string => `
  let is_long = ${value}.y >= 0x80000000u;
  let high = select(${value}.y, ${value}.y >> 1u, is_long);
  let low = select(${value}.x, (${value}.x >> 1u) | (${value}.y << 31u) | (${value}.x & 1u), is_long);`;

export const doubleOrdinaryHelpers = helperTable({
  f64_is_ordinary: {
    code: `
// Whether the value is zero or normal.
fn f64_is_ordinary(a: vec2<u32>) -> bool {
  // The largest exponent also becomes 0.
  return ((a.y + 0x00100000u) & 0x7fe00000u) != 0u || (a.x | (a.y << 1u)) == 0u;
}`,
  },
  f64_ordinary_round62: { code: rounding(62) },
  f64_ordinary_round63: { code: rounding(63) },
  f64_ordinary_add: {
    uses: ['lt_u64', 'shift_right_lost64', 'leading_zeros', 'f64_ordinary_round63'],
    code: `
// The sum.
fn f64_ordinary_add(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let swapped = lt_u64(vec2<u32>(a.x, a.y & 0x7fffffffu), vec2<u32>(b.x, b.y & 0x7fffffffu));
  let larger = select(a, b, swapped);
  let smaller = select(b, a, swapped);
  let exponent = (larger.y >> 20u) & 0x7ffu;
  let lower = (smaller.y >> 20u) & 0x7ffu;
  // The leading ones are moved to bit 61, so the sum has a leading zero. Zeros have no leading one.
  let larger_one = select(0u, 0x20000000u, exponent != 0u);
  let smaller_one = select(0u, 0x20000000u, lower != 0u);
  let first_y = (((larger.y << 9u) | (larger.x >> 23u)) & 0x1fffffffu) | larger_one;
  let second_y = (((smaller.y << 9u) | (smaller.x >> 23u)) & 0x1fffffffu) | smaller_one;
  let second = shift_right_lost64(vec2<u32>(smaller.x << 9u, second_y), min(exponent - lower, 63u));
  // A difference is the sum with the complement, plus one; the lowest bit never carries out.
  let turned = select(0u, 0xffffffffu, (a.y ^ b.y) >= 0x80000000u);
  let first_x = (larger.x << 9u) - turned;
  let total_x = first_x + (second.x ^ turned);
  let total_y = first_y + (second.y ^ turned) + u32(total_x < first_x);
  let is_short = total_y == 0u;
  let high = select(total_y, total_x, is_short);
  let low = select(total_x, 0u, is_short);
  // Moves the leading one to bit 63. Without a leading zero, the lower word is empty.
  let zeros = leading_zeros(high);
  let scale = 1u << (zeros & 31u);
  let significand = vec2<u32>(low * scale, high * scale + (low >> ((0u - zeros) & 31u)));
  let place = i32(exponent) + 2 - i32(zeros) - select(0, 32, is_short);
  let sum = f64_ordinary_round63(larger.y & 0x80000000u, place, significand);
  return vec2<u32>(sum.x, select(sum.y, a.y & b.y & 0x80000000u, high == 0u));
}`,
  },
  f64_ordinary_sub: {
    uses: ['f64_ordinary_add'],
    code: `
// The difference.
fn f64_ordinary_sub(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return f64_ordinary_add(a, vec2<u32>(b.x, b.y ^ 0x80000000u));
}`,
  },
  f64_ordinary_mul: {
    uses: ['f64_product', 'f64_ordinary_round62'],
    code: `
// The product.
fn f64_ordinary_mul(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let a_exponent = (a.y >> 20u) & 0x7ffu;
  let b_exponent = (b.y >> 20u) & 0x7ffu;
  let sign = (a.y ^ b.y) & 0x80000000u;
  let product = f64_product(a, b);${fromBit62('product')}
  let rounded = f64_ordinary_round62(sign, i32(a_exponent + b_exponent) - 1023 + i32(is_long), vec2<u32>(low, high));
  return select(rounded, vec2<u32>(0u, sign), min(a_exponent, b_exponent) == 0u);
}`,
  },
  f64_ordinary_fma: {
    uses: ['f64_product128', 'leading_zeros', 'f64_ordinary_round63'],
    code: `
// a * b + c.
fn f64_ordinary_fma(a: vec2<u32>, b: vec2<u32>, c: vec2<u32>) -> vec2<u32> {
  let a_exponent = (a.y >> 20u) & 0x7ffu;
  let b_exponent = (b.y >> 20u) & 0x7ffu;
  let c_exponent = (c.y >> 20u) & 0x7ffu;
  let product_sign = a.y ^ b.y;
  let is_nothing = min(a_exponent, b_exponent) == 0u;
  // The leading one is at bit 108 or 109.
  let product = f64_product128(a, b, 0x400u, 0x400u);
  let addend = (c.y & 0x000fffffu) | select(0x00100000u, 0u, c_exponent == 0u);
  let addend_z = c.x << 8u;
  let addend_w = (addend << 8u) | (c.x >> 24u);
  // How far the addend is above the position where its lowest bit is bit 72. If it is above, the
  // addend stays, and the upper half of the product moves down instead, so far that the lower half
  // affects only the rounding. A product of zero is far below.
  let exponent = select(i32(a_exponent + b_exponent) - 1007, -4096, is_nothing);
  let above = i32(c_exponent) - exponent;
  let swapped = above > 0;
  let stays = select(product, vec4<u32>(0u, 0u, addend_z, addend_w), swapped);
  let moves_z = select(addend_z, product.z, swapped);
  let moves_w = select(addend_w, product.w, swapped);
  // Shifts by bits (the lost bits of a word are its product with 2^(32 - amount), or none), then by
  // two words, then by one.
  let amount = u32(min(abs(above), 127));
  let factor = 2u << (~amount & 31u);
  let moved_w = moves_w >> (amount & 31u);
  let moved_z = (moves_z >> (amount & 31u)) + moves_w * factor;
  let moved_y = moves_z * factor;
  let by_two = amount > 63u;
  let by_one = (amount & 32u) != 0u;
  let x = select(0u, moved_z, by_two);
  let y = select(moved_y, moved_w, by_two);
  let z = select(moved_z, 0u, by_two);
  let w = select(moved_w, 0u, by_two);
  let lost = select(0u, moved_y, by_two) | select(0u, x, by_one) | select(0u, product.x | product.y, swapped);
  let sticky = select(min(lost, 1u), 0u, is_nothing);
  // A difference is the sum with the complement, plus one; the lowest bit, which only the moved
  // number has, never carries out. A word carries if both operands have the top bit, or if one has
  // it and the sum does not.
  let turned = select(0u, 0xffffffffu, (product_sign ^ c.y) >= 0x80000000u);
  let other_x = (select(x, y, by_one) | sticky) ^ turned;
  let other_y = select(y, z, by_one) ^ turned;
  let other_z = select(z, w, by_one) ^ turned;
  let other_w = select(w, 0u, by_one) ^ turned;
  let first_x = stays.x - turned;
  let sum_x = first_x + other_x;
  let sum_y = stays.y + other_y + (((first_x & other_x) | ((first_x | other_x) & ~sum_x)) >> 31u);
  let sum_z = stays.z + other_z + (((stays.y & other_y) | ((stays.y | other_y) & ~sum_y)) >> 31u);
  let sum_w = stays.w + other_w + (((stays.z & other_z) | ((stays.z | other_z) & ~sum_z)) >> 31u);
  // If the moved number is greater, negates the result.
  let is_negative = sum_w >= 0x80000000u;
  let negative = select(0u, 0xffffffffu, is_negative);
  let one_y = is_negative && sum_x == 0u;
  let one_z = one_y && sum_y == 0u;
  let total_x = (sum_x ^ negative) - negative;
  let total_y = (sum_y ^ negative) + u32(one_y);
  let total_z = (sum_z ^ negative) + u32(one_z);
  let total_w = (sum_w ^ negative) + u32(one_z && sum_z == 0u);
  // Moves the leading one into the highest word: by two words, by one, then by bits.
  let two_up = (total_w | total_z) == 0u;
  let up_w = select(total_w, total_y, two_up);
  let up_z = select(total_z, total_x, two_up);
  let up_y = select(total_y, 0u, two_up);
  let up_x = select(total_x, 0u, two_up);
  let one_up = up_w == 0u;
  let top = select(up_w, up_z, one_up);
  let next = select(up_z, up_y, one_up);
  let third = select(up_y, up_x, one_up);
  let zeros = leading_zeros(top);
  let scale = 1u << (zeros & 31u);
  let back = ~zeros & 31u;
  let high = top * scale + ((next >> 1u) >> back);
  let low = next * scale + ((third >> 1u) >> back);
  let rest = (third * scale) | select(up_x, 0u, one_up);
  let leading = exponent + max(above, 0) + 3 - i32(zeros) - select(0, 64, two_up) - select(0, 32, one_up);
  let sign = (select(product_sign, c.y, swapped) ^ negative) & 0x80000000u;
  let rounded = f64_ordinary_round63(sign, leading, vec2<u32>(low | min(rest, 1u), high));
  return vec2<u32>(rounded.x, select(rounded.y, product_sign & c.y & 0x80000000u, top == 0u));
}`,
  },
  f64_ordinary_div: {
    uses: ['f64_quotient', 'f64_ordinary_round62'],
    code: `
// The quotient; division by zero may give a wrong result.
fn f64_ordinary_div(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let sign = (a.y ^ b.y) & 0x80000000u;
  let a_exponent = (a.y >> 20u) & 0x7ffu;
  let b_exponent = (b.y >> 20u) & 0x7ffu;
  let n = vec2<u32>(a.x, (a.y & 0x000fffffu) | 0x00100000u);
  let d = vec2<u32>(b.x, (b.y & 0x000fffffu) | 0x00100000u);
  let quotient = f64_quotient(n, d);${fromBit62('quotient')}
  let rounded = f64_ordinary_round62(sign, i32(a_exponent) - i32(b_exponent) + 1022 + i32(is_long), vec2<u32>(low, high));
  let result = select(rounded, vec2<u32>(0u, sign), a_exponent == 0u);
  return vec2<u32>(result.x, select(result.y, 0x7ff00000u, b_exponent == 0u));
}`,
  },
  f64_ordinary_sqrt: {
    uses: ['f64_root', 'f64_ordinary_round62'],
    code: `
// The square root; a negative number may give a wrong result.
fn f64_ordinary_sqrt(a: vec2<u32>) -> vec2<u32> {
  let exponent = (a.y >> 20u) + 1023u;
  let size = vec2<u32>(a.x, (a.y & 0x000fffffu) | 0x00100000u);
  let twice = vec2<u32>(size.x << 1u, (size.y << 1u) | (size.x >> 31u));
  // If the exponent is odd, the radicand is in [2, 4).
  let root = f64_root(select(size, twice, (exponent & 1u) != 0u));
  let low = (root.x >> 1u) | (root.y << 31u) | (root.x & 1u);
  let rounded = f64_ordinary_round62(0u, i32(exponent >> 1u), vec2<u32>(low, root.y >> 1u));
  let result = vec2<u32>(rounded.x, select(rounded.y, 0x7ff00000u, a.y >= 0x80000000u));
  return select(result, a, (a.y << 1u) < 0x00200000u);
}`,
  },
});
