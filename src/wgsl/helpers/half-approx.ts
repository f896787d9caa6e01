// Approximating functions of f16 and bf16. As NVIDIA's hardware does, they cut the f32 value to the format's bits.
import { helperTable } from './helper.ts';

export const halfApproxHelpers = helperTable({
  f16_cut: {
    code: `
// The f16 of a finite f32 that is not negative, by its bits, cut to its places.
fn f16_cut(size: u32) -> u32 {
  let significand = (size & 0x007fffffu) | 0x00800000u;
  let small = significand >> min(126u - (size >> 23u), 31u);
  return select((size - 0x38000000u) >> 13u, small, size < 0x38800000u);
}`,
  },
  f16_ex2: {
    uses: ['f16_to_f32', 'f32_ex2', 'f16_cut'],
    code: `
// 2^a of an f16. Hardware takes the least subnormal values for 0.
fn f16_ex2(a: u32) -> u32 {
  if ((a & 0x7fffu) < 2u) {
    return 0x3c00u;
  }
  let result = bitcast<u32>(f32_ex2(f16_to_f32(a)));
  return select(f16_cut(result), select(0x7c00u, 0x7fffu, result > 0x7f800000u), result >= 0x47800000u);
}`,
  },
  bf16_ex2: {
    uses: ['bf16_to_f32', 'f32_ex2'],
    code: `
// 2^a of a bf16, with .ftz. Hardware takes arguments below 2^-23 for 0.
fn bf16_ex2(a: u32) -> u32 {
  if ((a & 0x7fffu) < 0x3400u) {
    return 0x3f80u;
  }
  let result = bitcast<u32>(f32_ex2(bf16_to_f32(a)));
  return select(result >> 16u, 0u, result < 0x00800000u);
}`,
  },
  f16_tanh: {
    uses: ['f16_to_f32', 'f32_tanh', 'f16_cut'],
    code: `
// The hyperbolic tangent of an f16: the argument near 0, 1 from 8 on.
fn f16_tanh(a: u32) -> u32 {
  let size = a & 0x7fffu;
  if (size < 0x1c08u) {
    return a;
  }
  if (size >= 0x4800u) {
    return select((a & 0x8000u) | 0x3c00u, 0x7fffu, size > 0x7c00u);
  }
  return (a & 0x8000u) | f16_cut(min(bitcast<u32>(f32_tanh(f16_to_f32(size))), 0x3f7fffffu));
}`,
  },
  bf16_tanh: {
    uses: ['bf16_to_f32', 'f32_tanh'],
    code: `
// The hyperbolic tangent of a bf16: the argument near 0, 1 from 8 on.
fn bf16_tanh(a: u32) -> u32 {
  let size = a & 0x7fffu;
  if (size < 0x3b81u) {
    return a;
  }
  if (size >= 0x4100u) {
    return select((a & 0x8000u) | 0x3f80u, 0x7fffu, size > 0x7f80u);
  }
  return (a & 0x8000u) | (min(bitcast<u32>(f32_tanh(bf16_to_f32(size))), 0x3f7fffffu) >> 16u);
}`,
  },
});
