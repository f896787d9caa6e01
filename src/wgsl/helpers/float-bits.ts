// Tests of f32 values by their bits. WGSL lets compilers assume that no value is a NaN or an
// infinity, and hardware may flush subnormal numbers, so float comparisons cannot detect such
// values.
import { type Helper, helperTable } from './helper.ts';

function minMax(name: string, what: string, comparison: string, propagates: boolean): Helper {
  const special = propagates
    ? `  if (f32_is_nan(a) || f32_is_nan(b)) {
    return f32_of(0x7fffffffu);
  }`
    : `  if (f32_is_nan(a)) {
    return f32_canonical(b);
  }
  if (f32_is_nan(b)) {
    return a;
  }`;
  return {
    uses: ['f32_is_nan', 'f32_order', propagates ? 'f32_of' : 'f32_canonical'],
    code: `
// The ${what} of two values, with -0 below +0; ${propagates ? 'a NaN if either is one' : 'of a number and a NaN, the number'}.
fn ${name}(a: f32, b: f32) -> f32 {
${special}
  return select(b, a, f32_order(a) ${comparison} f32_order(b));
}`,
  };
}

export const floatBitHelpers = helperTable({
  f32_of: {
    code: `
// The f32 with these bits. WGSL has no constants for infinities, NaNs and subnormal values, but a
// parameter may have them.
fn f32_of(bits: u32) -> f32 {
  return bitcast<f32>(bits);
}`,
  },
  f32_is_nan: {
    code: `
// Whether the value is a NaN.
fn f32_is_nan(a: f32) -> bool {
  return (bitcast<u32>(a) & 0x7fffffffu) > 0x7f800000u;
}`,
  },
  f32_canonical: {
    uses: ['f32_is_nan', 'f32_of'],
    code: `
// The value, or NVIDIA's canonical NaN for any NaN.
fn f32_canonical(a: f32) -> f32 {
  return select(a, f32_of(0x7fffffffu), f32_is_nan(a));
}`,
  },
  f32_flush: {
    code: `
// The value, or a zero with its sign if it is subnormal.
fn f32_flush(a: f32) -> f32 {
  let bits = bitcast<u32>(a);
  return bitcast<f32>(select(bits, bits & 0x80000000u, (bits & 0x7f800000u) == 0u));
}`,
  },
  f32_saturate: {
    code: `
// The value clamped to [0, 1]; +0 for a NaN.
fn f32_saturate(a: f32) -> f32 {
  // As words, negative values and NaNs are greater than the positive infinity.
  let bits = bitcast<u32>(a);
  return bitcast<f32>(select(min(bits, 0x3f800000u), 0u, bits > 0x7f800000u));
}`,
  },
  f32_is_subnormal: {
    code: `
// Whether a value with these bits is subnormal; zero is not.
fn f32_is_subnormal(bits: u32) -> bool {
  return (bits << 1u) - 1u < 0x00ffffffu;
}`,
  },
  f32_is_ordinary: {
    code: `
// Whether a result with these bits is in [2^-100, 2^128), where flushed operands and results make
// no difference.
fn f32_is_ordinary(bits: u32) -> bool {
  return (bits & 0x7f800000u) - 0x0d800000u < 0x72000000u;
}`,
  },
  f32_order: {
    code: `
// An integer with the same order as f32 values, -0 before +0.
fn f32_order(a: f32) -> i32 {
  let bits = bitcast<i32>(a);
  return bits ^ ((bits >> 31u) & 0x7fffffff);
}`,
  },
  f32_key: {
    code: `
// An integer that compares as f32 values do: zeros of both signs are equal.
fn f32_key(a: f32) -> i32 {
  let bits = bitcast<i32>(a);
  return select(bits, i32(-2147483648) - bits, bits < 0);
}`,
  },
  f32_ordered: {
    code: `
// Whether neither value is a NaN.
fn f32_ordered(a: f32, b: f32) -> bool {
  return max(bitcast<u32>(a) & 0x7fffffffu, bitcast<u32>(b) & 0x7fffffffu) <= 0x7f800000u;
}`,
  },
  f32_eq: {
    uses: ['f32_ordered', 'f32_key'],
    code: `
// Whether both are numbers and equal.
fn f32_eq(a: f32, b: f32) -> bool {
  return f32_ordered(a, b) && f32_key(a) == f32_key(b);
}`,
  },
  f32_ne: {
    uses: ['f32_ordered', 'f32_key'],
    code: `
// Whether both are numbers and differ.
fn f32_ne(a: f32, b: f32) -> bool {
  return f32_ordered(a, b) && f32_key(a) != f32_key(b);
}`,
  },
  f32_lt: {
    uses: ['f32_ordered', 'f32_key'],
    code: `
// Whether both are numbers and a < b.
fn f32_lt(a: f32, b: f32) -> bool {
  return f32_ordered(a, b) && f32_key(a) < f32_key(b);
}`,
  },
  f32_le: {
    uses: ['f32_ordered', 'f32_key'],
    code: `
// Whether both are numbers and a <= b.
fn f32_le(a: f32, b: f32) -> bool {
  return f32_ordered(a, b) && f32_key(a) <= f32_key(b);
}`,
  },
  f32_min: minMax('f32_min', 'lesser', '<', false),
  f32_max: minMax('f32_max', 'greater', '>', false),
  f32_min_nan: minMax('f32_min_nan', 'lesser', '<', true),
  f32_max_nan: minMax('f32_max_nan', 'greater', '>', true),
  f32_with_sign: {
    uses: ['f32_is_nan'],
    code: `
// The value with the sign in the top bit of \`sign\`; a NaN is unchanged.
fn f32_with_sign(a: f32, sign: u32) -> f32 {
  let bits = bitcast<u32>(a);
  return bitcast<f32>(select((bits & 0x7fffffffu) | (sign & 0x80000000u), bits, f32_is_nan(a)));
}`,
  },
});
