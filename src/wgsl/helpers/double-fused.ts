// Computes a * b + c of f64 values: adds the unrounded product and the addend in 128 bits. A number
// of 128 bits is a vec4<u32>, whose first element is the lowest word.
import { eachRounding, type RoundingSuffix } from './double-round.ts';
import { helperTable } from './helper.ts';

/** The sign of a sum that is zero, unless both operands are zeros of the same sign. By rounding. */
export const cancelled: Readonly<Record<RoundingSuffix, string>> = {
  '': '0u',
  _rz: '0u',
  _rm: '0x80000000u',
  _rp: '0u',
};

/**
 * Returns statements that multiply two significands. Each factor is split into three parts of 14
 * bits and one of 11, because WGSL does not have a wide multiplication. The products of the parts
 * are added by position. No sum reaches 2^32, so the carries of all seven sums are extracted only
 * once.
 */
export const limbProduct = (aTop: string, bTop: string): string => `  let a0 = a.x & 0x3fffu;
  let a1 = (a.x >> 14u) & 0x3fffu;
  let a2 = ((a.x >> 28u) | (a.y << 4u)) & 0x3fffu;
  let a3 = ((a.y >> 10u) & 0x3ffu) | ${aTop};
  let b0 = b.x & 0x3fffu;
  let b1 = (b.x >> 14u) & 0x3fffu;
  let b2 = ((b.x >> 28u) | (b.y << 4u)) & 0x3fffu;
  let b3 = ((b.y >> 10u) & 0x3ffu) | ${bTop};
  let c0 = a0 * b0;
  let c1 = a0 * b1 + (a1 * b0 + (c0 >> 14u));
  let c2 = a0 * b2 + (a1 * b1 + (a2 * b0 + (c1 >> 14u)));
  let c3 = a0 * b3 + (a1 * b2 + (a2 * b1 + (a3 * b0 + (c2 >> 14u))));
  let c4 = a1 * b3 + (a2 * b2 + (a3 * b1 + (c3 >> 14u)));
  let c5 = a2 * b3 + (a3 * b2 + (c4 >> 14u));
  let c6 = a3 * b3 + (c5 >> 14u);`;

export const doubleFusedHelpers = helperTable({
  f64_fma_special: {
    uses: ['f64_is_nan', 'f64_quiet', 'f64_invalid'],
    code: `
// a * b + c if an operand is an infinity or a NaN. Of several NaNs, NVIDIA's hardware prefers that
// of b, then c, then a.
fn f64_fma_special(a: vec2<u32>, b: vec2<u32>, c: vec2<u32>) -> vec2<u32> {
  let larger = max(a.y & 0x7fffffffu, b.y & 0x7fffffffu);
  let is_zero = (a.x | (a.y << 1u)) == 0u || (b.x | (b.y << 1u)) == 0u;
  if (f64_is_nan(b)) {
    return f64_quiet(b);
  }
  if (f64_is_nan(a) || f64_is_nan(c)) {
    return f64_invalid(a, c);
  }
  let infinite = vec2<u32>(0u, ((a.y ^ b.y) & 0x80000000u) | 0x7ff00000u);
  if (larger < 0x7ff00000u) {
    return c;
  }
  let opposite = (c.y ^ infinite.y) == 0x80000000u;
  return select(infinite, vec2<u32>(0u, 0xfff80000u), is_zero || opposite);
}`,
  },
  f64_product128: {
    code: `
// The product of two significands, from bit 4 up. \`a_one\` and \`b_one\` are the leading ones: bit
// 10 of the upper word, or 0 for subnormal values.
fn f64_product128(a: vec2<u32>, b: vec2<u32>, a_one: u32, b_one: u32) -> vec4<u32> {
${limbProduct('a_one', 'b_one')}
  let third = ((c4 & 0x3fffu) >> 4u) | ((c5 & 0x3fffu) << 10u) | (c6 << 24u);
  let second = (c2 & 0x3fffu) | ((c3 & 0x3fffu) << 14u) | (c4 << 28u);
  return vec4<u32>(((c0 & 0x3fffu) << 4u) | (c1 << 18u), second, third, c6 >> 8u);
}`,
  },
  ...eachRounding('f64_fma', (suffix, how) => ({
    uses: [...['f64_fma_special', 'f64_product128', 'shift_right_lost64', 'leading_zeros'], `f64_round${suffix}`],
    code: `
// a * b + c, rounded ${how}.
fn f64_fma${suffix}(a: vec2<u32>, b: vec2<u32>, c: vec2<u32>) -> vec2<u32> {
  let a_exponent = (a.y >> 20u) & 0x7ffu;
  let b_exponent = (b.y >> 20u) & 0x7ffu;
  let c_exponent = (c.y >> 20u) & 0x7ffu;
  let product_sign = (a.y ^ b.y) & 0x80000000u;
  let differ = (product_sign ^ c.y) >= 0x80000000u;
  if (max(max(a_exponent, b_exponent), c_exponent) == 0x7ffu) {
    return f64_fma_special(a, b, c);
  }
  if (min(a_exponent, b_exponent) == 0u && ((a.x | (a.y << 1u)) == 0u || (b.x | (b.y << 1u)) == 0u)) {
    let both = (c.x | (c.y << 1u)) == 0u;
    return select(c, vec2<u32>(0u, select(product_sign, ${cancelled[suffix]}, differ)), both);
  }
  // 128 bits: the product's leading one is at bit 108 or 109, or as low as bit 56 if a factor is
  // subnormal. If both are, the product affects only the rounding.
  var product = f64_product128(a, b, select(0x400u, 0u, a_exponent == 0u), select(0x400u, 0u, b_exponent == 0u));
  var exponent = i32(max(a_exponent, 1u) + max(b_exponent, 1u)) - 1004;
  let addend = (c.y & 0x000fffffu) | select(0x00100000u, 0u, c_exponent == 0u);
  // The position of the addend's lowest bit, at most 72. If it would be higher, the upper half of the
  // product is shifted down instead. The lower half then affects only the rounding.
  var place = i32(max(c_exponent, 1u)) - exponent + 75;
  if (place > 72) {
    product = vec4<u32>(product.xy, shift_right_lost64(product.zw, u32(min(place - 72, 63))));
    exponent += place - 72;
    place = 72;
  }
  // The bits below the lowest one are merged into it; a product never has that bit.
  let amount = u32(max(place, -63) + 63);
  let factor = 2u << (amount & 31u);
  let word = amount >> 5u;
  let low = c.x * factor;
  let middle = addend * factor + (c.x >> (~amount & 31u));
  let high = addend >> (~amount & 31u);
  let lost = select(0u, low, word < 2u) | select(0u, middle, word == 0u);
  let x = select(select(select(0u, high, word == 0u), middle, word == 1u), low, word == 2u) | min(lost, 1u);
  let y = select(select(select(0u, high, word == 1u), middle, word == 2u), low, word == 3u);
  let z = select(select(select(0u, high, word == 2u), middle, word == 3u), low, word == 4u);
  let w = select(select(0u, high, word == 3u), middle, word == 4u);
  // A difference is the sum with the complement, plus one. A word carries if both operands have the
  // top bit, or if one has it and the sum does not.
  let turned = select(0u, 0xffffffffu, differ);
  let other = vec4<u32>(x, y, z, w) ^ vec4<u32>(turned);
  let sum_x = product.x + other.x - turned;
  let sum_y = product.y + other.y + (((product.x & other.x) | ((product.x | other.x) & ~sum_x)) >> 31u);
  let sum_z = product.z + other.z + (((product.y & other.y) | ((product.y | other.y) & ~sum_y)) >> 31u);
  let sum_w = product.w + other.w + (((product.z & other.z) | ((product.z | other.z) & ~sum_z)) >> 31u);
  // If the addend is greater, negates the result.
  let is_negative = sum_w >= 0x80000000u;
  let negative = select(0u, 0xffffffffu, is_negative);
  let one_y = is_negative && sum_x == 0u;
  let one_z = one_y && sum_y == 0u;
  let total_y = (sum_y ^ negative) + u32(one_y);
  let total_z = (sum_z ^ negative) + u32(one_z);
  let total_w = (sum_w ^ negative) + u32(one_z && sum_z == 0u);
  var total = vec4<u32>((sum_x ^ negative) - negative, total_y, total_z, total_w);
  if (total.w == 0u) {
    if ((total.x | total.y | total.z) == 0u) {
      return vec2<u32>(0u, ${cancelled[suffix]});
    }
    // Moves by half words, so leading zeros remain.
    for (var i = 0u; i < 7u && total.w == 0u; i++) {
      total = (total << vec4<u32>(16u)) | (vec4<u32>(0u, total.xyz) >> vec4<u32>(16u));
      exponent -= 16;
    }
  }
  // There is at least one leading zero.
  let zeros = leading_zeros(total.w);
  let scale = 1u << (zeros & 31u);
  let top = total.w * scale + (total.z >> ((0u - zeros) & 31u));
  let next = total.z * scale + (total.y >> ((0u - zeros) & 31u));
  let rest = (total.y * scale) | total.x;
  let sign = product_sign ^ (negative & 0x80000000u);
  return f64_round${suffix}(sign, exponent - i32(zeros), vec2<u32>(next | min(rest, 1u), top));
}`,
  })),
});
