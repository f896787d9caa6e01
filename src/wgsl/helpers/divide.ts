// Integer division. PTX leaves division by zero undefined; NVIDIA hardware returns all ones for the
// quotient and the remainder. A quotient that overflows wraps. WGSL returns other values for these
// cases, or reports an error.
import { helperTable } from './helper.ts';

export const divideHelpers = helperTable({
  div_u32: {
    code: `
// The quotient; all ones for a zero divisor.
fn div_u32(a: u32, b: u32) -> u32 {
  return select(a / max(b, 1u), 0xffffffffu, b == 0u);
}`,
  },
  rem_u32: {
    code: `
// The remainder; all ones for a zero divisor.
fn rem_u32(a: u32, b: u32) -> u32 {
  return select(a % max(b, 1u), 0xffffffffu, b == 0u);
}`,
  },
  magnitude_s32: {
    code: `
// The absolute value as an unsigned word: 2^31 for the smallest number.
fn magnitude_s32(a: u32) -> u32 {
  return select(a, 0u - a, (a >> 31u) == 1u);
}`,
  },
  div_s32: {
    uses: ['magnitude_s32'],
    code: `
// The quotient rounded towards zero; all ones for a zero divisor; -2^31 / -1 wraps.
fn div_s32(a: u32, b: u32) -> u32 {
  let quotient = magnitude_s32(a) / max(magnitude_s32(b), 1u);
  let signed = select(quotient, 0u - quotient, ((a ^ b) >> 31u) == 1u);
  return select(signed, 0xffffffffu, b == 0u);
}`,
  },
  rem_s32: {
    uses: ['magnitude_s32'],
    code: `
// The remainder, with the dividend's sign; all ones for a zero divisor.
fn rem_s32(a: u32, b: u32) -> u32 {
  let remainder = magnitude_s32(a) % max(magnitude_s32(b), 1u);
  let signed = select(remainder, 0u - remainder, (a >> 31u) == 1u);
  return select(signed, 0xffffffffu, b == 0u);
}`,
  },
  divide_u64: {
    uses: ['lt_u64', 'sub64'],
    code: `
// Long division: the quotient in xy, the remainder in zw; all ones for a zero divisor.
fn divide_u64(a: vec2<u32>, b: vec2<u32>) -> vec4<u32> {
  if ((b.x | b.y) == 0u) {
    return vec4<u32>(0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu);
  }
  if ((a.y | b.y) == 0u) {
    return vec4<u32>(a.x / max(b.x, 1u), 0u, a.x % max(b.x, 1u), 0u);
  }
  var quotient = a;
  var rest = vec2<u32>(0u, 0u);
  // One bit per step: the dividend leaves \`quotient\` at the top while the quotient enters at the
  // bottom.
  for (var step = 0u; step < 64u; step++) {
    let carry = rest.y >> 31u;
    rest = vec2<u32>((rest.x << 1u) | (quotient.y >> 31u), (rest.y << 1u) | (rest.x >> 31u));
    quotient = vec2<u32>(quotient.x << 1u, (quotient.y << 1u) | (quotient.x >> 31u));
    if (carry == 1u || !lt_u64(rest, b)) {
      rest = sub64(rest, b);
      quotient.x |= 1u;
    }
  }
  return vec4<u32>(quotient, rest);
}`,
  },
  div_u64: {
    uses: ['divide_u64'],
    code: `
// The 64-bit quotient; all ones for a zero divisor.
fn div_u64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return divide_u64(a, b).xy;
}`,
  },
  rem_u64: {
    uses: ['divide_u64'],
    code: `
// The 64-bit remainder; all ones for a zero divisor.
fn rem_u64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return divide_u64(a, b).zw;
}`,
  },
  div_s64: {
    uses: ['abs_s64', 'divide_u64', 'neg64'],
    code: `
// The signed 64-bit quotient rounded towards zero; all ones for a zero divisor.
fn div_s64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let quotient = divide_u64(abs_s64(a), abs_s64(b)).xy;
  let signed = select(quotient, neg64(quotient), ((a.y ^ b.y) >> 31u) == 1u);
  return select(signed, vec2<u32>(0xffffffffu, 0xffffffffu), all(b == vec2<u32>(0u, 0u)));
}`,
  },
  rem_s64: {
    uses: ['abs_s64', 'divide_u64', 'neg64'],
    code: `
// The signed 64-bit remainder, with the dividend's sign; all ones for a zero divisor.
fn rem_s64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let remainder = divide_u64(abs_s64(a), abs_s64(b)).zw;
  let signed = select(remainder, neg64(remainder), (a.y >> 31u) == 1u);
  return select(signed, vec2<u32>(0xffffffffu, 0xffffffffu), all(b == vec2<u32>(0u, 0u)));
}`,
  },
});
