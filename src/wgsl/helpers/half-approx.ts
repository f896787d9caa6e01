// Approximate functions of f16 and bf16. Like NVIDIA's hardware, they truncate the f32 value to the
// format's bits.
import { helperTable } from './helper.ts';

export const halfApproxHelpers = helperTable({
  f16_cut: {
    code: `
// The f16 of a finite nonnegative f32, by its bits, truncated.
fn f16_cut(size: u32) -> u32 {
  let significand = (size & 0x007fffffu) | 0x00800000u;
  let small = significand >> min(126u - (size >> 23u), 31u);
  return select((size - 0x38000000u) >> 13u, small, size < 0x38800000u);
}`,
  },
  f16_ex2: {
    uses: ['f16_to_f32', 'interpolated_ex2', 'f16_cut'],
    code: `
// 2^a for an f16.
fn f16_ex2(a: u32) -> u32 {
  let result = interpolated_ex2(bitcast<u32>(f16_to_f32(a)));
  return select(f16_cut(result), select(0x7c00u, 0x7fffu, result > 0x7f800000u), result >= 0x47800000u);
}`,
  },
  bf16_ex2: {
    uses: ['interpolated_ex2'],
    code: `
// 2^a for a bf16, with .ftz.
fn bf16_ex2(a: u32) -> u32 {
  return interpolated_ex2(a << 16u) >> 16u;
}`,
  },
  f16_tanh: {
    uses: ['f16_to_f32', 'interpolated_tanh', 'f16_cut'],
    code: `
// The hyperbolic tangent of an f16.
fn f16_tanh(a: u32) -> u32 {
  let size = a & 0x7fffu;
  if (size > 0x7c00u) {
    return 0x7fffu;
  }
  return (a & 0x8000u) | f16_cut(interpolated_tanh(bitcast<u32>(f16_to_f32(size))));
}`,
  },
  bf16_tanh: {
    uses: ['interpolated_tanh'],
    code: `
// The hyperbolic tangent of a bf16.
fn bf16_tanh(a: u32) -> u32 {
  return interpolated_tanh(a << 16u) >> 16u;
}`,
  },
});
