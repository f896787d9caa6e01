// What a lowering of a lane instruction is, and the small readings of types that they share.
import type { Mods } from '../../isa/index.ts';
import { asU32, call, low, u64 } from '../cast.ts';
import type { Expr, LowerContext } from '../expr.ts';
import type { HelperName } from '../helpers.ts';
import { signExtend, zeroExtend } from '../ops.ts';

/// Sources in the order of the row's syntax (absent where optional and not given; the carry flag, 0 or 1, last) to
/// results in that order (the carry flag last). Results are pure: one that is not used need not be written.
export type LaneLowering = (ctx: LowerContext, mods: Mods, sources: readonly Expr[]) => readonly Expr[];

export interface IntegerType {
  readonly signed: boolean;
  readonly bits: 8 | 16 | 32 | 64;
}

/// Reads `u16`, `s32`, `b64` and the like. Throws for a type that is no integer.
export function integerType(name: string | undefined): IntegerType {
  const bits = Number(name?.slice(1));
  if (name && /^[bus]/.test(name) && (bits === 8 || bits === 16 || bits === 32 || bits === 64)) {
    return { signed: name.startsWith('s'), bits };
  }
  throw new RangeError(`no integer type: ${name}`);
}

/// The source at an index. Throws where the instruction has fewer.
export function at(sources: readonly Expr[], index: number): Expr {
  const source = sources[index];
  if (!source) throw new RangeError(`operand ${index + 1} is missing`);
  return source;
}

/// A call of a function of the prelude.
export function help(ctx: LowerContext, name: HelperName, type: Expr['type'], ...args: readonly Expr[]): Expr {
  return call(ctx.use(name), type, ...args);
}

/// Calls a function of the prelude on 64-bit values, unless they are known: then `fold` gives the answer.
export function wide(ctx: LowerContext, name: HelperName, fold: (...args: bigint[]) => bigint, ...args: Expr[]): Expr {
  const known = args.flatMap((arg) => (arg.constant === undefined ? [] : [arg.constant]));
  if (known.length === args.length) return u64(fold(...known));
  return help(ctx, name, 'vec2<u32>', ...args);
}

/// An 8- to 32-bit operand as the number it stands for: an i32 or a u32.
export function extended(type: IntegerType, e: Expr): Expr {
  if (type.signed) return signExtend(e, type.bits);
  return asU32(e);
}

/// What a register of this width holds of a 32-bit result.
export function wrapped(type: IntegerType, e: Expr): Expr {
  return type.bits < 32 ? zeroExtend(e, type.bits) : asU32(e);
}

/// The low word of a 64-bit value, or the value.
export function word(e: Expr): Expr {
  return e.type === 'vec2<u32>' ? low(e) : asU32(e);
}
