// Approximating f32 instructions: within the error that PTX states, with its special cases.
import type { FloatRowName } from '../../isa/index.ts';
import { call, floatLiteral, hiddenFloat } from '../cast.ts';
import type { Expr, LowerContext } from '../expr.ts';
import type { HelperName } from '../helpers.ts';
import { floatSource, flushed, quotient, squareRoot } from './float.ts';
import { help, type LaneLowering } from './lowering.ts';

type Row = Extract<FloatRowName, `${string}.approx.f32`>;

/// By a function of the prelude in exact mode, by WGSL's own in fast mode.
function elementary(helper: HelperName, builtin: string): LaneLowering {
  return (ctx, mods, sources) => {
    const a = floatSource(ctx, mods, sources, 0);
    if (ctx.float.mode === 'fast') return [call(builtin, 'f32', unfolded(ctx, a))];
    const value = help(ctx, helper, 'f32', a);
    return [mods.ftz ? flushed(ctx, value) : value];
  };
}

/// WGSL would evaluate a builtin of a constant, and refuse what is out of its domain.
function unfolded(ctx: LowerContext, a: Expr): Expr {
  return a.constant === undefined ? a : hiddenFloat(ctx, a.constant);
}

export const approximateLowerings: Record<Row, LaneLowering> = {
  // The correctly rounded quotient is within 2 ulp, and costs little more than a guarded one.
  'div.approx.f32': (ctx, mods, sources) => {
    const [a, b] = [ctx.name(floatSource(ctx, mods, sources, 0)), ctx.name(floatSource(ctx, mods, sources, 1))];
    const exact = quotient(ctx, mods, a, b);
    if (mods.mode === 'full' || ctx.float.mode === 'fast') return [exact];
    return [help(ctx, 'f32_div_approx', 'f32', a, b, exact)];
  },

  'rcp.approx.f32': (ctx, mods, sources) => {
    const one = floatLiteral(ctx, 0x3f80_0000n);
    return [quotient(ctx, mods, one, floatSource(ctx, mods, sources, 0))];
  },

  'sqrt.approx.f32': (ctx, mods, sources) => {
    return [squareRoot(ctx, mods, floatSource(ctx, mods, sources, 0))];
  },

  'rsqrt.approx.f32': elementary('f32_rsqrt', 'inverseSqrt'),
  'sin.approx.f32': elementary('f32_sin', 'sin'),
  'cos.approx.f32': elementary('f32_cos', 'cos'),
  'lg2.approx.f32': elementary('f32_lg2', 'log2'),
  'ex2.approx.f32': elementary('f32_ex2', 'exp2'),
  'tanh.approx.f32': elementary('f32_tanh', 'tanh'),
};
