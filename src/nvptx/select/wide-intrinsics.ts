// Selects LLVM's intrinsic functions of integers of 65 to 128 bits.
import { at } from '../../base/invariants.ts';
import { i32, i64, type WideType } from '../ir/types.ts';
import { reverseBits, swapBytes } from './bit-counts.ts';
import { constantOf, type Scalar } from './scalar.ts';
import { shiftWords } from './wide-shifts.ts';
import {
  addWords,
  chooseWords,
  compareWords,
  fromWords,
  leadingZeros,
  magnitude,
  onWords,
  type Words,
  wordsOf,
  zeroWord,
} from './words.ts';
import type { Writer } from './writer.ts';

/** Selects the intrinsic `base` of operands of `type`. Returns undefined if it is not known. */
export function selectWideIntrinsic(
  writer: Writer,
  base: string,
  args: readonly (readonly Scalar[])[],
  type: WideType,
): Scalar[] | undefined {
  const operand = (index: number, upper: 'zero' | 'sign' = 'zero'): Words =>
    wordsOf(writer, at(args, index, 'the operand'), upper);
  const result = (words: Words): Scalar[] => fromWords(writer, words, type);
  const surplus = 128 - type.bits;
  switch (base) {
    case 'umin':
    case 'umax':
    case 'smin':
    case 'smax': {
      const upper = base.startsWith('s') ? 'sign' : 'zero';
      const [a, b] = [operand(0, upper), operand(1, upper)];
      const isFirst = compareWords(writer, `${base.slice(0, 1)}${base.endsWith('min') ? 'lt' : 'gt'}`, a, b);
      return result(chooseWords(writer, isFirst, a, b));
    }
    case 'abs':
      return result(magnitude(writer, operand(0, 'sign')));
    case 'ctpop': {
      const [low, high] = operand(0).map((word) => writer.compute('popc.b64', i32, writer.inRegister(word)).text);
      return result(wordCount(writer, writer.compute('add.s32', i32, low ?? '', high ?? '')));
    }
    case 'ctlz': {
      const zeros = leadingZeros(writer, operand(0));
      return result(
        wordCount(writer, surplus === 0 ? zeros : writer.compute('sub.s32', i32, zeros.text, String(surplus))),
      );
    }
    case 'cttz': {
      const reversed = mirrored(writer, operand(0), reverseBits);
      const zeros = leadingZeros(writer, reversed);
      return result(wordCount(writer, writer.compute('min.u32', i32, zeros.text, String(type.bits))));
    }
    case 'bitreverse':
    case 'bswap': {
      const reversed = mirrored(writer, operand(0), base === 'bswap' ? swapBytes : reverseBits);
      return result(shiftWords(writer, 'lshr', reversed, constantOf(i32, BigInt(surplus))));
    }
    case 'fshl':
    case 'fshr':
      return surplus === 0 ? result(funnelWords(writer, base, operand(0), operand(1), operand(2)[0])) : undefined;
    case 'uadd.with.overflow':
    case 'usub.with.overflow': {
      if (surplus !== 0) return undefined;
      const [a, b] = [operand(0), operand(1)];
      const isSum = base.startsWith('uadd');
      const sum = addWords(writer, isSum ? 'add' : 'sub', a, b);
      return [...result(sum), isSum ? compareWords(writer, 'ult', sum, a) : compareWords(writer, 'ult', a, b)];
    }
    case 'uadd.sat':
    case 'usub.sat': {
      const [a, b] = [operand(0), operand(1)];
      if (base === 'usub.sat') {
        const isBelow = compareWords(writer, 'ult', a, b);
        return result(chooseWords(writer, isBelow, [zeroWord, zeroWord], addWords(writer, 'sub', a, b)));
      }
      if (surplus !== 0) return undefined;
      const sum = addWords(writer, 'add', a, b);
      const all = constantOf(i64, -1n);
      return result(chooseWords(writer, compareWords(writer, 'ult', sum, a), [all, all], sum));
    }
    default:
      return undefined;
  }
}

const wordCount = (writer: Writer, count: Scalar): Words => [writer.resized(count, 64, 'zero'), zeroWord];

/** Exchanges the two words and applies `reverse` to each. */
function mirrored(writer: Writer, [low, high]: Words, reverse: (writer: Writer, word: Scalar) => Scalar): Words {
  return [reverse(writer, high), reverse(writer, low)];
}

function funnelWords(writer: Writer, name: 'fshl' | 'fshr', a: Words, b: Words, by: Scalar): Words {
  const word = writer.resized(by, 32, 'zero');
  const amount =
    word.constant === undefined
      ? writer.compute('and.b32', i32, writer.operand(word), '127')
      : constantOf(i32, word.constant & 127n);
  const rest =
    amount.constant === undefined
      ? writer.compute('xor.b32', i32, amount.text, '127')
      : constantOf(i32, 127n - amount.constant);
  const one = constantOf(i32, 1n);
  const isLeft = name === 'fshl';
  // The other operand is shifted by 128 minus the amount, with two shifts because the amount may be
  // 0.
  const high = isLeft
    ? shiftWords(writer, 'shl', a, amount)
    : shiftWords(writer, 'shl', shiftWords(writer, 'shl', a, one), rest);
  const low = isLeft
    ? shiftWords(writer, 'lshr', shiftWords(writer, 'lshr', b, one), rest)
    : shiftWords(writer, 'lshr', b, amount);
  return [onWords(writer, 'or.b64', high[0], low[0]), onWords(writer, 'or.b64', high[1], low[1])];
}
