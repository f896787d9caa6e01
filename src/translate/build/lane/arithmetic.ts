// Integer arithmetic: sums, products, quotients, minima and maxima.
import type { IntegerRowName, Mods } from '../../../isa/index.ts';
import type { Builder } from '../../ir/builder.ts';
import type { Value } from '../../ir/nodes.ts';
import type { HelperCall } from '../../ir/operations.ts';
import { integerOf, widthOf } from '../../ir/types.ts';
import { argAt, binary, choice, helper, type LaneBuild, type LaneRow, numberType, unary } from './row.ts';

type Row = Extract<
  IntegerRowName,
  | ('add' | 'sub' | 'mul' | 'mul.wide' | 'mad' | 'mad.wide' | 'mul24' | 'mad24' | 'sad' | 'div' | 'rem')
  | ('abs' | 'neg' | 'min' | 'max' | 'dp4a' | 'dp2a')
>;

type Binary = (b: Builder, x: Value, y: Value) => Value;

const addSaturated = helper('add_sat_s32', ['u32', 'u32'], 'u32');
const subtractSaturated = helper('sub_sat_s32', ['u32', 'u32'], 'u32');
const plus: Binary = (b, x, y) => b.iadd(x, y);

/** Builds the low or high half of the product. */
export function product(mods: Mods): Binary {
  if (mods.half === 'lo') return (b, x, y) => b.imul(x, y);
  return numberType(mods.type).signed ? (b, x, y) => b.smulhi(x, y) : (b, x, y) => b.umulhi(x, y);
}

/** Builds the full product, twice as wide as the type. */
function wideProduct(mods: Mods): Binary {
  const { type, signed } = numberType(mods.type);
  const wide = integerOf(2 * widthOf(type));
  return (b, x, y) => b.imul(b.resize(x, wide, signed), b.resize(y, wide, signed));
}

/** Builds bits 31..0 or 47..16 of the product of the operands' low 24 bits. */
function product24(mods: Mods): Binary {
  const { signed } = numberType(mods.type);
  const operand = (b: Builder, x: Value): Value =>
    signed ? b.ashrw(b.shlw(x, b.i32(8)), b.i32(8)) : b.and(x, b.i32(0xff_ffff));
  if (mods.half === 'lo') return (b, x, y) => b.imul(operand(b, x), operand(b, y));
  return (b, x, y) => {
    const whole = b.imul(b.resize(operand(b, x), 'i64', signed), b.resize(operand(b, y), 'i64', signed));
    return b.resize(b.lshrw(whole, b.i32(16)), 'i32');
  };
}

/** Builds a product, and its sum with a third operand. */
function multiplyAdd(multiply: Binary, add: Binary): LaneBuild {
  return (b, args) => [add(b, multiply(b, argAt(args, 0), argAt(args, 1)), argAt(args, 2))];
}

const quotient =
  (unsignedOp: 'udiv' | 'urem', signedOp: 'sdiv' | 'srem'): LaneRow =>
  ({ type }) => {
    const op = numberType(type).signed ? signedOp : unsignedOp;
    return binary((b, x, y) => b.div(op, x, y));
  };

/** Builds a minimum or maximum. With `.relu`, negative results become zero. */
function extreme(mods: Mods, signed: Binary, unsigned: Binary): LaneBuild {
  if (!numberType(mods.type).signed) return binary(unsigned);
  if (mods.relu === undefined) return binary(signed);
  return binary((b, x, y) => b.smax(signed(b, x, y), b.i32(0)));
}

/** The prelude functions for sums of products of elements, by the signs of the operands. */
const dotProducts: Readonly<Record<string, readonly [HelperCall['name'], HelperCall['name']]>> = {
  'u32 u32': ['dp4a_uu', 'dp2a_uu'],
  'u32 s32': ['dp4a_us', 'dp2a_us'],
  's32 u32': ['dp4a_su', 'dp2a_su'],
  's32 s32': ['dp4a_ss', 'dp2a_ss'],
};

const dotProduct = (pieces: 0 | 1, { atype, btype }: Mods) =>
  helper(choice(dotProducts, `${atype} ${btype}`)[pieces], ['u32', 'u32'], 'u32');

export const arithmeticRows: Readonly<Record<Row, LaneRow>> = {
  add: ({ sat }) => binary(sat === undefined ? plus : addSaturated),
  sub: ({ sat }) => binary(sat === undefined ? (b, x, y) => b.isub(x, y) : subtractSaturated),
  mul: (mods) => binary(product(mods)),
  'mul.wide': (mods) => binary(wideProduct(mods)),
  mad: (mods) => multiplyAdd(product(mods), mods.sat === undefined ? plus : addSaturated),
  'mad.wide': (mods) => multiplyAdd(wideProduct(mods), plus),
  mul24: (mods) => binary(product24(mods)),
  mad24: (mods) => multiplyAdd(product24(mods), mods.sat === undefined ? plus : addSaturated),

  sad: ({ type }) => {
    const { signed } = numberType(type);
    return (b, args) => {
      const [x, y] = [argAt(args, 0), argAt(args, 1)];
      const distance = signed ? b.isub(b.smax(x, y), b.smin(x, y)) : b.isub(b.umax(x, y), b.umin(x, y));
      return [b.iadd(distance, argAt(args, 2))];
    };
  },

  div: quotient('udiv', 'sdiv'),
  rem: quotient('urem', 'srem'),
  // The smallest number stays unchanged, because its negation wraps.
  abs: () => unary((b, x) => b.smax(x, b.neg(x))),
  neg: () => unary((b, x) => b.neg(x)),
  min: (mods) =>
    extreme(
      mods,
      (b, x, y) => b.smin(x, y),
      (b, x, y) => b.umin(x, y),
    ),
  max: (mods) =>
    extreme(
      mods,
      (b, x, y) => b.smax(x, y),
      (b, x, y) => b.umax(x, y),
    ),

  dp4a: (mods) => {
    const dot = dotProduct(0, mods);
    return (b, args) => [b.iadd(dot(b, argAt(args, 0), argAt(args, 1)), argAt(args, 2))];
  },

  dp2a: (mods) => {
    const dot = dotProduct(1, mods);
    const { half } = mods;
    return (b, args) => {
      const bytes = half === 'hi' ? b.lshrw(argAt(args, 1), b.i32(16)) : argAt(args, 1);
      return [b.iadd(dot(b, argAt(args, 0), bytes), argAt(args, 2))];
    };
  },
};
