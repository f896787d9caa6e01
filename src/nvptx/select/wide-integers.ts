// Selects arithmetic on integers of 65 to 128 bits, as two words of 64 bits.
import type { InstructionOf } from '../ir/module.ts';
import type { WideType } from '../ir/types.ts';
import type { Scalar } from './scalar.ts';
import { divideWords } from './wide-division.ts';
import { shiftWords } from './wide-shifts.ts';
import { addWords, fromWords, onWords, type Words, wordsOf } from './words.ts';
import type { Writer } from './writer.ts';

/** Selects a binary instruction on wide integers. */
export function selectWideBinary(
  writer: Writer,
  { code, left, right }: InstructionOf<'binary'>,
  type: WideType,
): Scalar[] {
  const upper = code === 'sdiv' || code === 'srem' || code === 'ashr' ? 'sign' : 'zero';
  const a = wordsOf(writer, writer.scalars(left), upper);
  const b = wordsOf(writer, writer.scalars(right), upper);
  return fromWords(writer, binary(writer, code, a, b, type), type);
}

function binary(writer: Writer, code: string, a: Words, b: Words, { bits }: WideType): Words {
  switch (code) {
    case 'and':
    case 'or':
    case 'xor':
      return [onWords(writer, `${code}.b64`, a[0], b[0]), onWords(writer, `${code}.b64`, a[1], b[1])];
    case 'add':
    case 'sub':
      return addWords(writer, code, a, b);
    case 'mul':
      return multiply(writer, a, b);
    case 'shl':
    case 'lshr':
    case 'ashr':
      return shiftWords(writer, code, a, b[0]);
    case 'udiv':
    case 'urem':
    case 'sdiv':
    case 'srem':
      return divideWords(writer, code, a, b);
    default:
      return writer.unsupported(`\`${code}\` of i${bits}`);
  }
}

function multiply(writer: Writer, a: Words, b: Words): Words {
  const low = onWords(writer, 'mul.lo.u64', a[0], b[0]);
  const carried = onWords(writer, 'mul.hi.u64', a[0], b[0]);
  const crossed = onWords(writer, 'mad.lo.u64', a[0], b[1], carried);
  return [low, onWords(writer, 'mad.lo.u64', a[1], b[0], crossed)];
}
