// Rules for comparisons and selections. The negation of an i1 is `xor` with true. The users of a
// negation are inverted if that removes the negation.
import type { BaseBuilder } from '../base-builder.ts';
import { relate } from '../fold-table.ts';
import { constant, constantOf, sameValue, type Value } from '../nodes.ts';
import type { IntegerRelation } from '../operations.ts';
import { onesOf, widthOf } from '../types.ts';
import { argsOf, complementOf, madeBy, type Rule, type Rules, withConstant } from './rule.ts';

/** For each relation, the relation with exchanged operands. */
export const swapped: Readonly<Record<IntegerRelation, IntegerRelation>> = {
  eq: 'eq',
  ne: 'ne',
  ult: 'ugt',
  ule: 'uge',
  ugt: 'ult',
  uge: 'ule',
  slt: 'sgt',
  sle: 'sge',
  sgt: 'slt',
  sge: 'sle',
};

/** The negated relation. */
export const opposite: Readonly<Record<IntegerRelation, IntegerRelation>> = {
  eq: 'ne',
  ne: 'eq',
  ult: 'uge',
  ule: 'ugt',
  ugt: 'ule',
  uge: 'ult',
  slt: 'sge',
  sle: 'sgt',
  sgt: 'sle',
  sge: 'slt',
};

/** For each relation, the equivalent relation for numbers whose sign bits are known to be zero. */
const unsigned: Readonly<Record<IntegerRelation, IntegerRelation>> = {
  eq: 'eq',
  ne: 'ne',
  ult: 'ult',
  ule: 'ule',
  ugt: 'ugt',
  uge: 'uge',
  slt: 'ult',
  sle: 'ule',
  sgt: 'ugt',
  sge: 'uge',
};

const comparison: Rule<'icmp'> = (builder, [a, b], { relation }) => {
  if (a === undefined || b === undefined) return undefined;
  if (sameValue(a, b)) return builder.bool(relate[relation](0n, 0n, 1));
  const bits = constantOf(b);
  if (constantOf(a) !== undefined && bits === undefined) return builder.icmp(swapped[relation], b, a);
  if (bits === undefined) return ofExtensions(builder, relation, a, b);
  if (a.type === 'i1') return ofTruth(builder, relation, a, bits);
  return atBound(builder, relation, a, bits) ?? withBits(builder, relation, a, bits);
};

function ofTruth(builder: BaseBuilder, relation: IntegerRelation, a: Value, bits: bigint): Value | undefined {
  const [whenTrue, whenFalse] = [relate[relation](1n, bits, 1), relate[relation](0n, bits, 1)];
  if (whenTrue === whenFalse) return builder.bool(whenTrue);
  return whenTrue ? a : builder.not(a);
}

/** Simplifies comparisons with the bounds of a type's range. */
function atBound(builder: BaseBuilder, relation: IntegerRelation, a: Value, bits: bigint): Value | undefined {
  const ones = onesOf(a.type);
  const least = 1n << BigInt(widthOf(a.type) - 1);
  const isSigned = relation.startsWith('s');
  const [low, high] = isSigned ? [least, least - 1n] : [0n, ones];
  if (relation === 'eq' || relation === 'ne') return undefined;
  const other = constant(a.type, bits);
  switch (unsigned[relation]) {
    case 'ult':
      if (bits === low) return builder.bool(false);
      if (bits === ((low + 1n) & ones)) return builder.icmp('eq', a, constant(a.type, low));
      return bits === high ? builder.icmp('ne', a, other) : undefined;
    case 'uge':
      if (bits === low) return builder.bool(true);
      if (bits === ((low + 1n) & ones)) return builder.icmp('ne', a, constant(a.type, low));
      return bits === high ? builder.icmp('eq', a, other) : undefined;
    case 'ugt':
      if (bits === high) return builder.bool(false);
      return bits === low ? builder.icmp('ne', a, other) : undefined;
    case 'ule':
      if (bits === high) return builder.bool(true);
      return bits === low ? builder.icmp('eq', a, other) : undefined;
    default:
      return undefined;
  }
}

function withBits(builder: BaseBuilder, relation: IntegerRelation, a: Value, bits: bigint): Value | undefined {
  const chosen = ofSelection(builder, relation, a, bits);
  if (chosen) return chosen;
  const isEquality = relation === 'eq' || relation === 'ne';
  if (isEquality) {
    const [x, added] = withConstant(a, 'iadd');
    if (x && added !== undefined) return builder.icmp(relation, x, constant(a.type, bits - added));
    const [y, flipped] = withConstant(a, 'xor');
    if (y && flipped !== undefined) return builder.icmp(relation, y, constant(a.type, bits ^ flipped));
    // Absent: if `a` is neither a difference nor an exclusive or, there are no such arguments.
    const [left, right] = (madeBy(a, 'isub') ?? madeBy(a, 'xor'))?.args ?? [];
    if (left && right && bits === 0n) return builder.icmp(relation, left, right);
  }
  const [narrow] = argsOf(a, 'zext');
  if (narrow) {
    if (bits <= onesOf(narrow.type)) return builder.icmp(unsigned[relation], narrow, constant(narrow.type, bits));
    // The constant is outside the range of the narrower type.
    return builder.bool(relate[relation](0n, bits, widthOf(a.type)));
  }
  const [number] = argsOf(a, 'sext');
  if (number === undefined || (!isEquality && !relation.startsWith('s'))) return undefined;
  const value = BigInt.asIntN(widthOf(a.type), bits);
  if (BigInt.asIntN(widthOf(number.type), value) !== value)
    return builder.bool(relate[relation](0n, bits, widthOf(a.type)));
  return builder.icmp(relation, number, constant(number.type, bits));
}

/**
 * Simplifies the comparison of a constant with a selection between constants: the result is the
 * selection's condition, its negation, or a constant.
 */
function ofSelection(builder: BaseBuilder, relation: IntegerRelation, a: Value, bits: bigint): Value | undefined {
  const extended = madeBy(a, 'zext')?.args[0];
  const [condition, then, otherwise] =
    extended?.type === 'i1' ? [extended, constant(a.type, 1n), constant(a.type, 0n)] : argsOf(a, 'select');
  const [first, second] = [constantOf(then), constantOf(otherwise)];
  if (condition === undefined || first === undefined || second === undefined) return undefined;
  const width = widthOf(a.type);
  const [whenTrue, whenFalse] = [relate[relation](first, bits, width), relate[relation](second, bits, width)];
  if (whenTrue === whenFalse) return builder.bool(whenTrue);
  return whenTrue ? condition : builder.not(condition);
}

function ofExtensions(builder: BaseBuilder, relation: IntegerRelation, a: Value, b: Value): Value | undefined {
  const [x, y] = [madeBy(a, 'zext')?.args[0], madeBy(b, 'zext')?.args[0]];
  if (x && y && x.type === y.type && x.type !== 'i1') return builder.icmp(unsigned[relation], x, y);
  const [s, t] = [madeBy(a, 'sext')?.args[0], madeBy(b, 'sext')?.args[0]];
  return s && t && s.type === t.type ? builder.icmp(relation, s, t) : undefined;
}

const selection: Rule<'select'> = (builder, [condition, a, b]) => {
  if (condition === undefined || a === undefined || b === undefined) return undefined;
  const known = constantOf(condition);
  if (known !== undefined) return known === 1n ? a : b;
  if (sameValue(a, b)) return a;
  const negated = complementOf(condition);
  if (negated) return builder.select(negated, b, a);
  const [x, y] = [constantOf(a), constantOf(b)];
  if (a.type === 'i1') {
    if (x === 1n) return y === 0n ? condition : builder.or(condition, b);
    if (y === 0n) return builder.and(condition, a);
    if (x === 0n) return builder.and(builder.not(condition), b);
    if (y === 1n) return builder.or(builder.not(condition), a);
    if (sameValue(condition, a)) return builder.or(condition, b);
    if (sameValue(condition, b)) return builder.and(condition, a);
  } else if (x === 1n && y === 0n && a.type.startsWith('i')) {
    return builder.resize(condition, a.type);
  }
  const [inner, then] = argsOf(a, 'select');
  if (inner && then && sameValue(inner, condition)) return builder.select(condition, then, b);
  const [other, , otherwise] = argsOf(b, 'select');
  return other && otherwise && sameValue(other, condition) ? builder.select(condition, a, otherwise) : undefined;
};

export const compareRules: Rules = { icmp: comparison, select: selection };
