// Rounding to f16 and bf16 in integer arithmetic. The leading one of a significand is at bit 31,
// and the lowest bit is set if any lower bit was nonzero; exponents are those of f32. A rounding is
// 0 for nearest even, 1 for toward zero, 2 for down and 3 for up; adding 4 flushes subnormal
// results.
import { type Helper, helperTable } from './helper.ts';

interface Format {
  readonly name: 'f16' | 'bf16';
  /** The number of bits in the fraction. */
  readonly fraction: number;
  /** The difference between an f32's biased exponent and the format's. */
  readonly excess: number;
  readonly infinity: number;
}

const f16: Format = { name: 'f16', fraction: 10, excess: 112, infinity: 0x7c00 };
const bf16: Format = { name: 'bf16', fraction: 7, excess: 0, infinity: 0x7f80 };

const hex = (value: number): string => `0x${value.toString(16)}u`;

function round({ name, fraction, excess, infinity }: Format): Helper {
  const dropped = 31 - fraction;
  const leastNormal = 2 ** fraction;
  return {
    uses: ['shift_right_sticky'],
    code: `
// Rounds to ${name}, from the sign bit, the exponent of the leading one, and the significand.
fn ${name}_round(sign: u32, whole_exponent: i32, significand: u32, rounding: u32) -> u32 {
  let exponent = whole_exponent - ${excess};
  let flush = rounding > 3u;
  let outwards = (rounding & 3u) == select(3u, 2u, sign != 0u);
  let to_nearest = (rounding & 3u) == 0u;
  // Below the least normal value, the unit of the last place is fixed. With .ftz, the result is
  // flushed after rounding.
  let distance = select(u32(max(1 - exponent, 0)), 0u, flush);
  let placed = shift_right_sticky(significand, distance);
  let rest = placed & ${hex(2 ** dropped - 1)};
  let odd = (placed & ${hex(2 ** dropped)}) != 0u;
  let half = ${hex(2 ** (dropped - 1))};
  let up = (to_nearest && (rest > half || (rest == half && odd))) || (outwards && rest != 0u);
  let kept = (placed >> ${dropped}u) + u32(up);
  if (flush && exponent < 1) {
    return sign | select(0u, ${hex(leastNormal)}, exponent == 0 && kept == ${hex(2 * leastNormal)});
  }
  // The leading one adds 1 to the exponent field, and so does a carry out of the fraction.
  let bits = (u32(clamp(exponent, 1, ${infinity / leastNormal}) - 1) << ${fraction}u) + kept;
  return sign | select(bits, select(${hex(infinity - 1)}, ${hex(infinity)}, to_nearest || outwards), bits >= ${hex(infinity)});
}`,
  };
}

function fromWord({ name }: Format): Helper {
  return {
    uses: ['leading_zeros', `${name}_round`],
    code: `
// The ${name} of a number, from its sign bit and magnitude, rounded once.
fn ${name}_from_u32(sign: u32, size: u32, rounding: u32) -> u32 {
  if (size == 0u) {
    return 0u;
  }
  let zeros = leading_zeros(size);
  return ${name}_round(sign, 158 - i32(zeros), size << zeros, rounding);
}`,
  };
}

function fromPair({ name }: Format): Helper {
  return {
    uses: ['clz64', 'shl64', `${name}_round`],
    code: `
// The ${name} of a 64-bit number, from its sign bit and magnitude, rounded once.
fn ${name}_from_u64(sign: u32, size: vec2<u32>, rounding: u32) -> u32 {
  if ((size.x | size.y) == 0u) {
    return 0u;
  }
  let zeros = clz64(size);
  let placed = shl64(size, zeros);
  return ${name}_round(sign, 190 - i32(zeros), placed.y | u32(placed.x != 0u), rounding);
}`,
  };
}

function fromF64({ name, fraction, infinity }: Format): Helper {
  return {
    uses: [`${name}_round`],
    code: `
// The ${name} of an f64, rounded once. A NaN becomes quiet and keeps its sign and the upper bits of
// its payload.
fn ${name}_from_f64(a: vec2<u32>, rounding: u32) -> u32 {
  let sign = (a.y >> 16u) & 0x8000u;
  let size = a.y & 0x7fffffffu;
  if (size >= 0x7ff00000u) {
    let is_nan = ((size & 0x000fffffu) | a.x) != 0u;
    let payload = ${hex(2 ** (fraction - 1))} | ((size & 0x000fffffu) >> ${20 - fraction}u);
    return sign | ${hex(infinity)} | select(0u, payload, is_nan);
  }
  if ((size | a.x) == 0u) {
    return sign;
  }
  let significand = 0x80000000u | (size << 11u) | (a.x >> 21u) | u32((a.x << 11u) != 0u);
  return ${name}_round(sign, i32(size >> 20u) - 896, significand, rounding);
}`,
  };
}

function softFma({ name, infinity }: Format): Helper {
  return {
    uses: [`${name}_to_f32`, 'f32_unpack', 'leading_zeros', 'shift_right_sticky', `${name}_round`],
    code: `
// a * b + c of ${name}, rounded once: the sum of the exact product and the addend.
fn ${name}_soft_fma(a: u32, b: u32, c: u32, rounding: u32) -> u32 {
  let sign = (a ^ b) & 0x8000u;
  let differ = ((sign ^ c) & 0x8000u) != 0u;
  let larger = max(a & 0x7fffu, b & 0x7fffu);
  let smaller = min(a & 0x7fffu, b & 0x7fffu);
  let addend = c & 0x7fffu;
  if (max(larger, addend) >= ${hex(infinity)}) {
    let infinite = larger == ${hex(infinity)};
    let is_nan = max(larger, addend) > ${hex(infinity)} || (infinite && smaller == 0u)
      || (infinite && addend == ${hex(infinity)} && differ);
    return select(select(c, sign | ${hex(infinity)}, infinite), 0x7fffu, is_nan);
  }
  if (smaller == 0u) {
    return select(c, 0u, addend == 0u && differ);
  }
  let left = f32_unpack(bitcast<u32>(${name}_to_f32(a)));
  let right = f32_unpack(bitcast<u32>(${name}_to_f32(b)));
  let added = f32_unpack(bitcast<u32>(${name}_to_f32(c)));
  // Both terms have their leading one at bit 30, which leaves a bit for the carry. The product has
  // at most 22 bits, so none is lost.
  let whole = (left.x >> 16u) * (right.x >> 16u);
  let carry = whole >> 31u;
  let product = whole >> carry;
  let product_exponent = i32(left.y + right.y - 127u + carry);
  // A zero addend gets the smallest exponent and significand 0, so it changes nothing.
  let other = select(added.x >> 1u, 0u, addend == 0u);
  let other_exponent = select(i32(added.y), product_exponent, addend == 0u);
  let distance = product_exponent - other_exponent;
  let product_leads = distance > 0 || (distance == 0 && product >= other);
  let first = select(other, product, product_leads);
  let second = shift_right_sticky(select(product, other, product_leads), u32(abs(distance)));
  let total = select(first + second, first - second, differ);
  if (total == 0u) {
    return 0u;
  }
  let zeros = leading_zeros(total);
  let exponent = select(other_exponent, product_exponent, product_leads) + 1 - i32(zeros);
  return ${name}_round(select(c & 0x8000u, sign, product_leads), exponent, total << zeros, rounding);
}`,
  };
}

export const halfSoftHelpers = helperTable({
  f16_round: round(f16),
  bf16_round: round(bf16),
  f16_rounded: {
    uses: ['f32_unpack', 'f16_round'],
    code: `
// The f16 of an f32, by its bits, rounded as \`rounding\` selects.
fn f16_rounded(a: u32, rounding: u32) -> u32 {
  let sign = (a >> 16u) & 0x8000u;
  let size = a & 0x7fffffffu;
  if (size >= 0x7f800000u) {
    return select(sign | 0x7c00u, 0x7fffu, size > 0x7f800000u);
  }
  if (size == 0u) {
    return sign;
  }
  let parts = f32_unpack(a);
  return f16_round(sign, i32(parts.y), parts.x, rounding);
}`,
  },
  bf16_rounded: {
    code: `
// The bf16 of an f32, by its bits, rounded towards zero, down or up.
fn bf16_rounded(a: u32, rounding: u32) -> u32 {
  let outwards = rounding == select(3u, 2u, a >= 0x80000000u);
  return select((a + select(0u, 0xffffu, outwards)) >> 16u, 0x7fffu, (a & 0x7fffffffu) > 0x7f800000u);
}`,
  },
  f16_from_u32: fromWord(f16),
  bf16_from_u32: fromWord(bf16),
  f16_from_u64: fromPair(f16),
  bf16_from_u64: fromPair(bf16),
  f16_from_f64: fromF64(f16),
  bf16_from_f64: fromF64(bf16),
  f16_soft_fma: softFma(f16),
  bf16_soft_fma: softFma(bf16),
});
