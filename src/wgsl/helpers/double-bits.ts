// f64 values as vec2<u32>(low, high): classification, comparisons and signs, without arithmetic.
import { type Helper, helperTable } from './helper.ts';

function minMax(name: string, what: string, first: string, second: string): Helper {
  return {
    uses: ['f64_is_nan', 'f64_quiet', 'f64_less'],
    code: `
// The ${what} of two values, with -0 below +0; of a number and a NaN, the number.
fn ${name}(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  if (f64_is_nan(b)) {
    return select(a, f64_quiet(b), f64_is_nan(a));
  }
  return select(a, b, f64_is_nan(a) || f64_less(${first}, ${second}));
}`,
  };
}

export const doubleBitHelpers = helperTable({
  f64_is_nan: {
    code: `
// Whether the value is a NaN.
fn f64_is_nan(a: vec2<u32>) -> bool {
  return (a.y << 1u) + min(a.x, 1u) > 0xffe00000u;
}`,
  },
  f64_quiet: {
    code: `
// The quiet NaN with the same payload.
fn f64_quiet(a: vec2<u32>) -> vec2<u32> {
  return vec2<u32>(a.x, a.y | 0x00080000u);
}`,
  },
  f64_invalid: {
    uses: ['f64_is_nan', 'f64_quiet'],
    code: `
// The NaN that NVIDIA's hardware returns for an invalid operation: the second operand's, the first
// one's, or its own.
fn f64_invalid(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let own = select(vec2<u32>(0u, 0xfff80000u), f64_quiet(a), f64_is_nan(a));
  return select(own, f64_quiet(b), f64_is_nan(b));
}`,
  },
  f64_neg: {
    uses: ['f64_is_nan'],
    code: `
// The high word of the negated value. A NaN becomes quiet and keeps its sign.
fn f64_neg(a: vec2<u32>) -> u32 {
  return select(a.y ^ 0x80000000u, a.y | 0x00080000u, f64_is_nan(a));
}`,
  },
  f64_abs: {
    uses: ['f64_is_nan'],
    code: `
// The high word of the absolute value. A NaN keeps its sign.
fn f64_abs(a: vec2<u32>) -> u32 {
  return select(a.y & 0x7fffffffu, a.y | 0x00080000u, f64_is_nan(a));
}`,
  },
  f64_ordered: {
    uses: ['f64_is_nan'],
    code: `
// Whether neither value is a NaN.
fn f64_ordered(a: vec2<u32>, b: vec2<u32>) -> bool {
  return !(f64_is_nan(a) || f64_is_nan(b));
}`,
  },
  f64_zeros: {
    code: `
// Whether both values are zeros of either sign.
fn f64_zeros(a: vec2<u32>, b: vec2<u32>) -> bool {
  return (a.x | b.x | ((a.y | b.y) << 1u)) == 0u;
}`,
  },
  f64_less: {
    uses: ['lt_u64'],
    code: `
// Whether a is before b in order, with -0 before +0. The order of negative numbers is opposite to
// that of their bits.
fn f64_less(a: vec2<u32>, b: vec2<u32>) -> bool {
  return select(lt_u64(a, b), lt_u64(b, a), (a.y | b.y) >= 0x80000000u);
}`,
  },
  f64_eq: {
    uses: ['f64_is_nan', 'f64_zeros'],
    code: `
// Whether both are numbers and equal.
fn f64_eq(a: vec2<u32>, b: vec2<u32>) -> bool {
  return (all(a == b) && !f64_is_nan(a)) || f64_zeros(a, b);
}`,
  },
  f64_ne: {
    uses: ['f64_ordered', 'f64_eq'],
    code: `
// Whether both are numbers and differ.
fn f64_ne(a: vec2<u32>, b: vec2<u32>) -> bool {
  return f64_ordered(a, b) && !f64_eq(a, b);
}`,
  },
  f64_lt: {
    uses: ['f64_ordered', 'f64_zeros', 'f64_less'],
    code: `
// Whether both are numbers and a < b.
fn f64_lt(a: vec2<u32>, b: vec2<u32>) -> bool {
  return f64_ordered(a, b) && f64_less(a, b) && !f64_zeros(a, b);
}`,
  },
  f64_le: {
    uses: ['f64_ordered', 'f64_zeros', 'f64_less'],
    code: `
// Whether both are numbers and a <= b.
fn f64_le(a: vec2<u32>, b: vec2<u32>) -> bool {
  return f64_ordered(a, b) && (!f64_less(b, a) || f64_zeros(a, b));
}`,
  },
  f64_min: minMax('f64_min', 'lesser', 'b', 'a'),
  f64_max: minMax('f64_max', 'greater', 'a', 'b'),
  f64_saturate: {
    code: `
// The value clamped to [0, 1]; +0 for a NaN.
fn f64_saturate(a: vec2<u32>) -> vec2<u32> {
  // As words, negative values and NaNs are greater than the positive infinity.
  let is_zero = a.y > 0x7ff00000u || (a.y == 0x7ff00000u && a.x != 0u);
  return select(select(a, vec2<u32>(0u, 0x3ff00000u), a.y >= 0x3ff00000u), vec2<u32>(0u, 0u), is_zero);
}`,
  },
});
