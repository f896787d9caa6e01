// f32 arithmetic by hardware where its result is PTX's, by integers elsewhere.
import { type Helper, helperTable } from './helper.ts';

/** Hardware that is right but for subnormals (and NaNs, which differ between vendors). */
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

function quotient(name: string, flushes: boolean, close = false): Helper {
  const [has, value] = close ? ['f32_has_close_quotient', 'f32_close_quotient'] : ['f32_has_quotient', 'f32_quotient'];
  const what = close ? 'The quotient within 1 ulp' : 'The quotient';
  return {
    uses: [has, value, 'soft_div'],
    code: `
// ${what}${flushes ? ' with .ftz, of operands that are flushed already' : ''}: by multiply-adds where that ${close ? 'does' : 'is exact'}, else by integers.
fn ${name}(a: f32, b: f32) -> f32 {
  if (${has}(bitcast<u32>(a), bitcast<u32>(b))) {
    return ${value}(a, b);
  }
  return bitcast<f32>(soft_div(bitcast<u32>(a), bitcast<u32>(b), ${flushes ? 4 : 0}u));
}`,
  };
}

/** Of two values, that nearer to one end, by hardware that is right but for subnormals. */
function hardExtreme(name: 'min' | 'max', what: string): Helper {
  return {
    uses: ['f32_is_ordinary', `f32_${name}`],
    code: `
// The ${what} of two values, on hardware that prefers numbers to NaNs. To flush changes no order: where the result is normal, it is one of the operands.
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
  f32_sqrt_fused: {
    uses: ['soft_sqrt'],
    code: `
// The square root, where hardware's own is not rounded correctly. For arguments in [2^-60, 2^64) nothing on the way is subnormal or infinite; from any
// reciprocal root within 5 ulp, for all significands, the result is the correctly rounded one (all tried). Drivers know that a root's square is its
// argument (seen on an H200), but not of one whose last bit is cleared.
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
// a / b, rounded once, for magnitudes in [2^-60, 2^64), so that nothing on the way is subnormal or infinite. From any reciprocal within 5 ulp, one step of
// Newton's gives one within half an ulp and a little; the quotient's remainder is exact, and after two steps what is added to it before rounding is too
// small to carry it past a tie. Not so, by as little, for some divisors with a significand just below 2.
fn f32_quotient(a: f32, b: f32) -> f32 {
  // No compiler knows that this times b is 1.
  let estimate = bitcast<f32>(bitcast<u32>(1.0 / b) & 0xfffffffeu);
  let reciprocal = fma(estimate, fma(-b, estimate, 1.0), estimate);
  let first = a * reciprocal;
  let near = fma(fma(-b, first, a), reciprocal, first);
  return fma(fma(-b, near, a), reciprocal, near);
}`,
  },
  f32_has_quotient: {
    code: `
// Whether f32_quotient is for operands with these bits.
fn f32_has_quotient(a: u32, b: u32) -> bool {
  let farthest = max((a & 0x7f800000u) - 0x21800000u, (b & 0x7f800000u) - 0x21800000u);
  return farthest < 0x3e800000u && (b & 0x007fff80u) != 0x007fff80u;
}`,
  },
  f32_div: quotient('f32_div', false),
  f32_div_ftz: quotient('f32_div_ftz', true),
  f32_close_quotient: {
    code: `
// a / b for magnitudes in [2^-60, 2^64), within half an ulp and 2^-18 of one: what the reciprocal is off by, 2.5 ulp at most, counts squared.
fn f32_close_quotient(a: f32, b: f32) -> f32 {
  let estimate = bitcast<f32>(bitcast<u32>(1.0 / b) & 0xfffffffeu);
  let first = a * estimate;
  return fma(fma(-b, first, a), estimate, first);
}`,
  },
  f32_has_close_quotient: {
    code: `
// Whether f32_close_quotient is for operands with these bits.
fn f32_has_close_quotient(a: u32, b: u32) -> bool {
  return max((a & 0x7f800000u) - 0x21800000u, (b & 0x7f800000u) - 0x21800000u) < 0x3e800000u;
}`,
  },
  f32_div_close: quotient('f32_div_close', false, true),
  f32_div_close_ftz: quotient('f32_div_close_ftz', true, true),
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
