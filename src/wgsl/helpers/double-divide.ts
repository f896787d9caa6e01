// f64 quotients and square roots, digit by digit, with nothing but integer arithmetic.
import { eachRounding } from './double-round.ts';
import { helperTable } from './helper.ts';

export const doubleDivideHelpers = helperTable({
  f64_quotient: {
    uses: ['add64', 'sub64', 'shl64', 'mul_wide_u32'],
    code: `
// The first 64 bits of n / d behind the point, for n < d, the lowest set if there are more. The divisor's leading one is at bit 60.
fn f64_quotient(n: vec2<u32>, d: vec2<u32>) -> vec2<u32> {
  var rest = n;
  var quotient = vec2<u32>(0u, 0u);
  // A digit of 16 bits at a time: never too small, as the divisor is cut off, and at most a few too large.
  for (var i = 0u; i < 4u; i++) {
    var digit = ((rest.y << 3u) | (rest.x >> 29u)) / max(d.y >> 13u, 1u);
    let product = mul_wide_u32(digit, d.x);
    rest = sub64(shl64(rest, 16u), vec2<u32>(product.x, product.y + digit * d.y));
    while (rest.y >= 0x80000000u) {
      rest = add64(rest, d);
      digit -= 1u;
    }
    quotient = add64(shl64(quotient, 16u), vec2<u32>(digit, 0u));
  }
  return vec2<u32>(quotient.x | u32((rest.x | rest.y) != 0u), quotient.y);
}`,
  },
  ...eachRounding('f64_div', (suffix, how) => ({
    uses: [
      ...['f64_is_nan', 'f64_invalid', 'f64_exponent', 'f64_significand', 'clz64', 'shl64', 'shr_u64', 'lt_u64'],
      ...['f64_quotient', `f64_round${suffix}`],
    ],
    code: `
// The quotient, rounded ${how}.
fn f64_div${suffix}(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let sign = (a.y ^ b.y) & 0x80000000u;
  let dividend = vec2<u32>(a.x, a.y & 0x7fffffffu);
  let divisor = vec2<u32>(b.x, b.y & 0x7fffffffu);
  let nothing_over = (dividend.x | dividend.y) == 0u;
  let by_nothing = (divisor.x | divisor.y) == 0u;
  if (nothing_over || by_nothing || max(dividend.y, divisor.y) >= 0x7ff00000u) {
    let infinite = dividend.y >= 0x7ff00000u;
    let by_infinite = divisor.y >= 0x7ff00000u;
    let is_nan = (nothing_over && by_nothing) || (infinite && by_infinite) || f64_is_nan(a) || f64_is_nan(b);
    let number = vec2<u32>(0u, sign | select(0u, 0x7ff00000u, infinite || by_nothing));
    // Of two NaNs, the dividend's.
    return select(number, f64_invalid(b, a), is_nan);
  }
  let n_zeros = clz64(f64_significand(a));
  let d_zeros = clz64(f64_significand(b));
  let n = shr_u64(shl64(f64_significand(a), n_zeros), 3u);
  let d = shr_u64(shl64(f64_significand(b), d_zeros), 3u);
  let exponent = i32(f64_exponent(a) + d_zeros) - i32(f64_exponent(b) + n_zeros) + 1023;
  let is_less = lt_u64(n, d);
  let quotient = f64_quotient(select(shr_u64(n, 1u), n, is_less), d);
  return f64_round${suffix}(sign, exponent - i32(is_less), quotient);
}`,
  })),
  f64_root: {
    uses: ['sub64', 'shl64', 'lt_u64'],
    code: `
// The square root of a number with its leading one at bit 62 or 63: 55 bits from bit 63 on, and the lowest set if there are more.
fn f64_root(a: vec2<u32>) -> vec2<u32> {
  var radicand = a;
  var rest = vec2<u32>(0u, 0u);
  var root = vec2<u32>(0u, 0u);
  for (var i = 0u; i < 55u; i++) {
    rest = vec2<u32>((rest.x << 2u) | (radicand.y >> 30u), (rest.y << 2u) | (rest.x >> 30u));
    radicand = vec2<u32>(radicand.x << 2u, (radicand.y << 2u) | (radicand.x >> 30u));
    root = vec2<u32>(root.x << 1u, (root.y << 1u) | (root.x >> 31u));
    let trial = vec2<u32>((root.x << 1u) | 1u, (root.y << 1u) | (root.x >> 31u));
    let fits = !lt_u64(rest, trial);
    rest = select(rest, sub64(rest, trial), fits);
    root.x |= u32(fits);
  }
  return shl64(root, 9u) | vec2<u32>(u32((rest.x | rest.y) != 0u), 0u);
}`,
  },
  ...eachRounding('f64_sqrt', (suffix, how) => ({
    uses: [...['f64_invalid', 'f64_exponent', 'f64_significand', 'clz64', 'shl64', 'f64_root'], `f64_pack${suffix}`],
    code: `
// The square root, rounded ${how}.
fn f64_sqrt${suffix}(a: vec2<u32>) -> vec2<u32> {
  let is_zero = (a.x | (a.y << 1u)) == 0u;
  if (is_zero || a.y >= 0x7ff00000u) {
    return select(f64_invalid(a, a), a, is_zero || (a.y == 0x7ff00000u && a.x == 0u));
  }
  let zeros = clz64(f64_significand(a));
  let exponent = f64_exponent(a) + 1024u - zeros;
  // Where the exponent is odd, the radicand is in [2, 4).
  let odd = exponent & 1u;
  let radicand = shl64(f64_significand(a), zeros - 1u + odd);
  return f64_pack${suffix}(0u, exponent >> 1u, f64_root(radicand));
}`,
  })),
});
