// Selects quotients and remainders of integers of 65 to 128 bits: a loop over the bits.
import { i1, i32, i64 } from '../ir/types.ts';
import { constantOf, inRegister, type Scalar } from './scalar.ts';
import { shiftWords } from './wide-shifts.ts';
import { addWords, chooseWords, compareWords, isNegative, magnitude, negateIf, onWords, type Words } from './words.ts';
import type { Writer } from './writer.ts';

type Division = 'udiv' | 'urem' | 'sdiv' | 'srem';

export function divideWords(writer: Writer, code: Division, a: Words, b: Words): Words {
  if (code === 'udiv') return divide(writer, a, b).quotient;
  if (code === 'urem') return divide(writer, a, b).remainder;
  const { quotient, remainder } = divide(writer, magnitude(writer, a), magnitude(writer, b));
  // The remainder has the sign of the dividend.
  if (code === 'srem') return negateIf(writer, isNegative(writer, a), remainder);
  const differ = writer.compute('xor.b64', i64, writer.operand(a[1]), writer.operand(b[1]));
  return negateIf(writer, writer.compute('setp.lt.s64', i1, differ.text, '0'), quotient);
}

/**
 * Divides unsigned integers. In each step, a bit of the dividend moves from the top of `quotient`
 * to `remainder`, and a bit of the quotient enters at the bottom.
 */
function divide(writer: Writer, a: Words, b: Words): { readonly quotient: Words; readonly remainder: Words } {
  const variable = (value: Scalar | undefined): Scalar =>
    inRegister(i64, writer.compute('mov.b64', i64, value === undefined ? '0' : writer.operand(value)).text);
  const quotient: Words = [variable(a[0]), variable(a[1])];
  const remainder: Words = [variable(undefined), variable(undefined)];
  const count = writer.compute('mov.b32', i32, '128');
  const loop = writer.newLabel();
  writer.label(loop);
  const one = constantOf(i32, 1n);
  const [low, high] = shiftWords(writer, 'shl', remainder, one);
  const top = writer.compute('shr.u64', i64, quotient[1].text, '63');
  const grown: Words = [onWords(writer, 'or.b64', low, top), high];
  const shifted = shiftWords(writer, 'shl', quotient, one);
  const fits = compareWords(writer, 'uge', grown, b);
  const bit = writer.compute('selp.b64', i64, '1', '0', fits.text);
  const reduced = chooseWords(writer, fits, addWords(writer, 'sub', grown, b), grown);
  const assign = (to: Scalar, from: string): void => writer.emit(`mov.b64 \t${to.text}, ${from}`);
  const extended = onWords(writer, 'or.b64', shifted[0], bit);
  assign(quotient[0], extended.text);
  assign(quotient[1], shifted[1].text);
  assign(remainder[0], reduced[0].text);
  assign(remainder[1], reduced[1].text);
  writer.emit(`sub.s32 \t${count.text}, ${count.text}, 1`);
  const more = writer.compute('setp.ne.s32', i1, count.text, '0');
  writer.emit(`@${more.text} bra \t${loop}`);
  return { quotient, remainder };
}
