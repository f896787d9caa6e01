// Quotients and square roots of f32 by integer arithmetic.
import { helperTable } from './helper.ts';

export const floatSoftQuotientHelpers = helperTable({
  soft_div: {
    uses: ['f32_unpack', 'soft_round'],
    code: `
// The quotient, rounded once.
fn soft_div(a: u32, b: u32, rounding: u32) -> u32 {
  let sign = (a ^ b) & 0x80000000u;
  let dividend = a & 0x7fffffffu;
  let divisor = b & 0x7fffffffu;
  if (max(dividend, divisor) > 0x7f800000u || (dividend == divisor && (dividend == 0u || dividend == 0x7f800000u))) {
    return 0x7fffffffu;
  }
  if (dividend == 0u || divisor == 0x7f800000u) {
    return sign;
  }
  if (divisor == 0u || dividend == 0x7f800000u) {
    return sign | 0x7f800000u;
  }
  // 24-bit numbers n and d with n / d in [1, 2).
  let first = f32_unpack(a);
  let second = f32_unpack(b);
  let d = second.x >> 8u;
  let fraction = first.x >> 8u;
  let n = select(fraction, fraction << 1u, fraction < d);
  let exponent = i32(first.y - second.y + 127u - u32(fraction < d));
  // The hardware's quotient may differ by a few units of the last place. The remainder, of which
  // the low 32 bits are enough, determines the correction.
  var quotient = u32(f32(n) / f32(d) * 8388608.0);
  var remainder = bitcast<i32>((n << 23u) - quotient * d);
  while (remainder < 0) {
    quotient -= 1u;
    remainder += i32(d);
  }
  while (remainder >= i32(d)) {
    quotient += 1u;
    remainder -= i32(d);
  }
  let half = u32(2 * remainder >= i32(d));
  let sticky = u32(2 * remainder != i32(half * d));
  return soft_round(sign, exponent, (quotient << 8u) | (half << 7u) | sticky, rounding);
}`,
  },
  soft_sqrt: {
    uses: ['f32_unpack', 'soft_round'],
    code: `
// The square root, rounded once.
fn soft_sqrt(a: u32, rounding: u32) -> u32 {
  if ((a & 0x7fffffffu) == 0u || a == 0x7f800000u) {
    return a;
  }
  if (a > 0x7f800000u) {
    return 0x7fffffffu;
  }
  // The root of m * 2^23, a number of 24 bits. m has 24 bits, or 25 if the exponent was odd.
  let whole = f32_unpack(a);
  let unbiased = i32(whole.y) - 127;
  let odd = u32(unbiased) & 1u;
  let m = (whole.x >> 8u) << odd;
  let exponent = (unbiased >> 1u) + 127;
  // The hardware's root may differ by a few units of the last place. The remainder, of which the
  // low 32 bits are enough, determines the correction.
  var root = u32(sqrt(f32(m << 1u)) * 2048.0);
  var remainder = bitcast<i32>((m << 23u) - root * root);
  while (remainder < 0) {
    root -= 1u;
    remainder += i32(2u * root + 1u);
  }
  while (remainder > i32(2u * root)) {
    remainder -= i32(2u * root + 1u);
    root += 1u;
  }
  let half = u32(remainder > i32(root));
  return soft_round(0u, exponent, (root << 8u) | (half << 7u) | u32(remainder != 0), rounding);
}`,
  },
});
