// Floating-point formats of 8, 6 and 4 bits.
import { helperTable } from './helper.ts';

export const smallFloatHelpers = helperTable({
  small_float: {
    code: `
// Rounds the magnitude of an f32 to a format with \`fraction\` bits of fraction. least: the f32
// exponent field of the least normal value. Larger values become \`most\`.
fn small_float(bits: u32, fraction: u32, least: u32, most: u32) -> u32 {
  let own = (bits >> 23u) & 0xffu;
  let exponent = max(own, least);
  let shift = min(23u - fraction + exponent - own, 25u);
  let significand = (bits & 0x7fffffu) | 0x800000u;
  let rounded = (significand + (1u << (shift - 1u)) - 1u + ((significand >> shift) & 1u)) >> shift;
  return min(((exponent - least) << fraction) + rounded, most);
}`,
  },
  small_to_f16: {
    code: `
// The f16 of the magnitude of a value with \`fraction\` bits of fraction.
fn small_to_f16(size: u32, fraction: u32, bias: u32) -> u32 {
  // Below the least normal value, the bits are an integer count: converting it to f32 finds the
  // leading one.
  let places = (bitcast<u32>(f32(size)) >> 13u) - ((111u + bias + fraction) << 10u);
  let normal = (size << (10u - fraction)) + ((15u - bias) << 10u);
  return select(normal, select(places, 0u, size == 0u), size < (1u << fraction));
}`,
  },
});
