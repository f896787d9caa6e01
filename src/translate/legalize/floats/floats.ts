// Legalizes f32 arithmetic according to the adapter's profile. In exact mode, every result has the
// bits that PTX defines. Hardware computes the result if the profile guarantees these bits. If
// hardware is wrong only for subnormal numbers, a prelude function guards the hardware operation.
// Otherwise integer arithmetic computes the result. In fast mode, the adapter's own arithmetic
// computes the result.

import type { FloatProfile } from '../../../base/float-profile.ts';
import { at, missing } from '../../../base/invariants.ts';
import { getOrInsert } from '../../../base/maps.ts';
import type { Workarounds } from '../../../base/workarounds.ts';
import type { HelperName } from '../../../wgsl/helpers.ts';
import { KnownZeros } from '../../graph/known-zeros.ts';
import type { Builder } from '../../ir/builder.ts';
import { constantOf, type Func, type Inst, type InstNamed, type Program, type Value } from '../../ir/nodes.ts';
import type { NativeFloat, Rounded, RoundedOp, Rounding } from '../../ir/operations.ts';
import { floats, words } from '../calls.ts';
import { type Contents, type Family, type Lowering, lowerProgram, type Plain } from '../lowering.ts';
import { floatApproximations } from './float-approximations.ts';
import { floatComparisons } from './float-compare.ts';
import { floatConversions } from './float-convert.ts';
import { canonical, flushed, hidden, one, operands } from './float-values.ts';

const roundings: Readonly<Record<Rounding, number>> = { rn: 0, rz: 1, rm: 2, rp: 3 };

/** Added to the number of a rounding mode, so that subnormal results become zero. */
const FLUSH = 4;

/** The hardware's implementation of an operation, and the conditions under which it is correct. */
export interface Hardware {
  readonly soft: HelperName;
  /**
   * The prelude function that guards hardware against subnormal numbers; undefined if hardware is
   * never correct.
   */
  readonly guarded?: HelperName;
  /** `guarded` with `.ftz`. */
  readonly flushing?: HelperName;
  /**
   * Variants of `guarded` and `flushing` for a driver that replaces `0 * x + c` by `c`. That is
   * wrong if `x` is infinite or a NaN.
   */
  readonly checked?: { readonly guarded: HelperName; readonly flushing: HelperName };
  readonly native: NativeFloat;
  /** Whether the adapter's hardware rounds correctly, except for subnormal numbers. */
  readonly isExact: (float: FloatProfile) => boolean;
}

const add: Hardware = {
  soft: 'soft_add',
  guarded: 'f32_add',
  flushing: 'f32_add_ftz',
  native: 'add',
  isExact: () => true,
};
const sub: Hardware = { ...add, soft: 'soft_sub', guarded: 'f32_sub', flushing: 'f32_sub_ftz', native: 'sub' };
const mul: Hardware = {
  soft: 'soft_mul',
  guarded: 'f32_mul',
  flushing: 'f32_mul_ftz',
  native: 'mul',
  // Some compilers contract products into later sums, so that the products are not rounded. In
  // measurements, they did not contract guarded products, but nothing guarantees this.
  isExact: (float) => !float.contracts,
};
const fma: Hardware = {
  soft: 'soft_fma',
  guarded: 'f32_fma',
  flushing: 'f32_fma_ftz',
  checked: { guarded: 'f32_fma_checked', flushing: 'f32_fma_ftz_checked' },
  native: 'fma',
  isExact: (float) => float.fma === 'fused',
};
const div: Hardware = {
  soft: 'soft_div',
  guarded: 'f32_div',
  flushing: 'f32_div_ftz',
  native: 'div',
  // Even if an adapter divides exactly, its compiler may multiply by the reciprocal of a known
  // divisor (seen on SwiftShader). So hardware's quotient is only an estimate.
  isExact: (float) => float.fma === 'fused',
};
/** The division of instructions that allow an error of up to 2 ulp. */
const closeDiv: Hardware = { ...div, guarded: 'f32_div_close', flushing: 'f32_div_close_ftz' };
const sqrt: Hardware = {
  soft: 'soft_sqrt',
  guarded: 'f32_sqrt',
  // Square roots are never subnormal, so the forms with and without `.ftz` are the same function.
  flushing: 'f32_sqrt',
  native: 'sqrt',
  isExact: (float) => float.sqrt === 'exact',
};
const fusedSqrt: Hardware = {
  ...sqrt,
  guarded: 'f32_sqrt_fused',
  flushing: 'f32_sqrt_fused',
  isExact: (float) => float.fma === 'fused',
};

export interface FloatTarget {
  readonly float: FloatProfile;
  readonly workarounds: Workarounds;
}

/**
 * The call signature for each number of operands. `hardCalls` pass f32 values; `softCalls` pass
 * their bits and a rounding.
 */
const hardCalls = [floats.one, floats.one, floats.two, floats.three];
const softCalls = [words.two, words.two, words.three, words.four];

const isZero = (value: Value): boolean => {
  const bits = constantOf(value);
  return bits !== undefined && (bits & 0x7fff_ffffn) === 0n;
};

const zerosOfFunctions = new WeakMap<Func, KnownZeros>();

/**
 * Returns the analysis of a function. It is cached, because the legalization of f32 does not change
 * blocks and their parameters.
 */
function zerosIn(func: Func): KnownZeros {
  return getOrInsert(zerosOfFunctions, func, () => new KnownZeros(func));
}

/**
 * Hides the operands of a prelude function that a driver would fold. A driver rounds the product of
 * two constants before the addition. A driver that knows a divisor changes the remainder that
 * corrects a quotient (seen on an H200). If it unrolls a loop, it may learn the divisor.
 */
function unfolded(lowering: Lowering, { native }: Hardware, args: readonly Value[]): readonly Value[] {
  if (!lowering.workarounds.has('hide-known-operands')) return args;
  const { builder } = lowering;
  const isKnown = (arg: Value | undefined): boolean => arg !== undefined && constantOf(arg) !== undefined;
  const hide = (at: number): readonly Value[] => {
    const zero = lowering.unknownZero();
    return args.map((arg, index) =>
      index === at ? builder.bitcast(builder.xor(zero, builder.bitcast(arg, 'i32')), 'f32') : arg,
    );
  };
  if (native === 'div') return hide(1);
  if (native === 'sqrt' && isKnown(args[0])) return hide(0);
  return native === 'fma' && isKnown(args[0]) && isKnown(args[1]) ? hide(0) : args;
}

/** Computes an operation on operands that are already flushed. */
function compute(
  lowering: Lowering,
  float: FloatProfile,
  hardware: Hardware,
  { rounding, ftz }: Rounded,
  args: readonly Value[],
): Value {
  const { builder } = lowering;
  const toNearest = rounding === 'rn';
  // Compilers replace `fma(x, 0.0, c)` by c even if x is infinite, and the result looks ordinary.
  const vanishes = args.length === 3 && args.slice(0, 2).some(isZero);
  if (toNearest && float.mode === 'fast')
    return builder.value('native', { fn: hardware.native }, hidden(lowering, args));
  // The guard is needed even if the adapter keeps subnormal numbers: it also sends NaNs to the
  // integer path. Some compilers fold `x + 0.0` or `x * 0.0` without regard to signs and
  // infinities; the guard sends these results there, too.
  const checksFactors = lowering.workarounds.has('check-zero-factors');
  const { guarded, flushing } =
    checksFactors && hardware.checked && zerosIn(lowering.func).mayDropProduct(args) ? hardware.checked : hardware;
  const trusted = ftz ? flushing : guarded;
  // Hardware only rounds to nearest.
  if (toNearest && trusted && !vanishes && hardware.isExact(float)) {
    return one(
      lowering.result(
        at(hardCalls, args.length, 'a function with this number of operands')(trusted),
        ...unfolded(lowering, hardware, args),
      ),
    );
  }
  const bits = args.map((arg) => builder.bitcast(arg, 'i32'));
  const how = builder.i32(roundings[rounding] + (ftz ? FLUSH : 0));
  const [result] = lowering.call(
    at(softCalls, args.length, 'a function with this number of operands')(hardware.soft),
    ...bits,
    how,
  );
  return builder.bitcast(result ?? missing('the result of a function'), 'f32');
}

const quotient = (lowering: Lowering, float: FloatProfile, rounded: Rounded, a: Value, b: Value): Value =>
  compute(lowering, float, div, rounded, [a, b]);

const closeQuotient = (lowering: Lowering, float: FloatProfile, rounded: Rounded, a: Value, b: Value): Value =>
  compute(lowering, float, closeDiv, rounded, [a, b]);

const root = (lowering: Lowering, float: FloatProfile, rounded: Rounded, a: Value): Value =>
  compute(lowering, float, float.sqrt === 'exact' ? sqrt : fusedSqrt, rounded, [a]);

const smallest = 0x7fff_ffffn;
const sign = 0x8000_0000n;

function family({ float, workarounds }: FloatTarget): Family {
  const rounded =
    (hardware: Hardware) =>
    (lowering: Lowering, inst: InstNamed<RoundedOp>): readonly Value[] => [
      compute(lowering, float, hardware, inst.attrs, operands(lowering, inst, inst.attrs.ftz)),
    ];
  /**
   * Lowers a change of the sign to bits, because WGSL's own negation may flush a subnormal value. A
   * NaN becomes canonical, as on NVIDIA hardware.
   */
  const signChange =
    (op: 'and' | 'xor', mask: bigint) =>
    (lowering: Lowering, inst: InstNamed<'fneg'> | InstNamed<'fabs'>): readonly Value[] => {
      const { builder } = lowering;
      const [a] = operands(lowering, inst, inst.attrs.ftz);
      const changed = builder.bitcast(builder[op](builder.bitcast(one(a ? [a] : []), 'i32'), builder.i32(mask)), 'f32');
      return [float.mode === 'fast' ? changed : canonical(lowering, changed)];
    };
  const extreme =
    (name: 'min' | 'max') =>
    (lowering: Lowering, inst: InstNamed<'fmin'> | InstNamed<'fmax'>): readonly Value[] => {
      const { ftz, nan } = inst.attrs;
      const args = operands(lowering, inst, ftz);
      // WGSL's builtin may return either operand if one operand is a NaN or both are zeros.
      if (float.mode === 'fast' && !nan)
        return [lowering.builder.value('native', { fn: name }, hidden(lowering, args))];
      // With a constant operand, which is often zero, integer arithmetic is as fast.
      if (!nan && float.extremes === 'exact' && args.every((arg) => constantOf(arg) === undefined))
        return lowering.result(floats.two(`f32_${name}_hard`), ...args);
      return lowering.result(floats.two(nan ? `f32_${name}_nan` : `f32_${name}`), ...args);
    };
  const helped =
    (name: HelperName): Plain =>
    (lowering, inst) =>
      lowering.result(floats.one(name), ...operands(lowering, inst, false));
  return {
    all: true,
    workarounds,
    unsupported: (inst) => {
      const type = unsupportedType(inst);
      return type && `${inst.op} of ${type}`;
    },
    rules: {
      fadd: rounded(add),
      fsub: rounded(sub),
      fmul: rounded(mul),
      fdiv: rounded(div),
      ffma: rounded(fma),
      fsqrt: rounded(float.sqrt === 'exact' ? sqrt : fusedSqrt),
      fneg: signChange('xor', sign),
      fabs: signChange('and', smallest),
      fmin: extreme('min'),
      fmax: extreme('max'),
      fsaturate: helped('f32_saturate'),
      fflush: (lowering, inst) => [flushed(lowering, one(operands(lowering, inst, false)))],
      fcanonical: (lowering, inst) => [canonical(lowering, one(operands(lowering, inst, false)))],
      ...floatComparisons(float),
      ...floatConversions(float, (rounding) => roundings[rounding]),
      ...floatApproximations(float, { quotient, closeQuotient, root }),
    },
  };
}

/** Returns the float type of an argument or result that is not supported yet. */
const unsupportedType = ({ args, results }: Inst): string | undefined =>
  [...args, ...results].map(({ type }) => type).find((type) => type === 'f16' || type === 'bf16' || type === 'f64');

export const legalizeFloats = (program: Program, builder: Builder, target: FloatTarget, contents?: Contents): void =>
  lowerProgram(program, builder, family(target), contents);
