// Shared parts of f64 arithmetic: significands, and rounding in each direction. The leading one of
// a significand is at bit 62 or 63 of 64 bits. The lowest bit is set if any lower bit was nonzero.
import { type Helper, helperTable } from './helper.ts';

const directions = { '': 'to nearest even', _rz: 'towards zero', _rm: 'down', _rp: 'up' } as const;

/**
 * The suffix of a function that rounds: empty for nearest even, and otherwise PTX's name of the
 * rounding.
 */
export type RoundingSuffix = keyof typeof directions;

const isSuffix = (suffix: string): suffix is RoundingSuffix => Object.hasOwn(directions, suffix);
const suffixes: readonly RoundingSuffix[] = Object.keys(directions).filter(isSuffix);

/** Returns one helper for each rounding. */
export function eachRounding<const Name extends string>(
  name: Name,
  helper: (suffix: RoundingSuffix, how: string) => Helper,
): Readonly<Record<`${Name}${RoundingSuffix}`, Helper>> {
  const entries = suffixes.map((suffix) => [`${name}${suffix}`, helper(suffix, directions[suffix])]);
  return Object.fromEntries(entries) as Record<`${Name}${RoundingSuffix}`, Helper>;
}

/** By rounding: the condition for rounding up, from the 11 bits that are removed (`rest`). */
const goesUp: Readonly<Record<RoundingSuffix, string>> = {
  '': 'rest + (low & 1u) > 0x400u',
  _rz: 'false',
  _rm: 'rest != 0u && sign != 0u',
  _rp: 'rest != 0u && sign == 0u',
};

/** By rounding: the result for a number beyond the largest finite one. */
const infinity = 'vec2<u32>(0u, sign | 0x7ff00000u)';
const largest = 'vec2<u32>(0xffffffffu, sign | 0x7fefffffu)';
const beyond: Readonly<Record<RoundingSuffix, string>> = {
  '': infinity,
  _rz: largest,
  _rm: `select(${largest}, ${infinity}, sign != 0u)`,
  _rp: `select(${largest}, ${infinity}, sign == 0u)`,
};

export const doubleRoundHelpers = helperTable({
  f64_exponent: {
    code: `
// The biased exponent of the leading one's position; also 1 for subnormal values.
fn f64_exponent(a: vec2<u32>) -> u32 {
  return max((a.y >> 20u) & 0x7ffu, 1u);
}`,
  },
  f64_significand: {
    code: `
// The significand of a finite value, with the leading one at bit 62.
fn f64_significand(a: vec2<u32>) -> vec2<u32> {
  let high = (a.y & 0x000fffffu) | select(0u, 0x00100000u, (a.y & 0x7ff00000u) != 0u);
  return vec2<u32>(a.x << 10u, (high << 10u) | (a.x >> 22u));
}`,
  },
  ...eachRounding('f64_pack', (suffix, how) => ({
    code: `
// The f64 of a sign bit, the biased exponent of bit 63 (at least 1) and a significand, rounded
// ${how}.
fn f64_pack${suffix}(sign: u32, exponent: u32, significand: vec2<u32>) -> vec2<u32> {
  let rest = significand.x & 0x7ffu;
  let low = (significand.x >> 11u) | (significand.y << 21u);
  let up = u32(${goesUp[suffix]});
  // The leading one adds 1 to the exponent field, and so does a carry out of the fraction.
  let high = (significand.y >> 11u) + ((min(exponent, 2047u) - 1u) << 20u) + u32(low + up < low);
  return select(vec2<u32>(low + up, sign | high), ${beyond[suffix]}, high >= 0x7ff00000u);
}`,
  })),
  shift_right_lost64: {
    code: `
// A 64-bit right shift by up to 63. The lowest bit is set if ones were lost. It has few operations,
// because every sum contains it.
fn shift_right_lost64(a: vec2<u32>, amount: u32) -> vec2<u32> {
  let far = amount > 31u;
  let low = select(a.x, a.y, far);
  let high = select(a.y, 0u, far);
  // The lost bits of a word are its product with 2^(32 - amount): none for an amount of 0.
  let factor = 2u << (~amount & 31u);
  let lost = select(0u, a.x, far) | (low * factor);
  return vec2<u32>(((low >> (amount & 31u)) + high * factor) | min(lost, 1u), high >> (amount & 31u));
}`,
  },
  ...eachRounding('f64_round', (suffix, how) => ({
    uses: ['shift_right_lost64'],
    code: `
// The f64 of a sign bit, the biased exponent of bit 63 and a significand with its leading one
// there, rounded ${how}.
fn f64_round${suffix}(sign: u32, exponent: i32, significand: vec2<u32>) -> vec2<u32> {
  var place = bitcast<u32>(exponent - 1);
  var placed = significand;
  if (place > 2045u) {
    if (exponent > 0) {
      return ${beyond[suffix]};
    }
    // Below the least normal value, the unit of the last place is fixed: the significand moves
    // instead of the exponent.
    placed = shift_right_lost64(significand, min(u32(1 - exponent), 63u));
    place = 0u;
  }
  let rest = placed.x & 0x7ffu;
  let low = (placed.x >> 11u) | (placed.y << 21u);
  let rounded = low + u32(${goesUp[suffix]});
  // The leading one adds 1 to the exponent field, and so does a carry out of the fraction, up to
  // infinity.
  return vec2<u32>(rounded, sign | ((placed.y >> 11u) + (place << 20u) + u32(rounded < low)));
}`,
  })),
  f64_normal: {
    uses: ['clz64', 'shl64'],
    code: `
// Normalizes a subnormal value: the left shift to the implicit bit, and the shifted value.
fn f64_normal(a: vec2<u32>) -> vec3<u32> {
  let size = vec2<u32>(a.x, a.y & 0x7fffffffu);
  let zeros = clz64(size) - 11u;
  return vec3<u32>(shl64(size, zeros), zeros);
}`,
  },
});
