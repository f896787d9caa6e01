// Integer arithmetic: sums, products, quotients, extremes.
import type { IntegerRowName } from '../../isa/index.ts';
import { asI32, asU32, high, infix, low, pair, select, u32 } from '../cast.ts';
import type { Expr, LowerContext } from '../expr.ts';
import {
  add,
  bit,
  compareSigned,
  compareUnsigned,
  extremeSigned,
  extremeUnsigned,
  mul,
  negate,
  not,
  notWide,
  or,
  shiftLeft,
  shiftRight,
  signExtend,
  sub,
  zeroExtend,
} from '../ops.ts';
import { at, extended, help, type IntegerType, integerType, type LaneLowering, wide, wrapped } from './lowering.ts';

type Row = Extract<
  IntegerRowName,
  | ('add' | 'sub' | 'mul' | 'mul.wide' | 'mad' | 'mad.wide' | 'mul24' | 'mad24' | 'sad' | 'div' | 'rem')
  | ('abs' | 'neg' | 'min' | 'max' | 'dp4a' | 'dp2a')
>;

/// a + b in the type's width, wrapping.
export function sum(ctx: LowerContext, type: IntegerType, a: Expr, b: Expr): Expr {
  if (type.bits < 64) return wrapped(type, add(a, b));
  if (a.constant === 0n) return b;
  if (b.constant === 0n) return a;
  return wide(ctx, 'add64', (x = 0n, y = 0n) => x + y, a, b);
}

/// a - b in the type's width, wrapping.
export function difference(ctx: LowerContext, type: IntegerType, a: Expr, b: Expr): Expr {
  if (type.bits < 64) return wrapped(type, sub(a, b));
  if (b.constant === 0n) return a;
  return wide(ctx, 'sub64', (x = 0n, y = 0n) => x - y, a, b);
}

/// The product of two words, 64 bits wide.
function wideProduct(ctx: LowerContext, signed: boolean, a: Expr, b: Expr): Expr {
  if (signed) {
    const number = (x: bigint): bigint => BigInt.asIntN(32, x);
    return wide(ctx, 'mul_wide_s32', (x = 0n, y = 0n) => number(x) * number(y), asU32(a), asU32(b));
  }
  return wide(ctx, 'mul_wide_u32', (x = 0n, y = 0n) => x * y, asU32(a), asU32(b));
}

/// The low or high half of the product, in the type's width.
export function product(ctx: LowerContext, type: IntegerType, half: string | undefined, a: Expr, b: Expr): Expr {
  const { bits, signed } = type;
  if (bits === 64) {
    const number = (x: bigint): bigint => (signed ? BigInt.asIntN(64, x) : x);
    if (half === 'lo') return wide(ctx, 'mul64', (x = 0n, y = 0n) => x * y, a, b);
    const name = signed ? 'mul_hi_s64' : 'mul_hi_u64';
    return wide(ctx, name, (x = 0n, y = 0n) => (number(x) * number(y)) >> 64n, a, b);
  }
  if (half === 'lo') return wrapped(type, mul(a, b));
  // The product of 16-bit numbers fits a word.
  if (bits < 32) return shiftRight(mul(asU32(extended(type, a)), asU32(extended(type, b))), u32(bits));
  if (a.constant !== undefined && b.constant !== undefined) return high(wideProduct(ctx, signed, a, b));
  return help(ctx, signed ? 'mul_hi_s32' : 'mul_hi_u32', 'u32', asU32(a), asU32(b));
}

/// The product, twice as wide as the type.
function wideningProduct(ctx: LowerContext, type: IntegerType, a: Expr, b: Expr): Expr {
  if (type.bits < 32) return mul(asU32(extended(type, a)), asU32(extended(type, b)));
  return wideProduct(ctx, type.signed, a, b);
}

/// Bits 31..0 or 47..16 of the product of the operands' low 24 bits.
function product24(ctx: LowerContext, signed: boolean, half: string | undefined, a: Expr, b: Expr): Expr {
  const operand = (e: Expr): Expr => (signed ? asU32(signExtend(e, 24)) : zeroExtend(e, 24));
  if (half === 'lo') return mul(operand(a), operand(b));
  const whole = ctx.name(wideProduct(ctx, signed, operand(a), operand(b)));
  return or(shiftRight(low(whole), u32(16)), shiftLeft(high(whole), u32(16)));
}

function plusSaturated(ctx: LowerContext, a: Expr, b: Expr): Expr {
  return help(ctx, 'add_sat_s32', 'u32', asU32(a), asU32(b));
}

function distance(ctx: LowerContext, type: IntegerType, a: Expr, b: Expr): Expr {
  if (type.bits === 64) {
    const extreme = (name: 'min' | 'max'): Expr => help(ctx, `${name}_${type.signed ? 's' : 'u'}64`, 'vec2<u32>', a, b);
    return help(ctx, 'sub64', 'vec2<u32>', extreme('max'), extreme('min'));
  }
  const name = type.signed ? 'abs_diff_s32' : 'abs_diff_u32';
  return help(ctx, name, 'u32', asU32(extended(type, a)), asU32(extended(type, b)));
}

function quotient(name: 'div' | 'rem'): LaneLowering {
  return (ctx, mods, sources) => {
    const type = integerType(mods.type);
    const [a, b] = [at(sources, 0), at(sources, 1)];
    const sign = type.signed ? 's' : 'u';
    if (type.bits === 64) return [help(ctx, `${name}_${sign}64`, 'vec2<u32>', a, b)];
    const [x, y] = [asU32(extended(type, a)), asU32(extended(type, b))];
    if (!type.signed && y.constant !== undefined && y.constant !== 0n && x.constant === undefined) {
      return [infix(x, name === 'div' ? '/' : '%', y, 'u32')];
    }
    if (x.constant !== undefined && y.constant !== undefined && y.constant !== 0n) {
      const number = (bits: bigint): bigint => (type.signed ? BigInt.asIntN(32, bits) : bits);
      const [n, d] = [number(x.constant), number(y.constant)];
      return [wrapped(type, u32(name === 'div' ? n / d : n % d))];
    }
    return [wrapped(type, help(ctx, `${name}_${sign}32`, 'u32', x, y))];
  };
}

function extreme(name: 'min' | 'max'): LaneLowering {
  return (ctx, mods, sources) => {
    const type = integerType(mods.type);
    const [a, b] = [at(sources, 0), at(sources, 1)];
    if (type.bits === 64) return [help(ctx, `${name}_${type.signed ? 's' : 'u'}64`, 'vec2<u32>', a, b)];
    if (!type.signed) return [extremeUnsigned(name, a, b)];
    const chosen = extremeSigned(name, extended(type, a), extended(type, b));
    return [wrapped(type, mods.relu ? extremeSigned('max', chosen, asI32(u32(0))) : chosen)];
  };
}

function negated(ctx: LowerContext, type: IntegerType, a: Expr): Expr {
  if (type.bits === 64) return wide(ctx, 'neg64', (x = 0n) => -x, a);
  return wrapped(type, sub(u32(0), a));
}

function absolute(ctx: LowerContext, type: IntegerType, a: Expr): Expr {
  if (type.bits === 64) return help(ctx, 'abs_s64', 'vec2<u32>', a);
  const value = ctx.name(asU32(extended(type, a)));
  return wrapped(type, select(compareSigned(value, '<', u32(0)), sub(u32(0), value), value));
}

function dotSigns(mods: Readonly<Record<string, string>>): 'uu' | 'us' | 'su' | 'ss' {
  const b = mods.btype === 's32' ? 's' : 'u';
  return mods.atype === 's32' ? `s${b}` : `u${b}`;
}

export const arithmeticLowerings: Record<Row, LaneLowering> = {
  add: (ctx, mods, sources) => {
    const [a, b] = [at(sources, 0), at(sources, 1)];
    return [mods.sat ? plusSaturated(ctx, a, b) : sum(ctx, integerType(mods.type), a, b)];
  },

  sub: (ctx, mods, sources) => {
    const [a, b] = [at(sources, 0), at(sources, 1)];
    if (mods.sat) return [help(ctx, 'sub_sat_s32', 'u32', asU32(a), asU32(b))];
    return [difference(ctx, integerType(mods.type), a, b)];
  },

  mul: (ctx, mods, sources) => [product(ctx, integerType(mods.type), mods.half, at(sources, 0), at(sources, 1))],

  'mul.wide': (ctx, mods, sources) => [wideningProduct(ctx, integerType(mods.type), at(sources, 0), at(sources, 1))],

  mad: (ctx, mods, sources) => {
    const type = integerType(mods.type);
    const whole = product(ctx, type, mods.half, at(sources, 0), at(sources, 1));
    return [mods.sat ? plusSaturated(ctx, whole, at(sources, 2)) : sum(ctx, type, whole, at(sources, 2))];
  },

  'mad.wide': (ctx, mods, sources) => {
    const type = integerType(mods.type);
    const whole = wideningProduct(ctx, type, at(sources, 0), at(sources, 1));
    return [sum(ctx, { signed: type.signed, bits: type.bits === 16 ? 32 : 64 }, whole, at(sources, 2))];
  },

  mul24: (ctx, mods, sources) => {
    return [product24(ctx, mods.type === 's32', mods.half, at(sources, 0), at(sources, 1))];
  },

  mad24: (ctx, mods, sources) => {
    const whole = product24(ctx, mods.type === 's32', mods.half, at(sources, 0), at(sources, 1));
    return [mods.sat ? plusSaturated(ctx, whole, at(sources, 2)) : add(whole, at(sources, 2))];
  },

  sad: (ctx, mods, sources) => {
    const type = integerType(mods.type);
    return [sum(ctx, type, at(sources, 2), distance(ctx, type, at(sources, 0), at(sources, 1)))];
  },

  div: quotient('div'),
  rem: quotient('rem'),
  abs: (ctx, mods, sources) => [absolute(ctx, integerType(mods.type), at(sources, 0))],
  neg: (ctx, mods, sources) => [negated(ctx, integerType(mods.type), at(sources, 0))],
  min: extreme('min'),
  max: extreme('max'),

  dp4a: (ctx, mods, sources) => {
    const dot = help(ctx, `dp4a_${dotSigns(mods)}`, 'u32', asU32(at(sources, 0)), asU32(at(sources, 1)));
    return [add(dot, at(sources, 2))];
  },

  dp2a: (ctx, mods, sources) => {
    const b = mods.half === 'hi' ? shiftRight(at(sources, 1), u32(16)) : asU32(at(sources, 1));
    return [add(help(ctx, `dp2a_${dotSigns(mods)}`, 'u32', asU32(at(sources, 0)), b), at(sources, 2))];
  },
};

/// d = a + b + carry and the carry out of it.
export function sumWithCarry(ctx: LowerContext, type: IntegerType, a: Expr, b: Expr, carry?: Expr): [Expr, Expr] {
  const first = ctx.name(sum(ctx, type, a, b));
  const overflow = below(ctx, type, first, a);
  if (!carry) return [first, bit(overflow)];
  const second = ctx.name(sum(ctx, type, first, type.bits === 64 ? pair(carry, u32(0)) : asU32(carry)));
  return [second, or(bit(overflow), bit(below(ctx, type, second, first)))];
}

/// d = a + ~b + carry and the carry out of it; the carry is 1, and d the difference, where none is given.
export function differenceWithCarry(
  ctx: LowerContext,
  type: IntegerType,
  a: Expr,
  b: Expr,
  carry?: Expr,
): [Expr, Expr] {
  if (carry) return sumWithCarry(ctx, type, a, type.bits === 64 ? notWide(b) : not(b), carry);
  const enough = type.bits === 64 ? negate(below(ctx, type, a, b)) : compareUnsigned(a, '>=', b);
  return [difference(ctx, type, a, b), bit(enough)];
}

function below(ctx: LowerContext, type: IntegerType, a: Expr, b: Expr): Expr {
  return type.bits === 64 ? help(ctx, 'lt_u64', 'bool', a, b) : compareUnsigned(a, '<', b);
}
