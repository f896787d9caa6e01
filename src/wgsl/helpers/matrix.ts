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
  sparse_halves: {
    code: `
// The halves of two words whose numbers, 0 to 3, are in each two of the low four bits of the codes.
fn sparse_halves(low: u32, high: u32, codes: u32) -> u32 {
  let first = select(low, high, (codes & 2u) != 0u) >> ((codes & 1u) << 4u);
  let second = select(low, high, (codes & 8u) != 0u) >> ((codes & 4u) << 2u);
  return (first & 0xffffu) | (second << 16u);
}`,
  },
  sparse_bytes: {
    code: `
// Two bytes of each word. Their numbers, 0 to 3, are in each two of the low eight bits of the codes.
fn sparse_bytes(low: u32, high: u32, codes: u32) -> u32 {
  let first = (low >> ((codes & 3u) << 3u)) & 0xffu;
  let second = (low >> ((codes & 12u) << 1u)) & 0xffu;
  let third = (high >> ((codes & 48u) >> 1u)) & 0xffu;
  let fourth = high >> ((codes & 192u) >> 3u);
  return first | (second << 8u) | (third << 16u) | (fourth << 24u);
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
  f16_sum_pack: {
    uses: ['f16_pack'],
    code: `
// The bits of two sums of products rounded to f16, with -0 replaced by +0. Adding 0x7fff carries
// into the sign's place unless the other bits are zero.
fn f16_sum_pack(low: f32, high: f32) -> u32 {
  let halves = f16_pack(low, high);
  return halves & (((halves & 0x7fff7fffu) + 0x7fff7fffu) | 0x7fff7fffu);
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
// Undoes f32_scale_subnormal for a sum. A sum of 2^-96 or more contains a product that replaced the
// scaled addend, so it is unchanged.
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
