// The operations through which addresses are followed, and the properties of their constants.
import { missing } from '../../base/invariants.ts';
import type { Inst, Value } from '../ir/nodes.ts';
import type { OpName } from '../ir/operations.ts';
import { type Type, widthOf } from '../ir/types.ts';

/** The maximum number of factors of two that the analysis tracks. No user requires more. */
export const maxLevel = 31;
export const isAddressType = (type: Type): boolean => type === 'i32' || type === 'i64';

/** Returns a constant as a signed number; undefined if a double does not hold it exactly. */
export function signedConstant(value: Value | undefined): number | undefined {
  if (value?.kind !== 'constant') return undefined;
  const number = Number(BigInt.asIntN(widthOf(value.type), value.bits));
  return Number.isSafeInteger(number) ? number : undefined;
}

/**
 * Returns the number of trailing zeros of a constant, at most `maxLevel`. `undef` is emitted as 0,
 * which has `maxLevel`. Returns 0 for other values.
 */
export function trailingZeros(value: Value): number {
  if (value.kind === 'undef') return maxLevel;
  if (value.kind !== 'constant') return 0;
  const low = Number(value.bits & 0xffff_ffffn) | 0;
  return low === 0 ? maxLevel : Math.min(31 - Math.clz32(low & -low), maxLevel);
}

/**
 * Returns the amount of a shift by a constant; undefined if it is not constant or shifts out all
 * bits.
 */
export function shiftAmount(inst: Inst): number | undefined {
  const amount = inst.args[1];
  if (amount?.kind !== 'constant' || inst.args[0] === undefined) return undefined;
  const width = widthOf(inst.args[0].type);
  const bits = Number(amount.bits);
  if (inst.op === 'shlw' || inst.op === 'lshrw') return bits % width;
  return bits < width ? bits : undefined;
}

/**
 * The operations through which addresses are followed, with the positions of the arguments that are
 * parts of the address.
 */
export const followed: Readonly<Partial<Record<OpName, readonly number[]>>> = {
  iadd: [0, 1],
  isub: [0, 1],
  imul: [0, 1],
  shl: [0],
  shlw: [0],
  and: [0, 1],
  or: [0, 1],
  xor: [0, 1],
  select: [1, 2],
  zext: [0],
  sext: [0],
  trunc: [0],
};

export const isFollowed = (inst: Inst): boolean => followed[inst.op] !== undefined && inst.when === undefined;

/** Returns the positions of the parts of an address in a followed instruction. */
export const followedArgs = ({ op }: Inst): readonly number[] => followed[op] ?? missing('the parts of an address', op);

/**
 * Whether an `or` with a constant is equivalent to an addition, because it sets only bits that are
 * 0. For example, compilers emit `(x << 2) | 3`.
 */
export function addsBits(inst: Inst): boolean {
  const number = signedConstant(inst.args[1]);
  return number !== undefined && number >= 0 && number < 2 ** zerosOf(inst.args[0]);
}

/**
 * Returns a lower bound of the number of trailing zeros of a value. Searches its operands to a
 * limited depth.
 */
function zerosOf(value: Value | undefined, depth = 6): number {
  if (value === undefined || depth === 0) return 0;
  if (value.kind !== 'result') return value.kind === 'param' ? 0 : trailingZeros(value);
  const { inst } = value;
  if (inst.when !== undefined) return 0;
  const [a, b] = inst.args;
  switch (inst.op) {
    case 'iadd':
    case 'isub':
      return Math.min(zerosOf(a, depth - 1), zerosOf(b, depth - 1));
    case 'shl':
    case 'shlw':
      // Absent: a shift by an unknown amount keeps all factors of two.
      return Math.min((shiftAmount(inst) ?? 0) + zerosOf(a, depth - 1), maxLevel);
    case 'imul':
      return Math.min(zerosOf(a, depth - 1) + zerosOf(b, depth - 1), maxLevel);
    case 'and':
      return Math.max(zerosOf(a, depth - 1), zerosOf(b, depth - 1));
    case 'zext':
    case 'sext':
    case 'trunc':
      return zerosOf(a, depth - 1);
    default:
      return 0;
  }
}
