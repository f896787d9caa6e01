// f32 arithmetic. In exact mode every result has PTX's bits: from hardware where the adapter's profile vouches for it,
// behind a guard where only subnormals are wrong, else from integers.

import type { FloatProfile } from '../../base/float-profile.ts';
import type { FloatRowName, Mods } from '../../isa/index.ts';
import { asF32, asU32, call, floatLiteral, hiddenFloat, infix, u32 } from '../cast.ts';
import type { Expr, LowerContext } from '../expr.ts';
import type { HelperName } from '../helpers.ts';
import { and, compareUnsigned, logic, negate, or, xor } from '../ops.ts';
import { at, help, type LaneLowering } from './lowering.ts';

type Row = Extract<
  FloatRowName,
  | ('add.f32' | 'sub.f32' | 'mul.f32' | 'fma.f32' | 'mad.f32' | 'div.f32' | 'rcp.f32' | 'sqrt.f32')
  | ('abs.f32' | 'neg.f32' | 'min.f32' | 'max.f32' | 'copysign.f32' | 'testp.f32')
>;

const SIGN = u32(0x8000_0000);
const MAGNITUDE = u32(0x7fff_ffff);

const roundings: Readonly<Record<string, number>> = { rn: 0, rz: 1, rm: 2, rp: 3 };

/// The number that the integer paths know a rounding by. Throws for a modifier that is none.
export function roundingNumber(name: string | undefined): number {
  const number = roundings[name ?? 'rn'];
  if (number === undefined) throw new RangeError(`no rounding: ${name}`);
  return number;
}

/// Added to a rounding's number: subnormal results become zero.
const FLUSH = 4;

/// An f32 operand; with `.ftz`, zero in place of a subnormal one.
export function floatSource(ctx: LowerContext, mods: Mods, sources: readonly Expr[], index: number): Expr {
  const value = asF32(ctx, at(sources, index));
  return mods.ftz ? flushed(ctx, value) : value;
}

/// Zero in place of a subnormal value, keeping the sign.
export function flushed(ctx: LowerContext, value: Expr): Expr {
  if (value.constant === undefined) return help(ctx, 'f32_flush', 'f32', value);
  const isSubnormal = (value.constant & 0x7f80_0000n) === 0n;
  return isSubnormal ? floatLiteral(ctx, value.constant & 0x8000_0000n) : value;
}

/// An f32 result; with `.sat`, clamped to [0, 1].
export function floatResult(ctx: LowerContext, mods: Mods, value: Expr): readonly [Expr] {
  return [mods.sat ? help(ctx, 'f32_saturate', 'f32', value) : value];
}

/// Operands of hardware arithmetic: were all constants, WGSL would evaluate it, and refuse an overflow.
function hardwareOperands(ctx: LowerContext, operands: readonly Expr[]): readonly Expr[] {
  if (operands.some((operand) => operand.constant === undefined)) return operands;
  return operands.map((operand) => hiddenFloat(ctx, operand.constant ?? 0n));
}

/// Arithmetic by integers, with any rounding.
function soft(ctx: LowerContext, name: HelperName, mods: Mods, operands: readonly Expr[]): Expr {
  const rounding = u32(roundingNumber(mods.rnd) + (mods.ftz ? FLUSH : 0));
  return asF32(ctx, help(ctx, name, 'u32', ...operands.map(asU32), rounding));
}

/// What hardware offers for an operation, and how far it can be trusted.
interface Operation {
  readonly operands: number;
  readonly soft: HelperName;
  /// Hardware behind a guard against subnormals; none where hardware is never trusted.
  readonly guarded?: HelperName;
  /// The same, with `.ftz`.
  readonly flushing?: HelperName;
  readonly hardware: (operands: readonly Expr[]) => Expr;
  /// Whether hardware rounds correctly on this adapter, subnormals aside.
  readonly isExact: (float: FloatProfile) => boolean;
}

const infixOf = (op: string) => (operands: readonly Expr[]) => infix(at(operands, 0), op, at(operands, 1), 'f32');
const callOf = (name: string) => (operands: readonly Expr[]) => call(name, 'f32', ...operands);

const add: Operation = {
  operands: 2,
  soft: 'soft_add',
  guarded: 'f32_add',
  flushing: 'f32_add_ftz',
  hardware: infixOf('+'),
  isExact: () => true,
};
const sub: Operation = {
  ...add,
  soft: 'soft_sub',
  guarded: 'f32_sub',
  flushing: 'f32_sub_ftz',
  hardware: infixOf('-'),
};
const mul: Operation = {
  operands: 2,
  soft: 'soft_mul',
  guarded: 'f32_mul',
  flushing: 'f32_mul_ftz',
  hardware: infixOf('*'),
  // Some compilers contract products into later sums, so that they are never rounded; a product behind the guard is safe, where measured.
  isExact: (float) => !float.contracts,
};
const fma: Operation = {
  operands: 3,
  soft: 'soft_fma',
  guarded: 'f32_fma',
  flushing: 'f32_fma_ftz',
  hardware: callOf('fma'),
  isExact: (float) => float.fma === 'fused',
};
const div: Operation = {
  operands: 2,
  soft: 'soft_div',
  hardware: infixOf('/'),
  // Also an adapter that divides exactly may have a compiler that multiplies by the reciprocal where it knows the
  // divisor (seen on SwiftShader). The integer path takes hardware's quotient for an estimate only.
  isExact: () => false,
};
const sqrt: Operation = {
  operands: 1,
  soft: 'soft_sqrt',
  guarded: 'f32_sqrt',
  // No root is subnormal.
  flushing: 'f32_sqrt',
  hardware: callOf('sqrt'),
  isExact: (float) => float.sqrt === 'exact',
};

const isZero = ({ constant }: Expr): boolean => constant !== undefined && (constant & 0x7fff_ffffn) === 0n;

function compute(ctx: LowerContext, operation: Operation, mods: Mods, operands: readonly Expr[]): Expr {
  const toNearest = roundingNumber(mods.rnd) === 0;
  // Compilers take `fma(x, 0.0, c)` for c, also where x is infinite, and such a result looks ordinary.
  const vanishes = operation.operands === 3 && operands.slice(0, 2).some(isZero);
  if (toNearest && ctx.float.mode === 'fast') return operation.hardware(hardwareOperands(ctx, operands));
  // The guard is there even where subnormals are kept: it also sends NaNs to the integer path, and the zeros that a
  // compiler gets from `x + 0.0` or `x * 0.0` without a thought for signs and infinities.
  const trusted = mods.ftz ? operation.flushing : operation.guarded;
  // No hardware path rounds other than to nearest.
  if (toNearest && trusted && !vanishes && operation.isExact(ctx.float)) return help(ctx, trusted, 'f32', ...operands);
  return soft(ctx, operation.soft, mods, operands);
}

/// The lowering of a correctly rounded operation.
function rounded(operation: Operation): LaneLowering {
  return (ctx, mods, sources) => {
    const operands = Array.from({ length: operation.operands }, (_, i) => floatSource(ctx, mods, sources, i));
    return floatResult(ctx, mods, compute(ctx, operation, mods, operands));
  };
}

/// The correctly rounded quotient, which div.approx and rcp.approx take too.
export function quotient(ctx: LowerContext, mods: Mods, a: Expr, b: Expr): Expr {
  return compute(ctx, div, mods, [a, b]);
}

/// The correctly rounded square root.
export function squareRoot(ctx: LowerContext, mods: Mods, a: Expr): Expr {
  return compute(ctx, sqrt, mods, [a]);
}

function extreme(name: 'min' | 'max'): LaneLowering {
  return (ctx, mods, sources) => {
    const inputs = sources.map((_, index) => ctx.name(floatSource(ctx, mods, sources, index)));
    const compared = mods.abs ? inputs.map((input) => asF32(ctx, and(input, MAGNITUDE))) : inputs;
    const helper: HelperName = mods.NaN ? `f32_${name}_nan` : `f32_${name}`;
    // WGSL's own may take either operand where one is a NaN or both are zeros.
    const fast = ctx.float.mode === 'fast' && !mods.NaN;
    const result = compared.reduce((a, b) => (fast ? call(name, 'f32', a, b) : help(ctx, helper, 'f32', a, b)));
    if (!mods.xorsign) return [result];
    const sign = inputs.map(asU32).reduce((a, b) => xor(a, b));
    return [help(ctx, 'f32_with_sign', 'f32', result, sign)];
  };
}

/// On bits, since WGSL's own may flush a subnormal value. NVIDIA hardware makes a NaN the canonical one here, too.
function signChange(change: (bits: Expr) => Expr): LaneLowering {
  return (ctx, mods, sources) => {
    const changed = asF32(ctx, change(floatSource(ctx, mods, sources, 0)));
    return [ctx.float.mode === 'fast' ? changed : canonical(ctx, changed)];
  };
}

/// NVIDIA's NaN in place of any other.
export function canonical(ctx: LowerContext, value: Expr): Expr {
  if (value.constant === undefined) return help(ctx, 'f32_canonical', 'f32', value);
  const isNan = (value.constant & 0x7fff_ffffn) > 0x7f80_0000n;
  return isNan ? floatLiteral(ctx, 0x7fff_ffffn) : value;
}

/// Tests of a value's magnitude bits. Zeros count as normal.
const classes: Readonly<Record<string, (ctx: LowerContext, a: Expr) => Expr>> = {
  finite: (_ctx, a) => compareUnsigned(and(a, MAGNITUDE), '<', u32(0x7f80_0000)),
  infinite: (_ctx, a) => compareUnsigned(and(a, MAGNITUDE), '==', u32(0x7f80_0000)),
  number: (_ctx, a) => compareUnsigned(and(a, MAGNITUDE), '<=', u32(0x7f80_0000)),
  notanumber: (_ctx, a) => compareUnsigned(and(a, MAGNITUDE), '>', u32(0x7f80_0000)),
  normal: (ctx, a) => {
    const finite = compareUnsigned(and(a, MAGNITUDE), '<', u32(0x7f80_0000));
    return logic('and', finite, negate(help(ctx, 'f32_is_subnormal', 'bool', a)));
  },
  subnormal: (ctx, a) => help(ctx, 'f32_is_subnormal', 'bool', a),
};

export const floatLowerings: Record<Row, LaneLowering> = {
  'add.f32': rounded(add),
  'sub.f32': rounded(sub),
  'mul.f32': rounded(mul),
  'fma.f32': rounded(fma),
  'mad.f32': rounded(fma),
  'div.f32': rounded(div),

  'rcp.f32': (ctx, mods, sources) => {
    const one = floatLiteral(ctx, 0x3f80_0000n);
    return floatResult(ctx, mods, quotient(ctx, mods, one, floatSource(ctx, mods, sources, 0)));
  },

  'sqrt.f32': rounded(sqrt),

  'abs.f32': signChange((bits) => and(bits, MAGNITUDE)),
  'neg.f32': signChange((bits) => xor(bits, SIGN)),

  'min.f32': extreme('min'),
  'max.f32': extreme('max'),

  'copysign.f32': (ctx, _mods, sources) => {
    return [asF32(ctx, or(and(at(sources, 0), SIGN), and(at(sources, 1), MAGNITUDE)))];
  },

  'testp.f32': (ctx, mods, sources) => {
    const test = classes[mods.op ?? ''];
    if (!test) throw new RangeError(`testp has no class ${mods.op}`);
    return [test(ctx, ctx.name(asU32(at(sources, 0))))];
  },
};
