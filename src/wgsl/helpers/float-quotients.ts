// Quotients and square roots of f32 by the hardware's multiply-adds, if these are exact.
import { type Helper, helperTable } from './helper.ts';

function quotient(name: string, flushes: boolean, close = false): Helper {
  const [has, value] = close ? ['f32_has_close_quotient', 'f32_close_quotient'] : ['f32_has_quotient', 'f32_quotient'];
  const what = close ? 'The quotient within 1 ulp' : 'The quotient';
  return {
    uses: [has, value, 'soft_div'],
    code: `
// ${what}${flushes ? ' with .ftz, for operands that are flushed already' : ''}: by multiply-adds if they are ${close ? 'accurate enough' : 'exact'}, otherwise by integers.
fn ${name}(a: f32, b: f32) -> f32 {
  if (${has}(bitcast<u32>(a), bitcast<u32>(b))) {
    return ${value}(a, b);
  }
  return bitcast<f32>(soft_div(bitcast<u32>(a), bitcast<u32>(b), ${flushes ? 4 : 0}u));
}`,
  };
}

export const floatQuotientHelpers = helperTable({
  f32_sqrt: {
    uses: ['soft_sqrt'],
    code: `
// The square root; by hardware for normal positive numbers, whose roots are normal.
fn f32_sqrt(a: f32) -> f32 {
  let bits = bitcast<u32>(a);
  if (bits - 0x00800000u < 0x7f000000u) {
    return sqrt(a);
  }
  return bitcast<f32>(soft_sqrt(bits, 0u));
}`,
  },
  f32_sqrt_fused: {
    uses: ['soft_sqrt'],
    code: `
// The square root, for hardware whose own is not rounded correctly. For arguments in [2^-60, 2^64),
// no intermediate result is subnormal or infinite. From any reciprocal root within 5 ulp, the
// result is rounded correctly for all significands (all were tested). Drivers fold a root's square
// to its argument (seen on an H200), but not if the root's last bit is cleared.
fn f32_sqrt_fused(a: f32) -> f32 {
  let bits = bitcast<u32>(a);
  if (bits - 0x21800000u < 0x3e800000u) {
    let estimate = bitcast<f32>(bitcast<u32>(inverseSqrt(a)) & 0xfffffffeu);
    let root = a * estimate;
    let half = 0.5 * estimate;
    let error = fma(-half, root, 0.5);
    let near = fma(root, error, root);
    return fma(fma(half, error, half), fma(-near, near, a), near);
  }
  return bitcast<f32>(soft_sqrt(bits, 0u));
}`,
  },
  f32_quotient: {
    code: `
// a / b, rounded once, for magnitudes in [2^-60, 2^64): no intermediate result is subnormal or
// infinite. From any reciprocal within 5 ulp, one Newton step reaches little more than half an ulp.
// The quotient's remainder is exact. After two steps, the correction before rounding is too small
// to cross a tie, except for some divisors with a significand just below 2.
fn f32_quotient(a: f32, b: f32) -> f32 {
  // Compilers cannot fold the product of this and b to 1.
  let estimate = bitcast<f32>(bitcast<u32>(1.0 / b) & 0xfffffffeu);
  let reciprocal = fma(estimate, fma(-b, estimate, 1.0), estimate);
  let first = a * reciprocal;
  let near = fma(fma(-b, first, a), reciprocal, first);
  return fma(fma(-b, near, a), reciprocal, near);
}`,
  },
  f32_has_quotient: {
    code: `
// Whether f32_quotient accepts operands with these bits.
fn f32_has_quotient(a: u32, b: u32) -> bool {
  let farthest = max((a & 0x7f800000u) - 0x21800000u, (b & 0x7f800000u) - 0x21800000u);
  return farthest < 0x3e800000u && (b & 0x007fff80u) != 0x007fff80u;
}`,
  },
  f32_div: quotient('f32_div', false),
  f32_div_ftz: quotient('f32_div_ftz', true),
  f32_close_quotient: {
    code: `
// a / b for magnitudes in [2^-60, 2^64), within half an ulp plus 2^-18 ulp: the reciprocal's error,
// at most 2.5 ulp, enters squared.
fn f32_close_quotient(a: f32, b: f32) -> f32 {
  let estimate = bitcast<f32>(bitcast<u32>(1.0 / b) & 0xfffffffeu);
  let first = a * estimate;
  return fma(fma(-b, first, a), estimate, first);
}`,
  },
  f32_has_close_quotient: {
    code: `
// Whether f32_close_quotient accepts operands with these bits.
fn f32_has_close_quotient(a: u32, b: u32) -> bool {
  return max((a & 0x7f800000u) - 0x21800000u, (b & 0x7f800000u) - 0x21800000u) < 0x3e800000u;
}`,
  },
  f32_div_close: quotient('f32_div_close', false, true),
  f32_div_close_ftz: quotient('f32_div_close_ftz', true, true),
  f32_div_approx: {
    code: `
// The result of div.approx for a quotient: it multiplies by the reciprocal, which is 0 for divisors
// above 2^126.
fn f32_div_approx(a: f32, b: f32, quotient: f32) -> f32 {
  let divisor = bitcast<u32>(b) & 0x7fffffffu;
  let dividend = bitcast<u32>(a) & 0x7fffffffu;
  let zero = (bitcast<u32>(a) ^ bitcast<u32>(b)) & 0x80000000u;
  let product = select(zero, 0x7fffffffu, dividend >= 0x7f800000u);
  return bitcast<f32>(select(bitcast<u32>(quotient), product, divisor > 0x7e800000u && divisor < 0x7f800000u));
}`,
  },
});
