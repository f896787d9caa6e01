// Literals. https://www.w3.org/TR/WGSL/#literals

import { WgslError } from '../error.ts';
import type { Literal } from './ast.ts';

const integer = /^(0[xX][0-9a-fA-F]+|\d+)([iu]?)$/;
const decimalFloat = /^((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)([fh]?)$/;
const hexFloat = /^0[xX]([0-9a-fA-F]*)\.?([0-9a-fA-F]*)(?:[pP]([+-]?\d+))?([fh]?)$/;

/** Floats are rounded to f32, the widest type of the interpreter. Throws `WgslError`. */
export function literalOf(text: string, line: number): Literal {
  const literal = (type: Literal['type'], value: number): Literal => ({
    kind: 'literal',
    line,
    postfix: null,
    type,
    value,
  });
  if (text === 'true' || text === 'false') return literal('bool', text === 'true' ? 1 : 0);
  const [, digits, sign] = integer.exec(text) ?? [];
  if (digits !== undefined) {
    const value = Number(digits);
    if (value > 0xffffffff) throw new WgslError(line, `${text} is too large`);
    return literal(sign === 'u' ? 'u32' : sign === 'i' ? 'i32' : 'abstract', value);
  }
  const [, decimal, suffix] = decimalFloat.exec(text) ?? [];
  const type = (letter: string | undefined) => (letter === 'h' ? 'f16' : 'f32');
  if (decimal !== undefined) return literal(type(suffix), Math.fround(Number(decimal)));
  const [, whole, fraction = '', exponent = '0', letter] = hexFloat.exec(text) ?? [];
  if (whole === undefined) throw new WgslError(line, `malformed number ${text}`);
  const value = Number(BigInt(`0x0${whole}${fraction}`)) * 2 ** (Number(exponent) - 4 * fraction.length);
  return literal(type(letter), Math.fround(value));
}
