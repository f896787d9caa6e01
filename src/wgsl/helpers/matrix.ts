// Elements of matrices of 8-bit floating point.
import { helperTable } from './helper.ts';

export const matrixHelpers = helperTable({
  e4m3_element: {
    uses: ['f32_of'],
    code: `
// The f32 of the e4m3 in the low eight bits: its fraction and exponent are those of an f16 2^8 times smaller. There are no infinities.
fn e4m3_element(a: u32) -> f32 {
  let value = unpack2x16float(((a & 0x80u) << 8u) | ((a & 0x7fu) << 7u)).x * 256.0;
  return select(value, f32_of(0x7fffffffu), (a & 0x7fu) == 0x7fu);
}`,
  },
});
