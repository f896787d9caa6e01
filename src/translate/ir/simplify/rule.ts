// The types of algebraic rules, and small queries that rules use on their arguments.
import type { BaseBuilder } from '../base-builder.ts';
import { constantOf, type InstNamed, type Value } from '../nodes.ts';
import type { Attributes, OpName } from '../operations.ts';
import { onesOf, widthOf } from '../types.ts';

/**
 * Returns the result of an operation as another value, or as a simpler value that the builder
 * creates. Returns undefined if no simplification applies. At least one argument is not a constant.
 */
export type Rule<Op extends OpName> = (
  builder: BaseBuilder,
  args: readonly Value[],
  attrs: Attributes[Op],
) => Value | undefined;
/** A rule for an operation without attributes. */
export type Plain = (builder: BaseBuilder, args: readonly Value[]) => Value | undefined;
export type Rules = { readonly [Op in OpName]?: Rule<Op> };

/**
 * Returns the instruction that defines a value, if it has this operation and executes in every
 * lane.
 */
export function madeBy<Op extends OpName>(value: Value | undefined, op: Op): InstNamed<Op> | undefined {
  if (value?.kind !== 'result' || value.inst.op !== op || value.inst.when !== undefined) return undefined;
  return value.inst as InstNamed<Op>;
}

/**
 * Returns the arguments of the instruction that defines a value. Absent: the instruction has a
 * different operation.
 */
export const argsOf = (value: Value | undefined, op: OpName): readonly Value[] => madeBy(value, op)?.args ?? [];

/**
 * If a value is the result of an operation on another value and a constant, which is the last
 * argument, returns both. Otherwise returns an empty list.
 */
export function withConstant(value: Value, op: OpName): readonly [other?: Value, bits?: bigint] {
  const [other, last] = argsOf(value, op);
  const bits = constantOf(last);
  return other === undefined || bits === undefined ? [] : [other, bits];
}

/** Returns the value of which this value is the complement. */
export function complementOf(value: Value): Value | undefined {
  const [other, bits] = withConstant(value, 'xor');
  return bits === onesOf(value.type) ? other : undefined;
}

/** Returns the bits that are known to be zero. Follows definitions for a few steps. */
export function zeroBits(value: Value, steps = 3): bigint {
  const ones = onesOf(value.type);
  if (value.kind === 'constant') return ones ^ value.bits;
  if (steps === 0 || value.kind !== 'result' || value.inst.when !== undefined) return 0n;
  const { op, args } = value.inst;
  const [a, b] = args;
  if (a === undefined) return 0n;
  const amount = constantOf(b);
  switch (op) {
    case 'and':
      return b ? zeroBits(a, steps - 1) | zeroBits(b, steps - 1) : 0n;
    case 'or':
    case 'xor':
      return b ? zeroBits(a, steps - 1) & zeroBits(b, steps - 1) : 0n;
    case 'zext':
      return (ones ^ onesOf(a.type)) | zeroBits(a, steps - 1);
    case 'trunc':
      return zeroBits(a, steps - 1) & ones;
    case 'lshr':
    case 'lshrw': {
      if (amount === undefined || amount >= BigInt(widthOf(value.type))) return 0n;
      return (ones ^ (ones >> amount)) | (zeroBits(a, steps - 1) >> amount);
    }
    case 'shl':
    case 'shlw': {
      if (amount === undefined || amount >= BigInt(widthOf(value.type))) return 0n;
      return ((zeroBits(a, steps - 1) << amount) | ((1n << amount) - 1n)) & ones;
    }
    case 'ubfe': {
      const length = constantOf(args[2]);
      return length === undefined ? 0n : ones & ~((1n << (length & 0xffn)) - 1n);
    }
    case 'popcount':
    case 'clz':
      // The number of bits is at most 128.
      return ones ^ 0xffn;
    default:
      return 0n;
  }
}

/** Returns the exponent, if the number is a power of two. */
export function exponentOf(bits: bigint): number | undefined {
  return bits > 0n && (bits & (bits - 1n)) === 0n ? bits.toString(2).length - 1 : undefined;
}
