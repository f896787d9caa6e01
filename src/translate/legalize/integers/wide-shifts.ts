// Shifts and bit fields of pairs of words.
import type { HelperName } from '../../../wgsl/helpers.ts';
import { constant, constantOf, type Value } from '../../ir/nodes.ts';
import { widthOf } from '../../ir/types.ts';
import { pairs } from '../calls.ts';
import type { Lowering, Plain } from '../lowering.ts';
import { isWords, type Pair, pairOf } from './wide-parts.ts';

export type Direction = 'shl' | 'lshr' | 'ashr';

const helpers: Readonly<Record<Direction, HelperName>> = { shl: 'shl64', lshr: 'shr_u64', ashr: 'shr_s64' };

/**
 * Shifts a pair by a constant amount. If the amount is at least the width, all bits are shifted
 * out.
 */
export function shiftBy(lowering: Lowering, direction: Direction, [low, high]: Pair, amount: number): Pair {
  const { builder } = lowering;
  const half = widthOf(low.type);
  if (amount === 0) return [low, high];
  const zero = constant(low.type, 0n);
  const by = (bits: number) => builder.i32(bits);
  if (direction === 'shl') {
    if (amount >= 2 * half) return [zero, zero];
    if (amount >= half) return [zero, builder.shlw(low, by(amount - half))];
    const carried = builder.lshrw(low, by(half - amount));
    return [builder.shlw(low, by(amount)), builder.or(builder.shlw(high, by(amount)), carried)];
  }
  const isSigned = direction === 'ashr';
  const top = (bits: number) => (isSigned ? builder.ashrw(high, by(bits)) : builder.lshrw(high, by(bits)));
  const filled = isSigned ? top(half - 1) : zero;
  if (amount >= 2 * half) return [filled, filled];
  if (amount >= half) return [top(amount - half), filled];
  return [builder.or(builder.lshrw(low, by(amount)), builder.shlw(high, by(half - amount))), top(amount)];
}

export const shifted =
  (direction: Direction, modulo: boolean): Plain =>
  (lowering, inst) => {
    const value = pairOf(lowering, inst, 0);
    const amount = lowering.arg(inst, 1);
    const width = 2 * widthOf(value[0].type);
    const known = constantOf(amount);
    if (known !== undefined) {
      const bits = modulo ? known % BigInt(width) : known;
      return shiftBy(lowering, direction, value, bits < BigInt(width) ? Number(bits) : width);
    }
    if (!isWords(value)) return lowering.refuse(inst, 'shifting 128-bit integers by amounts that are not constant');
    const { builder } = lowering;
    const by = modulo ? builder.and(amount, builder.i32(width - 1)) : amount;
    return lowering.result(pairs.shift(helpers[direction]), ...value, by);
  };

export const field =
  (name: HelperName): Plain =>
  (lowering, inst) => {
    const value = pairOf(lowering, inst, 0);
    if (!isWords(value)) return lowering.refuse(inst, 'bit fields of 128-bit integers');
    return lowering.result(pairs.field(name), ...lowering.args(inst));
  };

export const insertion: Plain = (lowering, inst) => {
  if (!isWords(pairOf(lowering, inst, 0))) return lowering.refuse(inst, 'bit fields of 128-bit integers');
  return lowering.result(pairs.insert('bfi_b64'), ...lowering.args(inst));
};

export const turned: Plain = (lowering, inst) => {
  const { builder } = lowering;
  const [low, high] = pairOf(lowering, inst, 0);
  return [builder.bitreverse(high), builder.bitreverse(low)];
};

export const counted: Plain = (lowering, inst) => {
  const { builder } = lowering;
  const [low, high] = pairOf(lowering, inst, 0);
  return [builder.iadd(builder.popcount(low), builder.popcount(high))];
};

export const leadingZeros: Plain = (lowering, inst) => {
  const { builder } = lowering;
  const [low, high]: Pair = pairOf(lowering, inst, 0);
  const zeros = (value: Value) => builder.clz(value);
  if (constantOf(high) === 0n) return [builder.iadd(zeros(low), builder.i32(widthOf(low.type)))];
  if (isWords([low, high])) return lowering.result(pairs.toWord('clz64'), low, high);
  const above = builder.iadd(zeros(low), builder.i32(widthOf(low.type)));
  return [builder.select(builder.icmp('eq', high, constant(high.type, 0n)), above, zeros(high))];
};
