// f64 sums, products and fused multiply-adds in integer arithmetic, rounded once.
import { cancelled, doubleFusedHelpers, limbProduct } from './double-fused.ts';
import { eachRounding, type RoundingSuffix } from './double-round.ts';
import { type Helper, helperTable } from './helper.ts';

/** Defines `c` as -b. A NaN result comes from `b` itself, so its sign does not change. */
const negated = `
  let c = vec2<u32>(b.x, b.y ^ 0x80000000u);`;

function sum(name: 'f64_add' | 'f64_sub', suffix: RoundingSuffix, how: string): Helper {
  const [what, addend] = name === 'f64_add' ? ['sum', 'b'] : ['difference', 'c'];
  return {
    uses: [
      ...['lt_u64', 'f64_is_nan', 'f64_invalid', 'shift_right_lost64', 'add64', 'sub64', 'leading_zeros'],
      `f64_round${suffix}`,
    ],
    code: `
// The ${what}, rounded ${how}.
fn ${name}${suffix}(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {${name === 'f64_add' ? '' : negated}
  let swapped = lt_u64(vec2<u32>(a.x, a.y & 0x7fffffffu), vec2<u32>(b.x, b.y & 0x7fffffffu));
  let larger = select(a, ${addend}, swapped);
  let smaller = select(${addend}, a, swapped);
  let differ = (a.y ^ ${addend}.y) >= 0x80000000u;
  let sign = larger.y & 0x80000000u;
  var exponent = (larger.y >> 20u) & 0x7ffu;
  var lower = (smaller.y >> 20u) & 0x7ffu;
  // The leading ones are moved to bit 61, so the sum has a leading zero.
  var first = vec2<u32>(larger.x << 9u, (((larger.y << 9u) | (larger.x >> 23u)) & 0x1fffffffu) | 0x20000000u);
  var second = vec2<u32>(smaller.x << 9u, (((smaller.y << 9u) | (smaller.x >> 23u)) & 0x1fffffffu) | 0x20000000u);
  if (lower == 0u || exponent == 0x7ffu) {
    if (exponent == 0x7ffu) {
      let opposite = differ && (smaller.y & 0x7fffffffu) == 0x7ff00000u;
      return select(larger, f64_invalid(a, b), opposite || f64_is_nan(larger));
    }
    // Zeros and subnormal values have no leading one, and exponent 1.
    second.y &= 0x1fffffffu;
    first.y &= select(0xffffffffu, 0x1fffffffu, exponent == 0u);
    exponent = max(exponent, 1u);
    lower = 1u;
  }
  second = shift_right_lost64(second, min(exponent - lower, 63u));
  var total = select(add64(first, second), sub64(first, second), differ);
  if (total.y == 0u) {
    if (total.x == 0u) {
      return vec2<u32>(0u, select(sign, ${cancelled[suffix]}, differ));
    }
    let is_short = total.x < 0x10000u;
    total.x = select(total.x, total.x << 16u, is_short);
    total = vec2<u32>(total.x << 16u, total.x >> 16u);
    exponent -= select(16u, 32u, is_short);
  }
  let zeros = leading_zeros(total.y);
  let scale = 1u << (zeros & 31u);
  let high = total.y * scale + (total.x >> ((0u - zeros) & 31u));
  return f64_round${suffix}(sign, i32(exponent) + 2 - i32(zeros), vec2<u32>(total.x * scale, high));
}`,
  };
}

export const doubleArithmeticHelpers = helperTable({
  ...eachRounding('f64_add', (suffix, how) => sum('f64_add', suffix, how)),
  ...eachRounding('f64_sub', (suffix, how) => sum('f64_sub', suffix, how)),
  f64_product: {
    code: `
// The upper 64 of the 106 bits of the product of two significands with leading ones; the lowest bit
// is set if any bit was lost.
fn f64_product(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
${limbProduct('0x400u', '0x400u')}
  let low = (c3 & 0x3fffu) | ((c4 & 0x3fffu) << 14u) | (c5 << 28u);
  return vec2<u32>(low | min((c0 | c1 | c2) & 0x3fffu, 1u), (c6 << 10u) | ((c5 >> 4u) & 0x3ffu));
}`,
  },
  ...eachRounding('f64_mul', (suffix, how) => ({
    uses: ['f64_is_nan', 'f64_invalid', 'f64_normal', 'f64_product', `f64_round${suffix}`],
    code: `
// The product, rounded ${how}.
fn f64_mul${suffix}(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let sign = (a.y ^ b.y) & 0x80000000u;
  let a_exponent = (a.y >> 20u) & 0x7ffu;
  let b_exponent = (b.y >> 20u) & 0x7ffu;
  var exponent = i32(a_exponent + b_exponent) - 1022;
  var first = a;
  var second = b;
  if (max(a_exponent - 1u, b_exponent - 1u) > 2045u) {
    let swapped = (a.y & 0x7fffffffu) < (b.y & 0x7fffffffu);
    let smaller = select(b, a, swapped);
    let is_zero = (a.x | (a.y << 1u)) == 0u || (b.x | (b.y << 1u)) == 0u;
    if (max(a_exponent, b_exponent) == 0x7ffu) {
      let is_nan = is_zero || f64_is_nan(a) || f64_is_nan(b);
      return select(vec2<u32>(0u, sign | 0x7ff00000u), f64_invalid(a, b), is_nan);
    }
    if (is_zero) {
      return vec2<u32>(0u, sign);
    }
    // If both were subnormal, the product would be far below the least value: only nonzero.
    let normal = f64_normal(smaller);
    first = select(a, b, swapped);
    second = normal.xy;
    exponent += 1 - i32(normal.z);
  }
  let product = f64_product(first, second);
  let is_short = product.y < 0x80000000u;
  let high = select(product.y, (product.y << 1u) | (product.x >> 31u), is_short);
  let low = select(product.x, product.x << 1u, is_short);
  return f64_round${suffix}(sign, exponent - i32(is_short), vec2<u32>(low, high));
}`,
  })),
  ...doubleFusedHelpers,
});
