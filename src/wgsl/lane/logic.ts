// Logic and shifts.
import type { IntegerRowName } from '../../isa/index.ts';
import { asU32, high, infix, low, pair, u32, u64 } from '../cast.ts';
import type { Expr, LowerContext } from '../expr.ts';
import {
  and,
  bit,
  compareUnsigned,
  logic,
  negate,
  not,
  notWide,
  or,
  shiftLeft,
  shiftRight,
  shiftRightSigned,
  xor,
} from '../ops.ts';
import { at, extended, help, integerType, type LaneLowering, wrapped } from './lowering.ts';
import { formulaOf } from './truth-table.ts';

type Row = Extract<IntegerRowName, 'and' | 'or' | 'xor' | 'not' | 'cnot' | 'lop3' | 'shl' | 'shr' | 'shf'>;

const wordOps = { and, or, xor } as const;
const symbols = { and: '&', or: '|', xor: '^' } as const;
const folds = {
  and: (x: bigint, y: bigint) => x & y,
  or: (x: bigint, y: bigint) => x | y,
  xor: (x: bigint, y: bigint) => x ^ y,
} as const;

function bitwise(name: 'and' | 'or' | 'xor'): LaneLowering {
  return (_ctx, mods, sources) => {
    const [a, b] = [at(sources, 0), at(sources, 1)];
    if (mods.type === 'pred') return [logic(name, a, b)];
    if (mods.type !== 'b64') return [wordOps[name](a, b)];
    if (a.constant !== undefined && b.constant !== undefined) return [u64(folds[name](a.constant, b.constant))];
    return [infix(a, symbols[name], b, 'vec2<u32>')];
  };
}

/// A shift whose amount is known to be within the width needs no clamp.
function amountOf(e: Expr, limit: number): number | undefined {
  return e.constant === undefined ? undefined : Math.min(Number(e.constant), limit);
}

function shiftLeftWide(ctx: LowerContext, a: Expr, amount: Expr): Expr {
  const n = amountOf(amount, 64);
  if (n === undefined || a.constant !== undefined) return help(ctx, 'shl64', 'vec2<u32>', a, asU32(amount));
  if (n === 0) return a;
  if (n === 64) return u64(0n);
  const value = ctx.name(a);
  if (n >= 32) return pair(u32(0), shiftLeft(low(value), u32(n - 32)));
  const carried = shiftRight(low(value), u32(32 - n));
  return pair(shiftLeft(low(value), u32(n)), or(shiftLeft(high(value), u32(n)), carried));
}

function shiftRightWide(ctx: LowerContext, signed: boolean, a: Expr, amount: Expr): Expr {
  const n = amountOf(amount, signed ? 63 : 64);
  if (n === undefined || a.constant !== undefined) {
    return help(ctx, signed ? 'shr_s64' : 'shr_u64', 'vec2<u32>', a, asU32(amount));
  }
  if (n === 0) return a;
  if (n === 64) return u64(0n);
  const value = ctx.name(a);
  const top = (by: number): Expr => {
    return signed ? asU32(shiftRightSigned(high(value), u32(by))) : shiftRight(high(value), u32(by));
  };
  if (n >= 32) return pair(top(n - 32), signed ? top(31) : u32(0));
  return pair(or(shiftRight(low(value), u32(n)), shiftLeft(high(value), u32(32 - n))), top(n));
}

/// The value of a truth table of three words.
function tableValue(lut: number, words: readonly Expr[]): Expr {
  const formula = formulaOf(lut);
  switch (formula.kind) {
    case 'operand':
      return at(words, formula.index);
    case 'constant':
      return u32(formula.ones ? 0xffffffff : 0);
    case 'not':
      return not(tableValue(formula.of, words));
    default:
      return wordOps[formula.kind](tableValue(formula.left, words), tableValue(formula.right, words));
  }
}

export const logicLowerings: Record<Row, LaneLowering> = {
  and: bitwise('and'),
  or: bitwise('or'),
  xor: bitwise('xor'),

  not: (_ctx, mods, sources) => {
    const a = at(sources, 0);
    if (mods.type === 'pred') return [negate(a)];
    if (mods.type !== 'b64') return [wrapped(integerType(mods.type), not(a))];
    return [notWide(a)];
  },

  cnot: (ctx, mods, sources) => {
    if (mods.type !== 'b64') return [bit(compareUnsigned(at(sources, 0), '==', u32(0)))];
    const a = ctx.name(at(sources, 0));
    return [pair(bit(compareUnsigned(or(low(a), high(a)), '==', u32(0))), u32(0))];
  },

  lop3: (ctx, _mods, sources) => {
    const lut = at(sources, 3).constant;
    if (lut === undefined) throw new RangeError('the table of lop3 is an immediate');
    const words = [0, 1, 2].map((index) => ctx.name(asU32(at(sources, index))));
    return [tableValue(Number(lut & 0xffn), words)];
  },

  shl: (ctx, mods, sources) => {
    const [a, amount] = [at(sources, 0), asU32(at(sources, 1))];
    if (mods.type === 'b64') return [shiftLeftWide(ctx, a, amount)];
    const type = integerType(mods.type);
    const n = amountOf(amount, type.bits);
    if (n === type.bits) return [u32(0)];
    const shifted = n === undefined ? help(ctx, 'shl_clamp', 'u32', asU32(a), amount) : shiftLeft(a, u32(n));
    return [wrapped(type, shifted)];
  },

  shr: (ctx, mods, sources) => {
    const [a, amount] = [at(sources, 0), asU32(at(sources, 1))];
    const type = integerType(mods.type);
    if (type.bits === 64) return [shiftRightWide(ctx, type.signed, a, amount)];
    if (type.signed) {
      const value = extended(type, a);
      const n = amountOf(amount, 31);
      const shifted = n === undefined ? help(ctx, 'sar_clamp', 'i32', value, amount) : shiftRightSigned(value, u32(n));
      return [wrapped(type, shifted)];
    }
    const n = amountOf(amount, type.bits);
    if (n === type.bits) return [u32(0)];
    return [n === undefined ? help(ctx, 'shr_clamp', 'u32', asU32(a), amount) : shiftRight(a, u32(n))];
  },

  shf: (ctx, mods, sources) => {
    const left = mods.dir === 'l';
    const [a, b] = [asU32(at(sources, 0)), asU32(at(sources, 1))];
    const amount = mods.mode === 'wrap' ? and(at(sources, 2), u32(31)) : asU32(at(sources, 2));
    const n = amountOf(amount, 32);
    if (n === undefined) return [help(ctx, left ? 'funnel_left' : 'funnel_right', 'u32', a, b, amount)];
    if (n === 0) return [left ? b : a];
    if (n === 32) return [left ? a : b];
    const [right, far] = left ? [32 - n, n] : [n, 32 - n];
    return [or(shiftLeft(b, u32(far)), shiftRight(a, u32(right)))];
  },
};
