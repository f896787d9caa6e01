// Computes the ranges of operations' results from the ranges of their arguments.
import { at } from '../../base/invariants.ts';
import type { Inst, InstNamed, Value } from '../ir/nodes.ts';
import type { IntegerRelation, OpName } from '../ir/operations.ts';
import { type Type, widthOf } from '../ir/types.ts';
import { refinedIf } from './edge-ranges.ts';
import {
  allBitsOf,
  anyOf,
  isAny,
  type Range,
  rangeOf,
  type SpecialRanges,
  sameRange,
  signed,
  union,
  unsigned,
} from './range.ts';

/**
 * Returns the range of the result, given its type, the ranges of the arguments, and the type of the
 * first argument.
 */
type Rule = (type: Type, args: readonly Range[], from: Type) => Range;

const pick = (args: readonly Range[], index: number): Range => at(args, index, 'the range of an operand');
const isConstant = ({ min, max }: Range): boolean => min === max;

function product(type: Type, a: Range, b: Range): Range {
  const [p, q, r, s] = [a.min * b.min, a.min * b.max, a.max * b.min, a.max * b.max];
  return rangeOf(type, Math.min(p, q, r, s), Math.max(p, q, r, s));
}

const bitwise: Rule = (type, args) => {
  const [x, y] = [unsigned(type, pick(args, 0)), unsigned(type, pick(args, 1))];
  return rangeOf(type, 0, allBitsOf(Math.max(x.max, y.max)));
};

const shiftLeft =
  (modulo: boolean): Rule =>
  (type, args) => {
    const amount = constantAmount(type, pick(args, 1), modulo);
    return amount === undefined ? anyOf(type) : product(type, pick(args, 0), { min: 2 ** amount, max: 2 ** amount });
  };

function constantAmount(type: Type, amount: Range, modulo: boolean): number | undefined {
  if (!isConstant(amount) || amount.min < 0) return undefined;
  const width = widthOf(type);
  if (modulo) return amount.min % width;
  return amount.min < width ? amount.min : undefined;
}

const shiftRight =
  (isSigned: boolean, modulo: boolean): Rule =>
  (type, args) => {
    const value = isSigned ? signed(type, pick(args, 0)) : unsigned(type, pick(args, 0));
    const amount = constantAmount(type, pick(args, 1), modulo);
    if (amount !== undefined)
      return rangeOf(type, Math.floor(value.min / 2 ** amount), Math.floor(value.max / 2 ** amount));
    // A right shift by any amount never increases a magnitude.
    return value.min < 0 ? rangeOf(type, value.min, Math.max(value.max, -1)) : rangeOf(type, 0, value.max);
  };

const extreme =
  (as: typeof unsigned, choose: (a: number, b: number) => number): Rule =>
  (type, args) => {
    const [x, y] = [as(type, pick(args, 0)), as(type, pick(args, 1))];
    return rangeOf(type, choose(x.min, y.min), choose(x.max, y.max));
  };

const quotient =
  (as: typeof unsigned): Rule =>
  (type, args) => {
    const [x, y] = [as(type, pick(args, 0)), as(type, pick(args, 1))];
    if (!isConstant(y) || y.min <= 0) return anyOf(type);
    return rangeOf(type, Math.trunc(x.min / y.min), Math.trunc(x.max / y.min));
  };

const remainder =
  (as: typeof unsigned): Rule =>
  (type, args) => {
    const [x, y] = [as(type, pick(args, 0)), as(type, pick(args, 1))];
    if (!isConstant(y) || y.min <= 0) return anyOf(type);
    return rangeOf(type, x.min < 0 ? 1 - y.min : 0, Math.min(Math.max(x.max, 0), y.min - 1));
  };

const upTo =
  (max: (bits: number) => number): Rule =>
  (_, __, from) => ({ min: 0, max: max(widthOf(from)) });

const rules: Readonly<Partial<Record<OpName, Rule>>> = {
  iadd: (type, args) => rangeOf(type, pick(args, 0).min + pick(args, 1).min, pick(args, 0).max + pick(args, 1).max),
  isub: (type, args) => rangeOf(type, pick(args, 0).min - pick(args, 1).max, pick(args, 0).max - pick(args, 1).min),
  imul: (type, args) => product(type, pick(args, 0), pick(args, 1)),
  udiv: quotient(unsigned),
  sdiv: quotient(signed),
  urem: remainder(unsigned),
  srem: remainder(signed),
  and: (type, args) => rangeOf(type, 0, Math.min(unsigned(type, pick(args, 0)).max, unsigned(type, pick(args, 1)).max)),
  or: bitwise,
  xor: bitwise,
  shl: shiftLeft(false),
  shlw: shiftLeft(true),
  lshr: shiftRight(false, false),
  lshrw: shiftRight(false, true),
  ashr: shiftRight(true, false),
  ashrw: shiftRight(true, true),
  umin: extreme(unsigned, Math.min),
  umax: extreme(unsigned, Math.max),
  smin: extreme(signed, Math.min),
  smax: extreme(signed, Math.max),
  popcount: upTo((bits) => bits),
  clz: upTo((bits) => bits),
  ubfe: (type, args) => {
    const length = pick(args, 2);
    if (!isConstant(length) || length.min < 0) return anyOf(type);
    const bits = length.min % 256;
    return bits < Math.min(widthOf(type), 32) ? { min: 0, max: 2 ** bits - 1 } : anyOf(type);
  },
  zext: (type, args, from) => {
    const { min, max } = unsigned(from, pick(args, 0));
    return rangeOf(type, min, max);
  },
  sext: (type, args, from) => {
    const { min, max } = signed(from, pick(args, 0));
    return rangeOf(type, min, max);
  },
  trunc: (type, args, from) => {
    const value = pick(args, 0);
    return isAny(from, value) ? anyOf(type) : rangeOf(type, value.min, value.max);
  },
};

/**
 * Returns the range of `x relation y` for the numbers of two ranges: 1 if it always holds, 0 if it
 * never holds, and otherwise 0 to 1.
 */
function comparison(relation: IntegerRelation, type: Type, a: Range, b: Range): Range {
  const as = relation.startsWith('s') ? signed : unsigned;
  const [x, y] = [as(type, a), as(type, b)];
  const decided = (always: boolean, never: boolean): Range =>
    always ? { min: 1, max: 1 } : never ? { min: 0, max: 0 } : { min: 0, max: 1 };
  switch (relation) {
    case 'eq':
      return decided(isConstant(x) && sameRange(x, y), x.max < y.min || y.max < x.min);
    case 'ne':
      return decided(x.max < y.min || y.max < x.min, isConstant(x) && sameRange(x, y));
    case 'ult':
    case 'slt':
      return decided(x.max < y.min, x.min >= y.max);
    case 'ule':
    case 'sle':
      return decided(x.max <= y.min, x.min > y.max);
    case 'ugt':
    case 'sgt':
      return decided(x.min > y.max, x.max <= y.min);
    case 'uge':
    case 'sge':
      return decided(x.min >= y.max, x.max < y.min);
  }
}

/**
 * Returns the range of a selection. A value is selected only if the condition holds for it:
 * `i > 7 ? 0 : i` is at most 7.
 */
function selection({ args }: InstNamed<'select'>, of: (value: Value) => Range): Range {
  const [condition, then, otherwise] = [at(args, 0, 'a condition'), at(args, 1, 'a value'), at(args, 2, 'a value')];
  const test = condition.kind === 'result' && condition.inst.op === 'icmp' ? condition.inst : undefined;
  const side = (value: Value, holds: boolean): Range =>
    test === undefined ? of(value) : refinedIf(test, holds, value, of(value));
  const { min, max } = of(condition);
  if (min === max) return min === 0 ? side(otherwise, false) : side(then, true);
  return union(then.type, side(then, true), side(otherwise, false));
}

/** Whether a rule bounds the instruction's first result more than its type does. */
export const hasRange = ({ op }: Inst): boolean =>
  op === 'special' || op === 'icmp' || op === 'select' || rules[op] !== undefined;

/**
 * Returns the range of the instruction's first result if it executes; undefined if the range is
 * unknown.
 */
export function transfer(inst: Inst, of: (value: Value) => Range, special: SpecialRanges): Range | undefined {
  if (inst.op === 'special') return special(inst.attrs.name);
  if (inst.op === 'select') return selection(inst, of);
  const [a, b] = inst.args;
  const [result] = inst.results;
  if (a === undefined || result === undefined) return undefined;
  if (inst.op === 'icmp') return comparison(inst.attrs.relation, a.type, of(a), of(at(inst.args, 1, 'an operand')));
  const rule = rules[inst.op];
  if (rule === undefined) return undefined;
  const args = b !== undefined && inst.args.length === 2 ? [of(a), of(b)] : inst.args.map(of);
  return rule(result.type, args, a.type);
}
