// f16 and bf16 values, in the low 16 bits of words whose high bits are 0. f16 values and normal
// bf16 values are normal in f32, and their products are exact in f32. Sums may be rounded twice,
// because f32 has more than twice the format's bits plus two. half-soft.ts handles values that
// could be subnormal in f32 and results that two roundings could change.
import { helperTable } from './helper.ts';

export const halfHelpers = helperTable({
  f16_to_f32: {
    code: `
// The f32 of an f16; NVIDIA's canonical NaN for any NaN.
fn f16_to_f32(a: u32) -> f32 {
  let size = a & 0x7fffu;
  // Below 2^-14, the fraction counts units of 2^-24.
  let small = bitcast<u32>(f32(size) * 0.000000059604644775390625);
  let finite = select((size << 13u) + 0x38000000u, small, size < 0x0400u);
  let sign = (a & 0x8000u) << 16u;
  let special = select(sign | 0x7f800000u, 0x7fffffffu, size > 0x7c00u);
  return bitcast<f32>(select(sign | finite, special, size >= 0x7c00u));
}`,
  },
  f16_of_size: {
    code: `
// The f16 nearest to a nonnegative f32, by its bits; NVIDIA's canonical NaN for any NaN.
fn f16_of_size(size: u32) -> u32 {
  // Below 2^-14, the last place is 2^-24, the same as from 0.5 to 1: adding 0.5 rounds there.
  let small = bitcast<u32>(bitcast<f32>(size) + 0.5) - 0x3f000000u;
  let normal = (size - 0x37fff001u + ((size >> 13u) & 1u)) >> 13u;
  let large = select(0x7c00u, 0x7fffu, size > 0x7f800000u);
  return select(select(normal, small, size < 0x38800000u), large, size >= 0x47800000u);
}`,
  },
  f16_from_f32: {
    uses: ['f16_of_size'],
    code: `
// The f16 nearest to an f32.
fn f16_from_f32(a: f32) -> u32 {
  let bits = bitcast<u32>(a);
  let size = bits & 0x7fffffffu;
  return f16_of_size(size) | select((bits >> 16u) & 0x8000u, 0u, size > 0x7f800000u);
}`,
  },
  f16_pack: {
    code: `
// The f16 values nearest to two f32 values, in one word. Only for adapters on which pack2x16float
// rounds to nearest even and returns NVIDIA's canonical NaN.
fn f16_pack(low: f32, high: f32) -> u32 {
  return pack2x16float(vec2f(low, high));
}`,
  },
  bf16_to_f32: {
    code: `
// The f32 of a bf16: the bf16's bits are its upper half.
fn bf16_to_f32(a: u32) -> f32 {
  return bitcast<f32>(a << 16u);
}`,
  },
  bf16_from_f32: {
    code: `
// The bf16 nearest to an f32; NVIDIA's canonical NaN for any NaN.
fn bf16_from_f32(a: f32) -> u32 {
  let bits = bitcast<u32>(a);
  let nearest = (bits + 0x7fffu + ((bits >> 16u) & 1u)) >> 16u;
  return select(nearest, 0x7fffu, (bits & 0x7fffffffu) > 0x7f800000u);
}`,
  },
  f16_add: {
    uses: ['f16_to_f32', 'f16_of_size'],
    code: `
// The sum of two f16 values, rounded once.
fn f16_add(a: u32, b: u32) -> u32 {
  let larger = max(a & 0x7fffu, b & 0x7fffu);
  if (larger >= 0x7c00u) {
    let differ = ((a ^ b) & 0xffffu) == 0x8000u;
    let infinite = select(b, a, (a & 0x7fffu) == 0x7c00u);
    return select(infinite, 0x7fffu, larger > 0x7c00u || differ);
  }
  let result = bitcast<u32>(f16_to_f32(a) + f16_to_f32(b));
  let size = result & 0x7fffffffu;
  // A zero sum is negative only if both terms are.
  let sign = select((result >> 16u) & 0x8000u, a & b & 0x8000u, size == 0u);
  return f16_of_size(size) | sign;
}`,
  },
  f16_sub: {
    uses: ['f16_add'],
    code: `
// The difference of two f16 values, rounded once. The sign of a NaN does not matter, so b may be
// a NaN.
fn f16_sub(a: u32, b: u32) -> u32 {
  return f16_add(a, b ^ 0x8000u);
}`,
  },
  f16_mul: {
    uses: ['f16_to_f32', 'f16_of_size'],
    code: `
// The product of two f16 values, rounded once.
fn f16_mul(a: u32, b: u32) -> u32 {
  let sign = (a ^ b) & 0x8000u;
  let larger = max(a & 0x7fffu, b & 0x7fffu);
  if (larger >= 0x7c00u) {
    let smaller = min(a & 0x7fffu, b & 0x7fffu);
    return select(sign | 0x7c00u, 0x7fffu, larger > 0x7c00u || smaller == 0u);
  }
  return f16_of_size(bitcast<u32>(f16_to_f32(a) * f16_to_f32(b)) & 0x7fffffffu) | sign;
}`,
  },
  f16_fma: {
    uses: ['f16_to_f32', 'f16_soft_fma'],
    code: `
// a * b + c of f16, rounded once. The product is exact, so two roundings differ from one only if
// f32 rounds the sum to the middle of two f16 values. A compiler that knows that a factor is zero
// replaces the result by c, so the code tests for infinite factors and NaNs by their bits.
fn f16_fma(a: u32, b: u32, c: u32) -> u32 {
  let result = bitcast<u32>(f16_to_f32(a) * f16_to_f32(b) + f16_to_f32(c));
  let size = result & 0x7fffffffu;
  let finite = max(a & 0x7fffu, b & 0x7fffu) < 0x7c00u;
  if (size - 0x38800000u < 0x0f000000u && (result & 0x1fffu) != 0x1000u && finite) {
    return ((size - 0x37fff000u) >> 13u) | ((result >> 16u) & 0x8000u);
  }
  return f16_soft_fma(a, b, c, 0u);
}`,
  },
  bf16_add: {
    uses: ['f32_is_ordinary', 'bf16_to_f32', 'bf16_from_f32', 'bf16_soft_fma'],
    code: `
// The sum of two bf16 values, rounded once, in integer arithmetic if a subnormal value could
// matter.
fn bf16_add(a: u32, b: u32) -> u32 {
  let result = bf16_to_f32(a) + bf16_to_f32(b);
  if (f32_is_ordinary(bitcast<u32>(result))) {
    return bf16_from_f32(result);
  }
  return bf16_soft_fma(a, 0x3f80u, b, 0u);
}`,
  },
  bf16_sub: {
    uses: ['bf16_add'],
    code: `
// The difference of two bf16 values, rounded once. The sign of a NaN does not matter, so b may be
// a NaN.
fn bf16_sub(a: u32, b: u32) -> u32 {
  return bf16_add(a, b ^ 0x8000u);
}`,
  },
  bf16_mul: {
    uses: ['f32_is_ordinary', 'bf16_to_f32', 'bf16_from_f32', 'bf16_soft_fma'],
    code: `
// The product of two bf16 values, rounded once, in integer arithmetic if a subnormal value could
// matter.
fn bf16_mul(a: u32, b: u32) -> u32 {
  let result = bf16_to_f32(a) * bf16_to_f32(b);
  if (f32_is_ordinary(bitcast<u32>(result))) {
    return bf16_from_f32(result);
  }
  return bf16_soft_fma(a, b, 0x8000u, 0u);
}`,
  },
  bf16_fma: {
    uses: ['f32_is_ordinary', 'bf16_to_f32', 'bf16_from_f32', 'bf16_soft_fma'],
    code: `
// a * b + c of bf16, rounded once. A product that f32 cannot represent is too small to affect an
// ordinary sum, unless the sum is in the middle of two bf16 values. A subnormal factor may be
// flushed, which can change any product. A compiler that knows that a factor is zero replaces the
// result by c, so the code tests for infinite factors and NaNs by their bits.
fn bf16_fma(a: u32, b: u32, c: u32) -> u32 {
  let is_subnormal = min((a & 0x7fffu) - 1u, (b & 0x7fffu) - 1u) < 0x7fu;
  let finite = max(a & 0x7fffu, b & 0x7fffu) < 0x7f80u;
  let result = bf16_to_f32(a) * bf16_to_f32(b) + bf16_to_f32(c);
  let bits = bitcast<u32>(result);
  if (f32_is_ordinary(bits) && (bits & 0xffffu) != 0x8000u && !is_subnormal && finite) {
    return bf16_from_f32(result);
  }
  return bf16_soft_fma(a, b, c, 0u);
}`,
  },
  f16_flush: {
    code: `
// The value, or a zero with its sign if it is subnormal.
fn f16_flush(a: u32) -> u32 {
  return select(a, a & 0x8000u, (a & 0x7c00u) == 0u);
}`,
  },
});
