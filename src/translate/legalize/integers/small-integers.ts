// Integers of 8 and 16 bits in words, zero-extended. Results that may exceed the type's bits are
// truncated. Operands of signed operations are sign-extended first.
import { at } from '../../../base/invariants.ts';
import type { Builder } from '../../ir/builder.ts';
import { constant, constantOf, type Inst, type InstNamed, type Program, undef, type Value } from '../../ir/nodes.ts';
import { onesOf, type Type, widthOf } from '../../ir/types.ts';
import { type Contents, type Family, type Lower, type Lowering, lowerProgram, type Plain } from '../lowering.ts';

/** Truncates a word to the bits of a type. */
const cut = ({ builder }: Lowering, value: Value, type: Type): Value => builder.and(value, builder.i32(onesOf(type)));

/** Sign-extends a narrow value. */
function signed({ builder }: Lowering, value: Value, type: Type): Value {
  return builder.value('sbfe', {}, [value, builder.i32(0), builder.i32(widthOf(type))]);
}

const typeOf = (inst: Inst): Type => at(inst.args, 0, 'an operand').type;

type Op =
  | 'iadd'
  | 'isub'
  | 'imul'
  | 'and'
  | 'or'
  | 'xor'
  | 'umin'
  | 'umax'
  | 'smin'
  | 'smax'
  | 'udiv'
  | 'urem'
  | 'sdiv'
  | 'srem';

/**
 * Applies the same operation to words. `signs`: sign-extends the operands first; `carries`:
 * truncates the result.
 */
const asWords =
  (op: Op, signs: boolean, carries: boolean): Plain =>
  (lowering, inst) => {
    const type = typeOf(inst);
    const arg = (index: number) => {
      const value = lowering.arg(inst, index);
      return signs ? signed(lowering, value, type) : value;
    };
    const value = lowering.builder.value(op, {}, [arg(0), arg(1)]);
    return [carries ? cut(lowering, value, type) : value];
  };

/**
 * Lowers a quotient or remainder. The result exceeds the type's bits only if the divisor is zero.
 * So it is truncated only if the divisor may be zero. Absent: the divisor is not a constant.
 */
const divided =
  (op: 'udiv' | 'urem'): Plain =>
  (lowering, inst) =>
    asWords(op, false, (constantOf(inst.args[1]) ?? 0n) === 0n)(lowering, inst);

const highProduct =
  (signs: boolean): Plain =>
  (lowering, inst) => {
    const type = typeOf(inst);
    const { builder } = lowering;
    const arg = (index: number) => {
      const value = lowering.arg(inst, index);
      return signs ? signed(lowering, value, type) : value;
    };
    return [cut(lowering, builder.lshrw(builder.imul(arg(0), arg(1)), builder.i32(widthOf(type))), type)];
  };

/**
 * Lowers a shift. A shift of a word by the width of the narrow type or more also moves all bits out
 * of the low part.
 */
const shifted =
  (op: 'shl' | 'lshr' | 'ashr', modulo: boolean): Plain =>
  (lowering, inst) => {
    const type = typeOf(inst);
    const { builder } = lowering;
    const value = lowering.arg(inst, 0);
    const amount = modulo ? builder.and(lowering.arg(inst, 1), builder.i32(widthOf(type) - 1)) : lowering.arg(inst, 1);
    const result = builder[op](op === 'ashr' ? signed(lowering, value, type) : value, amount);
    return [op === 'lshr' ? result : cut(lowering, result, type)];
  };

const leadingZeros: Plain = (lowering, inst) => {
  const { builder } = lowering;
  return [builder.isub(builder.clz(lowering.arg(inst, 0)), builder.i32(32 - widthOf(typeOf(inst))))];
};

const turned: Plain = (lowering, inst) => {
  const { builder } = lowering;
  return [builder.lshrw(builder.bitreverse(lowering.arg(inst, 0)), builder.i32(32 - widthOf(typeOf(inst))))];
};

const field =
  (op: 'ubfe' | 'sbfe'): Plain =>
  (lowering, inst) => {
    const type = typeOf(inst);
    const [value, ...place] = lowering.args(inst);
    if (value === undefined) return undefined;
    const from = op === 'sbfe' ? signed(lowering, value, type) : value;
    const result = lowering.builder.value(op, {}, [from, ...place]);
    return [op === 'sbfe' ? cut(lowering, result, type) : result];
  };

const insertion: Plain = (lowering, inst) => [
  cut(lowering, lowering.builder.value('bfi', {}, lowering.args(inst)), typeOf(inst)),
];

const compared: Lower<'icmp'> = (lowering, inst) => {
  const { relation } = inst.attrs;
  const type = typeOf(inst);
  const arg = (index: number) => {
    const value = lowering.arg(inst, index);
    return relation.startsWith('s') ? signed(lowering, value, type) : value;
  };
  return [lowering.builder.icmp(relation, arg(0), arg(1))];
};

const extended = (isSigned: boolean) => (lowering: Lowering, inst: InstNamed<'zext'> | InstNamed<'sext'>) => {
  const { builder } = lowering;
  const { to } = inst.attrs;
  const from = typeOf(inst);
  const value = lowering.arg(inst, 0);
  // An i1 extends to 0 and 1. With a sign, it extends to 0 and all ones of the narrow type.
  if (from === 'i1')
    return [isSigned ? builder.select(value, builder.i32(onesOf(to)), builder.i32(0)) : builder.resize(value, 'i32')];
  const number = isSigned ? signed(lowering, value, from) : value;
  if (widthOf(to) < 32) return [isSigned ? cut(lowering, number, to) : number];
  return [builder.resize(number, to, isSigned)];
};

const truncated: Lower<'trunc'> = (lowering, inst) => {
  const { builder } = lowering;
  const { to } = inst.attrs;
  const word = builder.resize(lowering.arg(inst, 0), 'i32');
  return [
    to === 'i1' ? builder.icmp('ne', builder.and(word, builder.i32(1)), builder.i32(0)) : cut(lowering, word, to),
  ];
};

/** Combines two bytes or halves. */
const joined: Plain = (lowering, inst) => {
  const { builder } = lowering;
  const high = builder.shlw(lowering.arg(inst, 1), builder.i32(widthOf(typeOf(inst))));
  return [builder.or(lowering.arg(inst, 0), high)];
};

const split: Plain = (lowering, inst) => {
  const { builder } = lowering;
  const [half] = inst.results;
  const value = lowering.arg(inst, 0);
  if (half === undefined) return undefined;
  return [cut(lowering, value, half.type), builder.lshrw(value, builder.i32(widthOf(half.type)))];
};

const family: Family = {
  parts: (type) => (type === 'i8' || type === 'i16' ? ['i32'] : undefined),
  literal: (value) => [value.kind === 'constant' ? constant('i32', value.bits) : undef('i32')],
  rules: {
    iadd: asWords('iadd', false, true),
    isub: asWords('isub', false, true),
    imul: asWords('imul', false, true),
    umulhi: highProduct(false),
    smulhi: highProduct(true),
    udiv: divided('udiv'),
    urem: divided('urem'),
    sdiv: asWords('sdiv', true, true),
    srem: asWords('srem', true, true),
    and: asWords('and', false, false),
    or: asWords('or', false, false),
    xor: asWords('xor', false, false),
    shl: shifted('shl', false),
    lshr: shifted('lshr', false),
    ashr: shifted('ashr', false),
    shlw: shifted('shl', true),
    lshrw: shifted('lshr', true),
    ashrw: shifted('ashr', true),
    umin: asWords('umin', false, false),
    umax: asWords('umax', false, false),
    smin: asWords('smin', true, true),
    smax: asWords('smax', true, true),
    popcount: (lowering, inst) => [lowering.builder.popcount(lowering.arg(inst, 0))],
    clz: leadingZeros,
    bitreverse: turned,
    ubfe: field('ubfe'),
    sbfe: field('sbfe'),
    bfi: insertion,
    icmp: compared,
    zext: extended(false),
    sext: extended(true),
    trunc: truncated,
    join: joined,
    split,
  },
};

export const legalizeSmallIntegers = (program: Program, builder: Builder, contents?: Contents): void =>
  lowerProgram(program, builder, family, contents);
