// cvt between integer types: extension, truncation, saturation.
import { asI32, asU32, i32, low, pair, u32, u64 } from '../cast.ts';
import type { Expr, LowerContext } from '../expr.ts';
import { extremeSigned, extremeUnsigned, shiftRightSigned, signExtend, zeroExtend } from '../ops.ts';
import { help, type IntegerType, word } from './lowering.ts';

/// The least and the greatest number of a type.
function range({ signed, bits }: IntegerType): readonly [bigint, bigint] {
  const width = BigInt(bits);
  return signed ? [-(1n << (width - 1n)), (1n << (width - 1n)) - 1n] : [0n, (1n << width) - 1n];
}

/// The number that a register holds for its type: of a wider register the type's low bits count.
export function numberIn(type: IntegerType, e: Expr): Expr {
  if (type.bits === 64) return e;
  return type.signed ? signExtend(word(e), type.bits) : zeroExtend(word(e), type.bits);
}

/// A number of an 8- to 32-bit type in 64 bits.
export function widened(ctx: LowerContext, type: IntegerType, value: Expr): Expr {
  if (type.bits === 64) return value;
  if (!type.signed) return pair(value, u32(0));
  const named = ctx.name(value);
  return pair(asU32(named), asU32(shiftRightSigned(named, u32(31))));
}

/// Brings a number of one type to another, wrapping or (`saturate`) clamping.
export function convertInteger(
  ctx: LowerContext,
  to: IntegerType,
  from: IntegerType,
  a: Expr,
  saturate: boolean,
): Expr {
  const value = numberIn(from, a);
  const clamped = saturate ? clampInteger(ctx, to, from, value) : value;
  if (to.bits === 64) return clamped.type === 'vec2<u32>' ? clamped : widened(ctx, from, clamped);
  const narrow = clamped.type === 'vec2<u32>' ? low(clamped) : asU32(clamped);
  // What was extended from fewer bits without a sign, or clamped to them, has no more.
  if (to.bits === 32 || (!from.signed && from.bits <= to.bits)) return narrow;
  return zeroExtend(narrow, to.bits);
}

function clampInteger(ctx: LowerContext, to: IntegerType, from: IntegerType, value: Expr): Expr {
  const [least, most] = range(to);
  const [smallest, greatest] = range(from);
  let result = value;
  if (smallest < least) result = bounded(ctx, 'max', from, result, least);
  if (greatest > most) result = bounded(ctx, 'min', from, result, most);
  return result;
}

function bounded(ctx: LowerContext, name: 'min' | 'max', type: IntegerType, value: Expr, bound: bigint): Expr {
  if (type.bits === 64) return help(ctx, `${name}_${type.signed ? 's' : 'u'}64`, 'vec2<u32>', value, u64(bound));
  if (!type.signed) return extremeUnsigned(name, value, u32(bound));
  return extremeSigned(name, asI32(value), i32(Number(bound)));
}
