// f32 arithmetic: by hardware if its result is that of PTX, and otherwise by integers.
import { type Helper, helperTable } from './helper.ts';

/**
 * Returns a helper for an operation that the hardware computes correctly except for subnormal
 * numbers, and for NaNs, whose bits differ between vendors.
 */
function guarded(name: string, what: string, hardware: string, soft: string, flushes: boolean): Helper {
  const flushed = flushes ? ' with .ftz, for operands that are flushed already' : '';
  return {
    uses: ['f32_is_ordinary', soft],
    code: `
// The ${what}${flushed}, in integer arithmetic if a subnormal value could matter.
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
  // The operands are tested too, because the product is not rounded before the addition: a flushed
  // operand can change even an ordinary result.
  const isSafe = [
    ...(flushes ? [] : [`!(${bits.map((operand) => `f32_is_subnormal(${operand})`).join(' || ')})`]),
    ...(checksFactors ? bits.slice(0, 2).map((factor) => `(${factor} & 0x7f800000u) != 0x7f800000u`) : []),
  ];
  const checked = checksFactors
    ? `\n// A compiler that knows that a factor is zero replaces the result by c: wrong if the other is infinite or a NaN.`
    : '';
  return {
    uses: ['f32_is_ordinary', 'soft_fma', ...(flushes ? [] : (['f32_is_subnormal'] as const))],
    code: `
// a * b + c, rounded once${flushes ? ', with .ftz, for operands that are flushed already' : ''}, in integer arithmetic if a subnormal value could matter.${checked}
fn ${name}(a: f32, b: f32, c: f32) -> f32 {
  let result = fma(a, b, c);
  if (${['f32_is_ordinary(bitcast<u32>(result))', ...isSafe].join(' && ')}) {
    return result;
  }
  return bitcast<f32>(soft_fma(${bits.join(', ')}, ${flushes ? 4 : 0}u));
}`,
  };
}

/**
 * Returns a helper for the smaller or larger of two values, for hardware that is correct except for
 * subnormal numbers.
 */
function hardExtreme(name: 'min' | 'max', what: string): Helper {
  return {
    uses: ['f32_is_ordinary', `f32_${name}`],
    code: `
// The ${what} of two values, on hardware that prefers numbers to NaNs. Flushing does not change the
// order: a normal result is one of the operands.
fn f32_${name}_hard(a: f32, b: f32) -> f32 {
  let result = ${name}(a, b);
  if (f32_is_ordinary(bitcast<u32>(result))) {
    return result;
  }
  return f32_${name}(a, b);
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
  f32_min_hard: hardExtreme('min', 'lesser'),
  f32_max_hard: hardExtreme('max', 'greater'),
  soft_sub: {
    uses: ['soft_add'],
    code: `
// The difference, rounded once.
fn soft_sub(a: u32, b: u32, rounding: u32) -> u32 {
  // The sign of a NaN does not matter, so b may be a NaN.
  return soft_add(a, b ^ 0x80000000u, rounding);
}`,
  },
});
