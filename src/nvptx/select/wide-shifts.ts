// Selects shifts of integers of 65 to 128 bits.
import { i1, i32, i64 } from '../ir/types.ts';
import { choose } from './choose.ts';
import type { Scalar } from './scalar.ts';
import { onWords, type Words, zeroWord } from './words.ts';
import type { Writer } from './writer.ts';

type Shift = 'shl' | 'lshr' | 'ashr';

/** Shifts two words by the number in `by`, which is below 128. */
export function shiftWords(writer: Writer, code: Shift, value: Words, by: Scalar): Words {
  if (by.constant !== undefined) return shiftByConstant(writer, code, value, Number(by.constant));
  return shiftByVariable(writer, code, value, writer.resized(by, 32, 'zero').text);
}

function shiftByConstant(writer: Writer, code: Shift, [low, high]: Words, amount: number): Words {
  const shifted = (opcode: string, word: Scalar, count: number): Scalar =>
    count === 0 ? word : writer.compute(opcode, i64, writer.operand(word), String(count));
  if (amount === 0) return [low, high];
  const down = code === 'ashr' ? 'shr.s64' : 'shr.u64';
  if (amount >= 64) {
    if (code === 'shl') return [zeroWord, shifted('shl.b64', low, amount - 64)];
    return [shifted(down, high, amount - 64), code === 'ashr' ? shifted('shr.s64', high, 63) : zeroWord];
  }
  if (code === 'shl') {
    const crossed = onWords(writer, 'or.b64', shifted('shl.b64', high, amount), shifted('shr.u64', low, 64 - amount));
    return [shifted('shl.b64', low, amount), crossed];
  }
  const crossed = onWords(writer, 'or.b64', shifted('shr.u64', low, amount), shifted('shl.b64', high, 64 - amount));
  return [crossed, shifted(down, high, amount)];
}

/**
 * Shifts without branches. PTX's shifts by more than 63 return zero or the sign, so each word is a
 * combination of three shifts.
 */
function shiftByVariable(writer: Writer, code: Shift, [low, high]: Words, amount: string): Words {
  const shifted = (opcode: string, word: Scalar, count: string): Scalar =>
    writer.compute(opcode, i64, writer.operand(word), count);
  const or = (a: Scalar, b: Scalar): Scalar => onWords(writer, 'or.b64', a, b);
  const rest = writer.compute('sub.s32', i32, '64', amount).text;
  const beyond = writer.compute('sub.s32', i32, amount, '64').text;
  if (code === 'shl') {
    const crossed = or(shifted('shl.b64', high, amount), shifted('shr.u64', low, rest));
    return [shifted('shl.b64', low, amount), or(crossed, shifted('shl.b64', low, beyond))];
  }
  const crossed = or(shifted('shr.u64', low, amount), shifted('shl.b64', high, rest));
  if (code === 'lshr') return [or(crossed, shifted('shr.u64', high, beyond)), shifted('shr.u64', high, amount)];
  const isBeyond = writer.compute('setp.ge.u32', i1, amount, '64');
  return [choose(writer, isBeyond, shifted('shr.s64', high, beyond), crossed), shifted('shr.s64', high, amount)];
}
