// Sums, products and quotients of pairs. If possible, the low part of a result is computed from low
// parts alone, so that unused high parts become dead code.
import { InternalError } from '../../../base/invariants.ts';
import type { HelperName } from '../../../wgsl/helpers.ts';
import { constant, constantOf, type Inst, type Value } from '../../ir/nodes.ts';
import { exponentOf, madeBy } from '../../ir/simplify/rule.ts';
import { pairs, words } from '../calls.ts';
import type { Plain } from '../lowering.ts';
import { isWords, pairOf } from './wide-parts.ts';
import { shiftBy } from './wide-shifts.ts';

export const sum: Plain = (lowering, inst) => {
  const { builder } = lowering;
  const [[a, aHigh], [b, bHigh]] = [pairOf(lowering, inst, 0), pairOf(lowering, inst, 1)];
  const low = builder.iadd(a, b);
  // Compare with a constant if there is one, because this is more readable.
  const carry = builder.icmp('ult', low, b.kind === 'constant' ? b : a);
  return [low, builder.iadd(builder.iadd(aHigh, bHigh), builder.resize(carry, a.type))];
};

export const difference: Plain = (lowering, inst) => {
  const { builder } = lowering;
  const [[a, aHigh], [b, bHigh]] = [pairOf(lowering, inst, 0), pairOf(lowering, inst, 1)];
  const borrow = builder.icmp('ult', a, b);
  return [builder.isub(a, b), builder.isub(builder.isub(aHigh, bHigh), builder.resize(borrow, a.type))];
};

/** Whether a 64-bit value is a zero- or sign-extended word. */
function isExtended(value: Value | undefined, op: 'zext' | 'sext'): boolean {
  if (value?.kind === 'constant') {
    if (op === 'zext') return value.bits < 1n << 32n;
    return BigInt.asUintN(64, BigInt.asIntN(32, value.bits)) === value.bits;
  }
  return madeBy(value, op) !== undefined;
}

const areExtended = ({ args }: Inst, op: 'zext' | 'sext'): boolean => args.every((arg) => isExtended(arg, op));

export const product: Plain = (lowering, inst) => {
  const { builder } = lowering;
  // Absent: a value that is not a constant is not a power of two either.
  const exponent = exponentOf(constantOf(inst.args[1]) ?? 0n);
  const first = pairOf(lowering, inst, 0);
  if (exponent !== undefined) return shiftBy(lowering, 'shl', first, exponent);
  const [[a, aHigh], [b, bHigh]] = [first, pairOf(lowering, inst, 1)];
  const low = builder.imul(a, b);
  const high = (signed: boolean): Value => {
    if (!isWords(first)) return builder.umulhi(a, b);
    const [value] = builder.helper(words.two(signed ? 'mul_hi_s32' : 'mul_hi_u32'), a, b);
    if (value === undefined) throw new InternalError('mul_hi must return a word');
    return value;
  };
  if (isWords(first) && areExtended(inst, 'zext')) return [low, high(false)];
  if (isWords(first) && areExtended(inst, 'sext')) return [low, high(true)];
  const cross = builder.iadd(builder.imul(a, bHigh), builder.imul(aHigh, b));
  return [low, builder.iadd(high(false), cross)];
};

/** Calls a prelude function on two 64-bit values. */
export const helped =
  (name: HelperName): Plain =>
  (lowering, inst) => {
    if (!isWords(pairOf(lowering, inst, 0))) return lowering.refuse(inst, `${inst.op} of 128-bit integers`);
    return lowering.result(pairs.two(name), ...lowering.args(inst));
  };

/**
 * Lowers a quotient or remainder. If both operands are words, the result is a word, unless the
 * divisor is zero: then the result is 64 ones.
 */
export const divided =
  (op: 'udiv' | 'urem', name: HelperName): Plain =>
  (lowering, inst) => {
    const [[a, aHigh], [b, bHigh]] = [pairOf(lowering, inst, 0), pairOf(lowering, inst, 1)];
    const isWord = a.type === 'i32' && constantOf(aHigh) === 0n && constantOf(bHigh) === 0n;
    // Absent: a divisor that is not a constant may be 0.
    if (isWord && (constantOf(b) ?? 0n) !== 0n) return [lowering.builder.div(op, a, b), constant('i32', 0n)];
    return helped(name)(lowering, inst);
  };
