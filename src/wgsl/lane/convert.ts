// cvt between f32 and integers, and within f32. Between integers: convert-integer.ts.
import type { Mods, SelectRowName } from '../../isa/index.ts';
import { asF32, asI32, asU32, call, hiddenFloat, u32 } from '../cast.ts';
import type { Expr, LowerContext } from '../expr.ts';
import { zeroExtend } from '../ops.ts';
import { convertInteger, numberIn } from './convert-integer.ts';
import { canonical, floatResult, floatSource, roundingNumber } from './float.ts';
import { at, help, type IntegerType, integerType, type LaneLowering } from './lowering.ts';

type Row = Extract<SelectRowName, 'cvt'>;

/// The roundings to an integral value, as WGSL's builtins.
const integralBuiltins: Readonly<Record<string, string>> = { rni: 'round', rzi: 'trunc', rmi: 'floor', rpi: 'ceil' };

/// The value rounded to an integer by `.rni`, `.rzi`, `.rmi` or `.rpi`.
function integral(ctx: LowerContext, name: string, a: Expr): Expr {
  if (ctx.float.mode === 'exact') {
    return help(ctx, 'f32_integral', 'f32', a, u32(roundingNumber(name.slice(0, 2))));
  }
  const value = a.constant === undefined ? a : hiddenFloat(ctx, a.constant);
  return call(integralBuiltins[name] ?? 'trunc', 'f32', value);
}

function floatToInteger(ctx: LowerContext, mods: Mods, to: IntegerType, a: Expr): Expr {
  const rounding = mods.rnd ?? 'rzi';
  // Conversion itself truncates.
  const value = rounding === 'rzi' ? a : integral(ctx, rounding, a);
  if (to.bits === 64) return help(ctx, to.signed ? 'f32_to_s64' : 'f32_to_u64', 'vec2<u32>', value);
  if (to.signed) {
    const number = help(ctx, 'f32_to_s32', 'i32', value);
    if (to.bits === 32) return asU32(number);
    return zeroExtend(clampSigned(number, to.bits), to.bits);
  }
  const number = help(ctx, 'f32_to_u32', 'u32', value);
  return to.bits === 32 ? number : call('min', 'u32', number, u32(2 ** to.bits - 1));
}

function clampSigned(number: Expr, bits: number): Expr {
  const most = 2 ** (bits - 1) - 1;
  const bound = (value: number): Expr => asI32(u32(value >>> 0));
  return call('clamp', 'i32', number, bound(-most - 1), bound(most));
}

function integerToFloat(ctx: LowerContext, mods: Mods, from: IntegerType, a: Expr): Expr {
  const number = numberIn(from, a);
  const rounding = u32(roundingNumber(mods.rnd));
  if (from.bits === 64) return help(ctx, from.signed ? 'f32_from_s64' : 'f32_from_u64', 'f32', number, rounding);
  // Numbers of 8 and 16 bits are all f32 values.
  if (from.bits < 32 || (ctx.float.mode === 'fast' && rounding.constant === 0n)) return call('f32', 'f32', number);
  return help(ctx, from.signed ? 'f32_from_s32' : 'f32_from_u32', 'f32', asU32(number), rounding);
}

function floatToFloat(ctx: LowerContext, mods: Mods, a: Expr): Expr {
  if (mods.rnd && mods.rnd in integralBuiltins) return integral(ctx, mods.rnd, a);
  // A plain copy keeps a NaN's payload; NVIDIA hardware's flushing one does not.
  return mods.ftz ? canonical(ctx, a) : a;
}

export const convertLowerings: Record<Row, LaneLowering> = {
  cvt: (ctx, mods, sources) => {
    const a = at(sources, 0);
    if (mods.atype !== 'f32') {
      const from = integerType(mods.atype);
      if (mods.dtype === 'f32') return floatResult(ctx, mods, integerToFloat(ctx, mods, from, a));
      return [convertInteger(ctx, integerType(mods.dtype), from, a, mods.sat !== undefined)];
    }
    const value = floatSource(ctx, mods, sources, 0);
    if (mods.dtype !== 'f32') return [floatToInteger(ctx, mods, integerType(mods.dtype), asF32(ctx, value))];
    return floatResult(ctx, mods, floatToFloat(ctx, mods, value));
  },
};
