// f32 arithmetic by hardware where its result is PTX's, by integers elsewhere.
import { type Helper, helperTable } from './helper.ts';

/// Hardware that is right but for subnormals (and NaNs, which differ between vendors).
function guarded(name: string, what: string, hardware: string, soft: string, flushes: boolean): Helper {
  const flushed = flushes ? ' with .ftz, of operands that are flushed already' : '';
  return {
    uses: ['f32_is_ordinary', soft],
    code: `
// The ${what}${flushed}. Where a subnormal could show, integers give it.
fn ${name}(a: f32, b: f32) -> f32 {
  let result = ${hardware};
  if (f32_is_ordinary(bitcast<u32>(result))) {
    return result;
  }
  return bitcast<f32>(${soft}(bitcast<u32>(a), bitcast<u32>(b), ${flushes ? 4 : 0}u));
}`,
  };
}

function guardedFma(name: string, flushes: boolean, checksFactors = false): Helper {
  const bits = ['a', 'b', 'c'].map((operand) => `bitcast<u32>(${operand})`);
  // A flushed operand can matter for any result: the product is not rounded before the sum.
  const isSafe = [
    ...(flushes ? [] : [`!(${bits.map((operand) => `f32_is_subnormal(${operand})`).join(' || ')})`]),
    ...(checksFactors ? bits.slice(0, 2).map((factor) => `(${factor} & 0x7f800000u) != 0x7f800000u`) : []),
  ];
  const checked = checksFactors
    ? `\n// Compilers that know a factor to be zero take c for the result: not where the other factor is infinite or a NaN.`
    : '';
  return {
    uses: ['f32_is_ordinary', 'soft_fma', ...(flushes ? [] : (['f32_is_subnormal'] as const))],
    code: `
// a * b + c, rounded once${flushes ? ', with .ftz, of operands that are flushed already' : ''}. Where a subnormal could show, integers give it.${checked}
fn ${name}(a: f32, b: f32, c: f32) -> f32 {
  let result = fma(a, b, c);
  if (${['f32_is_ordinary(bitcast<u32>(result))', ...isSafe].join(' && ')}) {
    return result;
  }
  return bitcast<f32>(soft_fma(${bits.join(', ')}, ${flushes ? 4 : 0}u));
}`,
  };
}

export const floatHardHelpers = helperTable({
  f32_add: guarded('f32_add', 'sum', 'a + b', 'soft_add', false),
  f32_sub: guarded('f32_sub', 'difference', 'a - b', 'soft_sub', false),
  f32_mul: guarded('f32_mul', 'product', 'a * b', 'soft_mul', false),
  f32_fma: guardedFma('f32_fma', false),
  f32_fma_checked: guardedFma('f32_fma_checked', false, true),
  f32_add_ftz: guarded('f32_add_ftz', 'sum', 'a + b', 'soft_add', true),
  f32_sub_ftz: guarded('f32_sub_ftz', 'difference', 'a - b', 'soft_sub', true),
  f32_mul_ftz: guarded('f32_mul_ftz', 'product', 'a * b', 'soft_mul', true),
  f32_fma_ftz: guardedFma('f32_fma_ftz', true),
  f32_fma_ftz_checked: guardedFma('f32_fma_ftz_checked', true, true),
  soft_sub: {
    uses: ['soft_add'],
    code: `
// The difference, rounded once.
fn soft_sub(a: u32, b: u32, rounding: u32) -> u32 {
  // A NaN's sign does not matter, so b may be one.
  return soft_add(a, b ^ 0x80000000u, rounding);
}`,
  },
  f32_sqrt: {
    uses: ['soft_sqrt'],
    code: `
// The square root: of normal positive numbers, whose roots are normal, hardware's.
fn f32_sqrt(a: f32) -> f32 {
  let bits = bitcast<u32>(a);
  if (bits - 0x00800000u < 0x7f000000u) {
    return sqrt(a);
  }
  return bitcast<f32>(soft_sqrt(bits, 0u));
}`,
  },
  f32_div_approx: {
    code: `
// Of a quotient, what div.approx makes of it: it multiplies by the reciprocal, which is 0 for divisors over 2^126.
fn f32_div_approx(a: f32, b: f32, quotient: f32) -> f32 {
  let divisor = bitcast<u32>(b) & 0x7fffffffu;
  let dividend = bitcast<u32>(a) & 0x7fffffffu;
  let zero = (bitcast<u32>(a) ^ bitcast<u32>(b)) & 0x80000000u;
  let product = select(zero, 0x7fffffffu, dividend >= 0x7f800000u);
  return bitcast<f32>(select(bitcast<u32>(quotient), product, divisor > 0x7e800000u && divisor < 0x7f800000u));
}`,
  },
});
