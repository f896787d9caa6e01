// Tests of f16 and bf16 values by their bits. The functions have a parameter for the format's
// infinity; its NaNs have larger bits.
import { type Helper, helperTable } from './helper.ts';

function minMax(name: string, what: string, comparison: string, propagates: boolean): Helper {
  const special = propagates
    ? `  if (max(a & 0x7fffu, b & 0x7fffu) > infinity) {
    return 0x7fffu;
  }`
    : `  if ((a & 0x7fffu) > infinity) {
    return half_canonical(b, infinity);
  }
  if ((b & 0x7fffu) > infinity) {
    return a;
  }`;
  return {
    uses: ['half_order', ...(propagates ? [] : ['half_canonical'])],
    code: `
// The ${what} of two values, with -0 below +0; ${propagates ? 'a NaN if either is one' : 'of a number and a NaN, the number'}.
fn ${name}(a: u32, b: u32, infinity: u32) -> u32 {
${special}
  return select(b, a, half_order(a) ${comparison} half_order(b));
}`,
  };
}

function comparison(name: string, what: string, relation: string): Helper {
  return {
    uses: ['half_ordered', 'half_key'],
    code: `
// Whether both are numbers and ${what}.
fn ${name}(a: u32, b: u32, infinity: u32) -> bool {
  return half_ordered(a, b, infinity) && half_key(a) ${relation} half_key(b);
}`,
  };
}

export const halfBitHelpers = helperTable({
  half_canonical: {
    code: `
// The value, or NVIDIA's canonical NaN for any NaN.
fn half_canonical(a: u32, infinity: u32) -> u32 {
  return select(a, 0x7fffu, (a & 0x7fffu) > infinity);
}`,
  },
  half_saturate: {
    code: `
// The value clamped to [0, 1]; +0 for a NaN. As words, negative values and NaNs are greater than
// the positive infinity.
fn half_saturate(a: u32, one: u32, infinity: u32) -> u32 {
  return select(min(a, one), 0u, a > infinity);
}`,
  },
  half_order: {
    code: `
// An integer with the same order as the values, -0 before +0.
fn half_order(a: u32) -> i32 {
  let bits = bitcast<i32>(a << 16u) >> 16u;
  return bits ^ ((bits >> 31u) & 0x7fff);
}`,
  },
  half_key: {
    code: `
// An integer that compares as the values do: zeros of both signs are equal.
fn half_key(a: u32) -> i32 {
  return select(i32(a), 0x8000 - i32(a), a >= 0x8000u);
}`,
  },
  half_ordered: {
    code: `
// Whether neither value is a NaN.
fn half_ordered(a: u32, b: u32, infinity: u32) -> bool {
  return max(a & 0x7fffu, b & 0x7fffu) <= infinity;
}`,
  },
  half_eq: comparison('half_eq', 'equal', '=='),
  half_ne: comparison('half_ne', 'differ', '!='),
  half_lt: comparison('half_lt', 'a < b', '<'),
  half_le: comparison('half_le', 'a <= b', '<='),
  half_min: minMax('half_min', 'lesser', '<', false),
  half_max: minMax('half_max', 'greater', '>', false),
  half_min_nan: minMax('half_min_nan', 'lesser', '<', true),
  half_max_nan: minMax('half_max_nan', 'greater', '>', true),
});
