// 32-bit integer arithmetic for which WGSL has no operator.
import { helperTable } from './helper.ts';

export const wordHelpers = helperTable({
  mul_wide_u32: {
    code: `
// The 64-bit product from 16-bit parts, because WGSL has no wide multiply.
fn mul_wide_u32(a: u32, b: u32) -> vec2<u32> {
  let low = (a & 0xffffu) * (b & 0xffffu);
  let middle = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
  let cross = (a & 0xffffu) * (b >> 16u) + (middle & 0xffffu);
  return vec2<u32>(a * b, (a >> 16u) * (b >> 16u) + (middle >> 16u) + (cross >> 16u));
}`,
  },
  mul_wide_s32: {
    uses: ['mul_wide_u32'],
    code: `
// The signed 64-bit product: a negative factor equals its unsigned bits minus 2^32.
fn mul_wide_s32(a: u32, b: u32) -> vec2<u32> {
  let product = mul_wide_u32(a, b);
  let excess = select(0u, b, (a >> 31u) == 1u) + select(0u, a, (b >> 31u) == 1u);
  return vec2<u32>(product.x, product.y - excess);
}`,
  },
  mul_hi_u32: {
    uses: ['mul_wide_u32'],
    code: `
// The high half of the product.
fn mul_hi_u32(a: u32, b: u32) -> u32 {
  return mul_wide_u32(a, b).y;
}`,
  },
  mul_hi_s32: {
    uses: ['mul_wide_s32'],
    code: `
// The high half of the signed product.
fn mul_hi_s32(a: u32, b: u32) -> u32 {
  return mul_wide_s32(a, b).y;
}`,
  },
  add_sat_s32: {
    code: `
// The signed sum, clamped to the range of i32.
fn add_sat_s32(a: u32, b: u32) -> u32 {
  let sum = a + b;
  let overflow = ((a ^ sum) & (b ^ sum)) >> 31u;
  return select(sum, 0x7fffffffu + (a >> 31u), overflow == 1u);
}`,
  },
  sub_sat_s32: {
    code: `
// The signed difference, clamped to the range of i32.
fn sub_sat_s32(a: u32, b: u32) -> u32 {
  let difference = a - b;
  let overflow = ((a ^ b) & (a ^ difference)) >> 31u;
  return select(difference, 0x7fffffffu + (a >> 31u), overflow == 1u);
}`,
  },
  abs_diff_u32: {
    code: `
// The absolute difference of two unsigned words.
fn abs_diff_u32(a: u32, b: u32) -> u32 {
  return max(a, b) - min(a, b);
}`,
  },
  abs_diff_s32: {
    code: `
// The absolute difference of two signed words, modulo 2^32.
fn abs_diff_s32(a: u32, b: u32) -> u32 {
  return select(a - b, b - a, bitcast<i32>(a) < bitcast<i32>(b));
}`,
  },
  shl_clamp: {
    code: `
// Left shift; 0 for amounts from 32 up. WGSL's own shift reduces amounts modulo 32.
fn shl_clamp(a: u32, amount: u32) -> u32 {
  return select(a << (amount & 31u), 0u, amount > 31u);
}`,
  },
  shr_clamp: {
    code: `
// Right shift; 0 for amounts from 32 up.
fn shr_clamp(a: u32, amount: u32) -> u32 {
  return select(a >> (amount & 31u), 0u, amount > 31u);
}`,
  },
  sar_clamp: {
    code: `
// Signed right shift; all sign bits for amounts from 31 up.
fn sar_clamp(a: i32, amount: u32) -> i32 {
  return a >> min(amount, 31u);
}`,
  },
});
