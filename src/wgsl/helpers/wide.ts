// 64-bit integers as vec2<u32>(low, high).
import { helperTable } from './helper.ts';

export const wideHelpers = helperTable({
  add64: {
    code: `
// The 64-bit sum.
fn add64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let low = a.x + b.x;
  return vec2<u32>(low, a.y + b.y + u32(low < a.x));
}`,
  },
  sub64: {
    code: `
// The 64-bit difference.
fn sub64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return vec2<u32>(a.x - b.x, a.y - b.y - u32(a.x < b.x));
}`,
  },
  neg64: {
    code: `
// The 64-bit negation.
fn neg64(a: vec2<u32>) -> vec2<u32> {
  return vec2<u32>(0u - a.x, ~a.y + u32(a.x == 0u));
}`,
  },
  abs_s64: {
    uses: ['neg64'],
    code: `
// The absolute value of a signed 64-bit number; -2^63 is unchanged.
fn abs_s64(a: vec2<u32>) -> vec2<u32> {
  return select(a, neg64(a), (a.y >> 31u) == 1u);
}`,
  },
  mul64: {
    uses: ['mul_wide_u32'],
    code: `
// The low 64 bits of the product.
fn mul64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let low = mul_wide_u32(a.x, b.x);
  return vec2<u32>(low.x, low.y + a.x * b.y + a.y * b.x);
}`,
  },
  mul_hi_u64: {
    uses: ['mul_wide_u32', 'add64'],
    code: `
// The high 64 bits of the product.
fn mul_hi_u64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let middle = add64(mul_wide_u32(a.y, b.x), vec2<u32>(mul_wide_u32(a.x, b.x).y, 0u));
  let cross = add64(mul_wide_u32(a.x, b.y), vec2<u32>(middle.x, 0u));
  return add64(mul_wide_u32(a.y, b.y), add64(vec2<u32>(middle.y, 0u), vec2<u32>(cross.y, 0u)));
}`,
  },
  mul_hi_s64: {
    uses: ['mul_hi_u64', 'sub64'],
    code: `
// The high 64 bits of the signed product: a negative factor equals its unsigned bits minus 2^64.
fn mul_hi_s64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let nothing = vec2<u32>(0u, 0u);
  let product = sub64(mul_hi_u64(a, b), select(nothing, b, (a.y >> 31u) == 1u));
  return sub64(product, select(nothing, a, (b.y >> 31u) == 1u));
}`,
  },
  lt_u64: {
    code: `
// Whether a < b, as unsigned 64-bit numbers.
fn lt_u64(a: vec2<u32>, b: vec2<u32>) -> bool {
  return a.y < b.y || (a.y == b.y && a.x < b.x);
}`,
  },
  lt_s64: {
    code: `
// Whether a < b, as signed 64-bit numbers.
fn lt_s64(a: vec2<u32>, b: vec2<u32>) -> bool {
  return bitcast<i32>(a.y) < bitcast<i32>(b.y) || (a.y == b.y && a.x < b.x);
}`,
  },
  min_u64: {
    uses: ['lt_u64'],
    code: `
// The smaller unsigned 64-bit number.
fn min_u64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return select(b, a, lt_u64(a, b));
}`,
  },
  max_u64: {
    uses: ['lt_u64'],
    code: `
// The larger unsigned 64-bit number.
fn max_u64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return select(a, b, lt_u64(a, b));
}`,
  },
  min_s64: {
    uses: ['lt_s64'],
    code: `
// The smaller signed 64-bit number.
fn min_s64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return select(b, a, lt_s64(a, b));
}`,
  },
  max_s64: {
    uses: ['lt_s64'],
    code: `
// The larger signed 64-bit number.
fn max_s64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return select(a, b, lt_s64(a, b));
}`,
  },
  shl64: {
    code: `
// 64-bit left shift; 0 for amounts from 64 up.
fn shl64(a: vec2<u32>, amount: u32) -> vec2<u32> {
  let n = amount & 31u;
  // Two steps, because a single shift by 32 - n would shift by 0 if n is 0.
  let carried = (a.x >> 1u) >> (31u - n);
  let near = vec2<u32>(a.x << n, (a.y << n) | carried);
  let far = vec2<u32>(0u, a.x << n);
  return select(select(near, far, amount > 31u), vec2<u32>(0u, 0u), amount > 63u);
}`,
  },
  shr_u64: {
    code: `
// 64-bit right shift; 0 for amounts from 64 up.
fn shr_u64(a: vec2<u32>, amount: u32) -> vec2<u32> {
  let n = amount & 31u;
  let carried = (a.y << 1u) << (31u - n);
  let near = vec2<u32>((a.x >> n) | carried, a.y >> n);
  let far = vec2<u32>(a.y >> n, 0u);
  return select(select(near, far, amount > 31u), vec2<u32>(0u, 0u), amount > 63u);
}`,
  },
  shr_s64: {
    code: `
// Signed 64-bit right shift; all sign bits for amounts from 63 up.
fn shr_s64(a: vec2<u32>, amount: u32) -> vec2<u32> {
  let n = min(amount, 63u);
  let sign = bitcast<u32>(bitcast<i32>(a.y) >> 31u);
  let top = bitcast<u32>(bitcast<i32>(a.y) >> (n & 31u));
  let carried = (a.y << 1u) << (31u - (n & 31u));
  return select(vec2<u32>((a.x >> (n & 31u)) | carried, top), vec2<u32>(top, sign), n > 31u);
}`,
  },
});
