// Sums of tensor cores: see `wgsl/warp/mma-tensor-core.ts`.
import { helperTable } from './helper.ts';

export const tensorCoreHelpers = helperTable({
  f16_powers: {
    code: `
// For each f16 of a pair, the power of two by which a tensor core aligns it; zero for zero.
fn f16_powers(pair: u32) -> u32 {
  let size = pair & 0x7fff7fffu;
  // Bits 15 and 31: whether an element is nonzero, and whether it is normal.
  let isNonzero = size + 0x7fff7fffu;
  let isNormal = size + 0x7c007c00u;
  return (pair & 0x7c007c00u) | ((isNonzero & ~isNormal & 0x80008000u) >> 5u);
}`,
  },
  e4m3_power: {
    code: `
// The power of two by which a tensor core aligns a factor of e4m3; zero for zero.
fn e4m3_power(value: f32) -> f32 {
  let power = bitcast<f32>(bitcast<u32>(value) & 0x7f800000u);
  return select(max(power, 0.015625), 0.0, value == 0.0);
}`,
  },
  tensor_scales: {
    code: `
// 2^25 divided by the largest power of two among \`tops\`, those of products, and those of addends
// with these bits. Sums below 2^-101 have no products.
fn tensor_scales(tops: vec4<f32>, addends: vec4<u32>) -> vec4<f32> {
  let powers = max(addends & vec4<u32>(0x7f800000u), vec4<u32>(0x0d000000u));
  return bitcast<vec4<f32>>(vec4<u32>(0x8b800000u) - max(bitcast<vec4<u32>>(tops), powers));
}`,
  },
  tensor_scales_f16: {
    code: `
// The same for sums in f16, whose subnormal addends have the power 2^-14. It is at least 2^-21.
fn tensor_scales_f16(tops: vec4<f32>, addends: vec4<u32>) -> vec4<f32> {
  let size = addends & vec4<u32>(0x7fffffffu);
  let normal = max(size & vec4<u32>(0x7f800000u), vec4<u32>(0x38800000u));
  let powers = select(normal, vec4<u32>(0x35000000u), size == vec4<u32>(0u));
  return bitcast<vec4<f32>>(vec4<u32>(0x8b800000u) - max(bitcast<vec4<u32>>(tops), powers));
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
  let kept = select(bits >> lost, 0u, exponent < -149);
  let size = kept + (u32(max(exponent + 126, 0)) << 23u);
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
  tensor_is_negative: {
    code: `
// Whether products + addends is negative. The sum of the products has at most 31 bits, and an addend
// 26.
fn tensor_is_negative(products: vec4<i32>, addends: vec4<i32>) -> vec4<bool> {
  let zero = vec4<i32>(0);
  return select(products + addends < zero, products < zero, (products < zero) == (addends < zero));
}`,
  },
  tensor_sums: {
    uses: ['tensor_is_negative'],
    code: `
// The bits of products / scales + addends, rounded toward zero to f32.
fn tensor_sums(products: vec4<i32>, addends: vec4<u32>, scales: vec4<f32>) -> vec4<u32> {
  let added = vec4<i32>(bitcast<vec4<f32>>(addends) * scales);
  let isNegative = tensor_is_negative(products, added);
  let sum = bitcast<vec4<u32>>(products + added);
  let size = select(sum, vec4<u32>(0u) - sum, isNegative);
  let zeros = countLeadingZeros(size);
  let fraction = (size << (zeros & vec4<u32>(31u))) >> vec4<u32>(8u);
  let exponent = vec4<u32>(0x8e000000u) - bitcast<vec4<u32>>(scales) - (zeros << vec4<u32>(23u));
  let sign = select(vec4<u32>(0u), vec4<u32>(0x80000000u), isNegative);
  let result = select((fraction + exponent) | sign, vec4<u32>(0u), size == vec4<u32>(0u));
  // Without products, the sum is the addend.
  let alone = select(addends, vec4<u32>(0u), addends == vec4<u32>(0x80000000u));
  return select(result, alone, bitcast<vec4<u32>>(scales) == vec4<u32>(0x7e800000u));
}`,
  },
  tensor_sums_short: {
    uses: ['tensor_sums'],
    code: `
// The same for scales of 13 bits, cut toward zero after 13 fraction bits.
fn tensor_sums_short(products: vec4<i32>, addends: vec4<u32>, scales: vec4<f32>) -> vec4<u32> {
  let sums = tensor_sums(products, addends, scales);
  let alone = select(addends, vec4<u32>(0u), addends == vec4<u32>(0x80000000u));
  return select(sums, alone, bitcast<vec4<u32>>(scales) == vec4<u32>(0x78800000u)) & vec4<u32>(0xfffffc00u);
}`,
  },
  tensor_sums_f16: {
    uses: ['tensor_f16'],
    code: `
// The same, rounded to nearest even to f16, as the bits of f32s.
fn tensor_sums_f16(products: vec4<i32>, addends: vec4<u32>, scales: vec4<f32>) -> vec4<u32> {
  let added = vec4<i32>(bitcast<vec4<f32>>(addends) * scales);
  let largest = vec4<i32>(152) - vec4<i32>(bitcast<vec4<u32>>(scales) >> vec4<u32>(23u));
  return vec4<u32>(
    tensor_f16(products.x, added.x, largest.x), tensor_f16(products.y, added.y, largest.y),
    tensor_f16(products.z, added.z, largest.z), tensor_f16(products.w, added.w, largest.w));
}`,
  },
  tensor_exponent: {
    code: `
// The exponent by which a tensor core aligns the f32 with these bits. \`least\` is the exponent of
// the least normal number of its type. The result is far below all other exponents for zeros, and
// above them for infinities and NaNs.
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
  tensor_largest: {
    uses: ['tensor_exponent'],
    code: `
// The exponents of the f32s with these bits, and at least the smallest exponent to which terms are
// aligned, which is 7 below \`least\`.
fn tensor_largest(addends: vec4<u32>, least: i32) -> vec4<i32> {
  let exponents = vec4<i32>(
    tensor_exponent(addends.x, least), tensor_exponent(addends.y, least),
    tensor_exponent(addends.z, least), tensor_exponent(addends.w, least));
  return max(exponents, vec4<i32>(least - 7));
}`,
  },
  tensor_distance_scales: {
    code: `
// Applies \`tensor_scale\` to each element.
fn tensor_distance_scales(distances: vec4<i32>) -> vec4<f32> {
  return bitcast<vec4<f32>>(vec4<u32>(max(distances + vec4<i32>(152), vec4<i32>(0))) << vec4<u32>(23u));
}`,
  },
  tensor_specials: {
    uses: ['tensor_special'],
    code: `
// Applies \`tensor_special\` to each element.
fn tensor_specials(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
  return vec4<u32>(
    tensor_special(a.x, b.x), tensor_special(a.y, b.y), tensor_special(a.z, b.z), tensor_special(a.w, b.w));
}`,
  },
  tensor_addend: {
    uses: ['tensor_exponent', 'tensor_significand', 'tensor_scale'],
    code: `
// The addend with these bits, in units of 2^(largest - 25).
fn tensor_addend(bits: u32, least: i32, largest: i32) -> i32 {
  let exponent = tensor_exponent(bits, least);
  return i32(tensor_significand(bits, exponent) * tensor_scale(exponent - largest));
}`,
  },
  tensor_general_sum: {
    uses: ['tensor_addend', 'tensor_f32', 'tensor_special_sum'],
    code: `
// The bits of the sum of products, in units of 2^(largest - 25), an addend and special values.
fn tensor_general_sum(products: i32, addend: u32, largest: i32, special: u32) -> u32 {
  let sum = tensor_f32(products, tensor_addend(addend, -126, largest), largest);
  return select(sum, tensor_special_sum(special), special != 0u);
}`,
  },
  tensor_general_sum_f16: {
    uses: ['tensor_addend', 'tensor_f16', 'tensor_special_sum'],
    code: `
// The same, rounded to f16, as the bits of an f32.
fn tensor_general_sum_f16(products: i32, addend: u32, largest: i32, special: u32) -> u32 {
  let sum = tensor_f16(products, tensor_addend(addend, -14, largest), largest);
  return select(sum, tensor_special_sum(special), special != 0u);
}`,
  },
  tensor_general_sums: {
    uses: ['tensor_general_sum'],
    code: `
// Applies \`tensor_general_sum\` to each element.
fn tensor_general_sums(p: vec4<i32>, a: vec4<u32>, largest: vec4<i32>, special: vec4<u32>) -> vec4<u32> {
  return vec4<u32>(
    tensor_general_sum(p.x, a.x, largest.x, special.x), tensor_general_sum(p.y, a.y, largest.y, special.y),
    tensor_general_sum(p.z, a.z, largest.z, special.z), tensor_general_sum(p.w, a.w, largest.w, special.w));
}`,
  },
  tensor_general_sum_short: {
    uses: ['tensor_addend', 'tensor_f32', 'tensor_special_sum'],
    code: `
// The bits of such a sum in f32, cut toward zero after 13 fraction bits.
fn tensor_general_sum_short(products: i32, addend: u32, largest: i32, special: u32) -> u32 {
  let sum = tensor_f32(products, tensor_addend(addend, -126, largest), largest) & 0xfffffc00u;
  return select(sum, tensor_special_sum(special), special != 0u);
}`,
  },
  tensor_general_sums_short: {
    uses: ['tensor_general_sum_short'],
    code: `
// Applies \`tensor_general_sum_short\` to each element.
fn tensor_general_sums_short(p: vec4<i32>, a: vec4<u32>, largest: vec4<i32>, special: vec4<u32>) -> vec4<u32> {
  return vec4<u32>(
    tensor_general_sum_short(p.x, a.x, largest.x, special.x), tensor_general_sum_short(p.y, a.y, largest.y, special.y),
    tensor_general_sum_short(p.z, a.z, largest.z, special.z), tensor_general_sum_short(p.w, a.w, largest.w, special.w));
}`,
  },
  tensor_general_sums_f16: {
    uses: ['tensor_general_sum_f16'],
    code: `
// Applies \`tensor_general_sum_f16\` to each element.
fn tensor_general_sums_f16(p: vec4<i32>, a: vec4<u32>, largest: vec4<i32>, special: vec4<u32>) -> vec4<u32> {
  return vec4<u32>(
    tensor_general_sum_f16(p.x, a.x, largest.x, special.x), tensor_general_sum_f16(p.y, a.y, largest.y, special.y),
    tensor_general_sum_f16(p.z, a.z, largest.z, special.z), tensor_general_sum_f16(p.w, a.w, largest.w, special.w));
}`,
  },
});
