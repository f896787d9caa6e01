// Elements of matrices, and sums of their products.
import { helperTable } from './helper.ts';

export const matrixHelpers = helperTable({
  e4m3_element: {
    uses: ['f32_of'],
    code: `
// The f32 of the e4m3 in the low eight bits. Its fraction and exponent are those of an f16 that is
// 2^8 times smaller. e4m3 has no infinities.
fn e4m3_element(a: u32) -> f32 {
  let value = unpack2x16float(((a & 0x80u) << 8u) | ((a & 0x7fu) << 7u)).x * 256.0;
  return select(value, f32_of(0x7fffffffu), (a & 0x7fu) == 0x7fu);
}`,
  },
  f32_sum_bits: {
    code: `
// The bits of a sum of products, with -0 replaced by +0.
fn f32_sum_bits(a: f32) -> u32 {
  let bits = bitcast<u32>(a);
  return select(bits, 0u, bits == 0x80000000u);
}`,
  },
  f16_sum_bits: {
    uses: ['f16_from_f32'],
    code: `
// The bits of a sum of products rounded to f16, with -0 replaced by +0.
fn f16_sum_bits(a: f32) -> u32 {
  let bits = f16_from_f32(a);
  return select(bits, 0u, bits == 0x8000u);
}`,
  },
  f32_scale_subnormal: {
    code: `
// Returns 2^30 times the subnormal value with these bits.
fn f32_scale_subnormal(bits: u32) -> f32 {
  let size = f32(bits & 0x7fffffffu) * bitcast<f32>(0x04000000u);
  return bitcast<f32>(bitcast<u32>(size) | (bits & 0x80000000u));
}`,
  },
  f32_restore_subnormal: {
    uses: ['f32_of'],
    code: `
// Undoes f32_scale_subnormal. Sums from 2^-96 on are unchanged.
fn f32_restore_subnormal(bits: u32) -> f32 {
  let size = bits & 0x7fffffffu;
  if (size >= 0x0f800000u) {
    return f32_of(bits);
  }
  return f32_of(u32(bitcast<f32>(size) * bitcast<f32>(0x7b000000u)) | (bits & 0x80000000u));
}`,
  },
  f32_product_is_tiny: {
    code: `
// Whether the product of values with these bits is nonzero and below 2^-98, or has a subnormal
// factor.
fn f32_product_is_tiny(a: u32, b: u32) -> bool {
  let x = (a >> 23u) & 0xffu;
  let y = (b >> 23u) & 0xffu;
  return (a << 1u) != 0u && (b << 1u) != 0u && (min(x, y) == 0u || x + y < 154u);
}`,
  },
  tensor_exponent: {
    code: `
// The exponent by which a tensor core aligns the f32 with these bits, if \`least\` is that of the
// least normal number of its type. Far below all others for zeros, and above for infinities and NaNs.
fn tensor_exponent(bits: u32, least: i32) -> i32 {
  let size = bits & 0x7fffffffu;
  let finite = max(i32(size >> 23u) - 127, least);
  return select(select(finite, -1000, size == 0u), 2000, size >= 0x7f800000u);
}`,
  },
  tensor_significand: {
    code: `
// The f32 with these bits, divided by 2^exponent. Its magnitude is less than two.
fn tensor_significand(bits: u32, exponent: i32) -> f32 {
  let field = i32((bits >> 23u) & 0xffu);
  let fraction = bits & 0x007fffffu;
  let size = f32(select(fraction | 0x00800000u, fraction, field == 0));
  let scaled = size * bitcast<f32>(u32(clamp(max(field, 1) - exponent - 23, 1, 254)) << 23u);
  return bitcast<f32>(bitcast<u32>(scaled) | (bits & 0x80000000u));
}`,
  },
  tensor_scale: {
    code: `
// 2^25 times 2^distance, for a term whose exponent is \`distance\` above the largest one: its whole
// part has the bits that a tensor core keeps. Zero if it keeps none.
fn tensor_scale(distance: i32) -> f32 {
  return bitcast<f32>(u32(max(distance + 152, 0)) << 23u);
}`,
  },
  tensor_special: {
    code: `
// A set for the product of the f32s with these bits: 1 for infinity, 2 for -infinity, 4 for NaN;
// otherwise empty.
fn tensor_special(a: u32, b: u32) -> u32 {
  let larger = max(a & 0x7fffffffu, b & 0x7fffffffu);
  let smaller = min(a & 0x7fffffffu, b & 0x7fffffffu);
  if (larger < 0x7f800000u) {
    return 0u;
  }
  let infinite = select(1u, 2u, ((a ^ b) & 0x80000000u) != 0u);
  return select(infinite, 4u, larger > 0x7f800000u || smaller == 0u);
}`,
  },
  tensor_special_sum: {
    code: `
// The bits of the sum of such a set that is not empty.
fn tensor_special_sum(found: u32) -> u32 {
  return select(select(0xff800000u, 0x7f800000u, found == 1u), 0x7fffffffu, found > 2u);
}`,
  },
  tensor_total: {
    code: `
// The magnitude of products + addend, and a sign bit. The sum of the products has at most 31 bits,
// and the addend 26.
fn tensor_total(products: i32, addend: i32) -> vec2u {
  let sum = products + addend;
  let isNegative = select(sum < 0, products < 0, (products < 0) == (addend < 0));
  let bits = bitcast<u32>(sum);
  return vec2u(select(bits, 0u - bits, isNegative), select(0u, 0x80000000u, isNegative));
}`,
  },
  tensor_f32: {
    uses: ['tensor_total'],
    code: `
// The bits of products + addend, in units of 2^(largest - 25), rounded toward zero to f32. Sums
// beyond the greatest number are infinite.
fn tensor_f32(products: i32, addend: i32, largest: i32) -> u32 {
  let total = tensor_total(products, addend);
  let zeros = countLeadingZeros(total.x);
  let bits = total.x << (zeros & 31u);
  let exponent = largest + 6 - i32(zeros);
  let lost = u32(clamp(-118 - exponent, 8, 31));
  let size = (bits >> lost) + (u32(max(exponent + 126, 0)) << 23u);
  let magnitude = select(size, 0x7f800000u, exponent > 127);
  return select(magnitude | total.y, 0u, total.x == 0u || magnitude == 0u);
}`,
  },
  tensor_f16: {
    uses: ['tensor_total', 'f16_to_f32'],
    code: `
// The same sum, rounded to nearest even to f16, as the bits of an f32.
fn tensor_f16(products: i32, addend: i32, largest: i32) -> u32 {
  let total = tensor_total(products, addend);
  let zeros = countLeadingZeros(total.x);
  let bits = total.x << (zeros & 31u);
  let exponent = largest + 6 - i32(zeros);
  let lost = u32(clamp(7 - exponent, 21, 33));
  if (total.x == 0u || lost > 32u) {
    return 0u;
  }
  let kept = select(bits >> (lost & 31u), 0u, lost == 32u);
  let rest = bits << (32u - lost);
  let isUp = rest > 0x80000000u || (rest == 0x80000000u && (kept & 1u) == 1u);
  let size = kept + select(0u, 1u, isUp) + (u32(clamp(exponent + 14, 0, 31)) << 10u);
  let half = bitcast<u32>(f16_to_f32(min(size, 0x7c00u)));
  return select(half | total.y, 0u, half == 0u);
}`,
  },
  f32_add_to_chain: {
    uses: ['f32_canonical', 'f32_sum_bits'],
    code: `
// The bits of c + sum, where the sum of products is zero or larger than every subnormal number.
fn f32_add_to_chain(c: u32, sum: f32) -> u32 {
  let isZero = (bitcast<u32>(sum) << 1u) == 0u;
  let total = f32_canonical(bitcast<f32>(c) + sum);
  let alone = select(c, 0x7fffffffu, (c & 0x7fffffffu) > 0x7f800000u);
  return f32_sum_bits(bitcast<f32>(select(bitcast<u32>(total), alone, isZero)));
}`,
  },
});
