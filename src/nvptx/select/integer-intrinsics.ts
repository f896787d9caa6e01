// Selects LLVM's intrinsic functions of integers, element by element.
import { bitsOf, i1, i32 } from '../ir/types.ts';
import { compareIntegers } from './arithmetic.ts';
import { countLeadingZeros, countOnes, countTrailingZeros, funnel, reverseBits, swapBytes } from './bit-counts.ts';
import { choose } from './choose.ts';
import { type Element, present } from './float-intrinsics.ts';
import { saturateSigned, saturateUnsigned } from './overflow.ts';
import { constantOf, registerBits, type Scalar } from './scalar.ts';
import type { Writer } from './writer.ts';

const extreme =
  (opcode: 'min' | 'max', upper: 'zero' | 'sign'): Element =>
  (writer, a, b) => {
    const { type } = a;
    if (bitsOf(type) === 1) return extremeBit(writer, opcode, upper, a, present(b));
    const kind = `${upper === 'sign' ? 's' : 'u'}${registerBits(type)}`;
    const [first, second] = [writer.extended(a, upper), writer.extended(present(b), upper)];
    return { ...writer.compute(`${opcode}.${kind}`, type, writer.operand(first), writer.operand(second)), upper };
  };

/** Selects a minimum or maximum of predicates. As a signed number, a true bit is -1. */
function extremeBit(writer: Writer, opcode: 'min' | 'max', upper: 'zero' | 'sign', a: Scalar, b: Scalar): Scalar {
  const isAnd = (opcode === 'min') === (upper === 'zero');
  return writer.compute(isAnd ? 'and.pred' : 'or.pred', i1, writer.inRegister(a), writer.inRegister(b));
}

const saturated =
  (sign: 's' | 'u', operation: 'add' | 'sub'): Element =>
  (writer, a, b) =>
    (sign === 's' ? saturateSigned : saturateUnsigned)(writer, operation, a, present(b));

const absolute: Element = (writer, a) =>
  writer.compute(`abs.s${registerBits(a.type)}`, a.type, writer.operand(writer.extended(a, 'sign')));

/** The intrinsics by the part of the name between `llvm.` and the types. */
export const integerIntrinsics: ReadonlyMap<string, Element> = new Map<string, Element>([
  ['smin', extreme('min', 'sign')],
  ['smax', extreme('max', 'sign')],
  ['umin', extreme('min', 'zero')],
  ['umax', extreme('max', 'zero')],
  ['abs', absolute],
  ['ctpop', countOnes],
  ['ctlz', countLeadingZeros],
  ['cttz', countTrailingZeros],
  ['bitreverse', reverseBits],
  ['bswap', swapBytes],
  ['fshl', (writer, a, b, c) => funnel(writer, 'l', a, present(b), present(c))],
  ['fshr', (writer, a, b, c) => funnel(writer, 'r', a, present(b), present(c))],
  ['uadd.sat', saturated('u', 'add')],
  ['usub.sat', saturated('u', 'sub')],
  ['sadd.sat', saturated('s', 'add')],
  ['ssub.sat', saturated('s', 'sub')],
]);

/**
 * Returns an integer of `bits` bits: -1 if the first operand is less than the second, 0 if they are
 * equal, and 1 if it is greater.
 */
export function compareThreeWay(writer: Writer, sign: 's' | 'u', a: Scalar, b: Scalar, bits: number): Scalar {
  const isLess = compareIntegers(writer, `${sign}lt`, a, b);
  const isGreater = compareIntegers(writer, `${sign}gt`, a, b);
  const word = (value: bigint): Scalar => constantOf(i32, value);
  const upper = choose(writer, isGreater, word(1n), word(0n));
  return writer.resized(choose(writer, isLess, word(-1n), upper), bits, 'sign');
}
