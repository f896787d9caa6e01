// f64 sums, products and fused multiply-adds on integers, rounded once.
import { doubleFusedHelpers } from './double-fused.ts';
import { eachRounding, type RoundingSuffix } from './double-round.ts';
import { helperTable } from './helper.ts';

/// The sign of a zero sum of numbers that are not both zeros of one sign.
export const cancelled: Readonly<Record<RoundingSuffix, string>> = {
  '': '0u',
  _rz: '0u',
  _rm: '0x80000000u',
  _rp: '0u',
};

export const doubleArithmeticHelpers = helperTable({
  ...eachRounding('f64_add', (suffix, how) => ({
    uses: [
      ...['lt_u64', 'f64_is_nan', 'f64_invalid', 'f64_exponent', 'f64_significand', 'shift_right_sticky64'],
      ...['add64', 'sub64', 'clz64', 'shl64', `f64_pack${suffix}`],
    ],
    code: `
// The sum, rounded ${how}.
fn f64_add${suffix}(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let swapped = lt_u64(vec2<u32>(a.x, a.y & 0x7fffffffu), vec2<u32>(b.x, b.y & 0x7fffffffu));
  let larger = select(a, b, swapped);
  let smaller = select(b, a, swapped);
  let differ = (a.y ^ b.y) >= 0x80000000u;
  if ((larger.y & 0x7ff00000u) == 0x7ff00000u) {
    let opposite = differ && (smaller.y & 0x7fffffffu) == 0x7ff00000u;
    return select(larger, f64_invalid(a, b), opposite || f64_is_nan(larger));
  }
  let exponent = f64_exponent(larger);
  let first = f64_significand(larger);
  let second = shift_right_sticky64(f64_significand(smaller), exponent - f64_exponent(smaller));
  let total = select(add64(first, second), sub64(first, second), differ);
  if ((total.x | total.y) == 0u) {
    return vec2<u32>(0u, select(larger.y & 0x80000000u, ${cancelled[suffix]}, differ));
  }
  // Subnormal results keep the least exponent, and leading zeros.
  let zeros = min(clz64(total), exponent);
  return f64_pack${suffix}(larger.y & 0x80000000u, exponent + 1u - zeros, shl64(total, zeros));
}`,
  })),
  ...eachRounding('f64_sub', (suffix, how) => ({
    uses: ['f64_neg', `f64_add${suffix}`],
    code: `
// The difference, rounded ${how}.
fn f64_sub${suffix}(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return f64_add${suffix}(a, vec2<u32>(b.x, f64_neg(b)));
}`,
  })),
  mul_wide_u64: {
    uses: ['mul_wide_u32', 'add64'],
    code: `
// The 128-bit product, its lowest word first.
fn mul_wide_u64(a: vec2<u32>, b: vec2<u32>) -> vec4<u32> {
  let low = mul_wide_u32(a.x, b.x);
  let middle = add64(mul_wide_u32(a.y, b.x), vec2<u32>(low.y, 0u));
  let cross = add64(mul_wide_u32(a.x, b.y), vec2<u32>(middle.x, 0u));
  let high = add64(mul_wide_u32(a.y, b.y), add64(vec2<u32>(middle.y, 0u), vec2<u32>(cross.y, 0u)));
  return vec4<u32>(low.x, cross.x, high.x, high.y);
}`,
  },
  ...eachRounding('f64_mul', (suffix, how) => ({
    uses: [
      ...['f64_is_nan', 'f64_invalid', 'f64_exponent', 'f64_significand', 'clz64', 'shl64', 'mul_wide_u64'],
      `f64_round${suffix}`,
    ],
    code: `
// The product, rounded ${how}.
fn f64_mul${suffix}(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let sign = (a.y ^ b.y) & 0x80000000u;
  let swapped = (a.y & 0x7fffffffu) < (b.y & 0x7fffffffu);
  let larger = select(a, b, swapped);
  let smaller = select(b, a, swapped);
  let is_zero = (smaller.x | (smaller.y << 1u)) == 0u;
  if ((larger.y & 0x7ff00000u) == 0x7ff00000u) {
    let is_nan = is_zero || f64_is_nan(a) || f64_is_nan(b);
    return select(vec2<u32>(0u, sign | 0x7ff00000u), f64_invalid(a, b), is_nan);
  }
  if (is_zero) {
    return vec2<u32>(0u, sign);
  }
  // Were both subnormal, the product would be far below the least value, and only not zero.
  let significand = f64_significand(smaller);
  let zeros = clz64(significand);
  let product = mul_wide_u64(shl64(f64_significand(larger), 1u), shl64(significand, zeros));
  let exponent = i32(f64_exponent(larger) + f64_exponent(smaller)) - 1021 - i32(zeros);
  let short = product.w < 0x80000000u;
  let high = select(product.zw, (product.zw << vec2<u32>(1u, 1u)) | (product.yz >> vec2<u32>(31u, 31u)), short);
  let rest = (product.x | select(product.y, product.y << 1u, short)) != 0u;
  return f64_round${suffix}(sign, exponent - i32(short), vec2<u32>(high.x | u32(rest), high.y));
}`,
  })),
  ...doubleFusedHelpers,
});
