// Integers of 65 to 128 bits as two words of 64 bits: their parts, sums and comparisons.
import { at } from '../../base/invariants.ts';
import { i1, i32, i64, partsOf, type WideType } from '../ir/types.ts';
import { choose } from './choose.ts';
import { constantOf, type Scalar } from './scalar.ts';
import type { Writer } from './writer.ts';

/** The low and the high 64 bits. */
export type Words = readonly [low: Scalar, high: Scalar];

/** Returns the words of a wide value. `upper` determines the bits above its width. */
export function wordsOf(writer: Writer, scalars: readonly Scalar[], upper: 'zero' | 'sign'): Words {
  return [at(scalars, 0, 'the low word'), writer.resized(at(scalars, 1, 'the high word'), 64, upper)];
}

/** Returns the scalars of a value of `type` with the bits of two words. */
export function fromWords(writer: Writer, [low, high]: Words, type: WideType): Scalar[] {
  return [low, writer.resized(high, partsOf(type)[1].bits, 'zero')];
}

export const zeroWord = constantOf(i64, 0n);

/** Emits an operation on 64-bit words. */
export const onWords = (writer: Writer, opcode: string, ...operands: readonly Scalar[]): Scalar =>
  writer.compute(opcode, i64, ...operands.map((scalar) => writer.operand(scalar)));

export function addWords(writer: Writer, code: 'add' | 'sub', a: Words, b: Words): Words {
  const low = onWords(writer, `${code}.cc.u64`, a[0], b[0]);
  return [low, onWords(writer, `${code}c.u64`, a[1], b[1])];
}

/** Returns the value without its sign. */
export function magnitude(writer: Writer, a: Words): Words {
  return negateIf(writer, isNegative(writer, a), a);
}

export const isNegative = (writer: Writer, a: Words): Scalar =>
  writer.compute('setp.lt.s64', i1, writer.operand(a[1]), '0');

/** Returns `-a` if the condition holds, otherwise `a`. */
export function negateIf(writer: Writer, condition: Scalar, a: Words): Words {
  return chooseWords(writer, condition, addWords(writer, 'sub', [zeroWord, zeroWord], a), a);
}

export function chooseWords(writer: Writer, condition: Scalar, a: Words, b: Words): Words {
  return [choose(writer, condition, a[0], b[0]), choose(writer, condition, a[1], b[1])];
}

/** Returns whether a relation is true. Its name is that of LLVM, such as `eq`, `ult` or `sge`. */
export function compareWide(writer: Writer, relation: string, left: readonly Scalar[], right: readonly Scalar[]) {
  const upper = relation.startsWith('s') ? 'sign' : 'zero';
  return compareWords(writer, relation, wordsOf(writer, left, upper), wordsOf(writer, right, upper));
}

export function compareWords(writer: Writer, relation: string, a: Words, b: Words): Scalar {
  const test = (opcode: string, x: Scalar, y: Scalar): string =>
    writer.compute(`setp.${opcode}64`, i1, writer.operand(x), writer.operand(y)).text;
  if (relation === 'eq' || relation === 'ne') {
    const differences = [0, 1].map((index) =>
      onWords(writer, 'xor.b64', at(a, index, 'a word'), at(b, index, 'a word')),
    );
    const [low = zeroWord, high = zeroWord] = differences;
    const any = onWords(writer, 'or.b64', low, high);
    return writer.compute(`setp.${relation}.b64`, i1, any.text, '0');
  }
  // The high words, which contain the sign, decide unless they are equal. The low words are
  // compared as unsigned numbers.
  const order = relation.slice(1);
  const strict = order.slice(0, 1) === 'l' ? 'lt' : 'gt';
  const decided = test(`${strict}.${relation.startsWith('s') ? 's' : 'u'}`, a[1], b[1]);
  const equal = test('eq.b', a[1], b[1]);
  const below = writer.compute('and.pred', i1, equal, test(`${order}.u`, a[0], b[0]));
  return writer.compute('or.pred', i1, decided, below.text);
}

/** Returns the number of leading zeros as a word of 32 bits; 128 for zero. */
export function leadingZeros(writer: Writer, [low, high]: Words): Scalar {
  const count = (word: Scalar): Scalar => writer.compute('clz.b64', i32, writer.inRegister(word));
  const below = writer.compute('add.s32', i32, count(low).text, '64');
  const isBelow = writer.compute('setp.eq.b64', i1, writer.inRegister(high), '0');
  return choose(writer, isBelow, below, count(high));
}
