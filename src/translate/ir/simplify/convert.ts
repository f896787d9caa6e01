// Rules for extensions, truncations, bit casts, and values of two halves.
import type { BaseBuilder } from '../base-builder.ts';
import { constant, constantOf, sameValue, undef, type Value } from '../nodes.ts';
import { integerOf, onesOf, type Type, widthOf } from '../types.ts';
import { argsOf, madeBy, type Rule, type Rules, withConstant } from './rule.ts';

const zeroExtension: Rule<'zext'> = (builder, [a], { to }) => {
  if (a === undefined) return undefined;
  if (a.type === to) return a;
  const [narrower] = argsOf(a, 'zext');
  if (narrower) return builder.resize(narrower, to);
  const [wider] = argsOf(a, 'trunc');
  if (wider === undefined || widthOf(wider.type) < widthOf(to)) return undefined;
  return builder.and(builder.resize(wider, to), constant(to, onesOf(a.type)));
};

const signExtension: Rule<'sext'> = (builder, [a], { to }) => {
  if (a === undefined) return undefined;
  if (a.type === to) return a;
  const [wider] = argsOf(a, 'trunc');
  // Sign extension of the low bits of a word is the extraction of a signed bit field.
  if (to === 'i32' && wider && widthOf(wider.type) >= 32 && a.type !== 'i1') {
    return builder.value('sbfe', {}, [builder.resize(wider, to), builder.i32(0), builder.i32(widthOf(a.type))]);
  }
  const narrower = madeBy(a, 'zext') ?? madeBy(a, 'sext');
  const value = narrower?.args[0];
  return narrower && value ? builder.resize(value, to, narrower.op === 'sext') : undefined;
};

const truncation: Rule<'trunc'> = (builder, [a], { to }) => {
  if (a === undefined) return undefined;
  if (a.type === to) return a;
  if (a.kind !== 'result' || a.inst.when !== undefined) return undefined;
  const { inst } = a;
  const [x] = inst.args;
  if (x === undefined) return undefined;
  if (inst.op === 'trunc') return builder.resize(x, to);
  if (inst.op === 'zext' || inst.op === 'sext') return builder.resize(x, to, inst.op === 'sext');
  if (inst.op === 'join') return builder.resize(x, to);
  const [masked, mask] = withConstant(a, 'and');
  if (masked && mask !== undefined && (mask & onesOf(to)) === onesOf(to)) return builder.resize(masked, to);
  const [shifted, by] = withConstant(a, 'shlw');
  return shifted && by !== undefined && by >= BigInt(widthOf(to)) && by < BigInt(widthOf(a.type))
    ? constant(to, 0n)
    : undefined;
};

const cast: Rule<'bitcast'> = (builder, [a], { to }) => {
  if (a === undefined) return undefined;
  if (a.type === to) return a;
  const [inner] = argsOf(a, 'bitcast');
  return inner && builder.bitcast(inner, to);
};

const joined: Rule<'join'> = (builder, [low, high]) => {
  if (low === undefined || high === undefined) return undefined;
  const wide = integerOf(widthOf(low.type) * 2);
  const whole = madeBy(low, 'split');
  if (whole && low.kind === 'result' && high.kind === 'result' && high.inst === whole) {
    if (low.index === 0 && high.index === 1) return whole.args[0];
  }
  if (constantOf(high) === 0n) return builder.resize(low, wide);
  const [sign, by] = withConstant(high, 'ashrw');
  if (sign && sameValue(sign, low) && by === BigInt(widthOf(low.type) - 1)) return builder.resize(low, wide, true);
  const [first] = argsOf(low, 'trunc');
  const [second, shift] = withConstant(madeBy(high, 'trunc')?.args[0] ?? high, 'lshrw');
  return first && first.type === wide && second === first && shift === BigInt(widthOf(low.type)) ? first : undefined;
};

export const convertRules: Rules = {
  zext: zeroExtension,
  sext: signExtension,
  trunc: truncation,
  bitcast: cast,
  join: joined,
};

/**
 * Returns the low and the high half of a value, if values with these halves exist or are known;
 * undefined if `split` must create them.
 */
export function halvesOf(builder: BaseBuilder, value: Value): readonly [Value, Value] | undefined {
  const half: Type = integerOf(widthOf(value.type) / 2);
  const bits = widthOf(half);
  if (value.kind === 'constant') return [constant(half, value.bits), constant(half, value.bits >> BigInt(bits))];
  if (value.kind === 'undef') return [undef(half), undef(half)];
  const [low, high] = argsOf(value, 'join');
  if (low && high) return [low, high];
  const [small] = argsOf(value, 'zext');
  if (small && widthOf(small.type) <= bits) return [builder.resize(small, half), constant(half, 0n)];
  const [number] = argsOf(value, 'sext');
  if (number === undefined || widthOf(number.type) > bits) return undefined;
  const extended = builder.resize(number, half, true);
  return [extended, builder.ashrw(extended, builder.i32(bits - 1))];
}
