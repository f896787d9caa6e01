// Approximate f32 operations. Results are within the error that PTX states, and special cases are
// those of PTX.
import type { FloatProfile } from '../../../base/float-profile.ts';
import type { HelperName } from '../../../wgsl/helpers.ts';
import { constant, type Value } from '../../ir/nodes.ts';
import type { Approximation, NativeFloat, Rounded } from '../../ir/operations.ts';
import { floats } from '../calls.ts';
import type { Family, Lowering } from '../lowering.ts';
import { flushed, hide, one, operands } from './float-values.ts';

export interface Rounding {
  /** Computes the correctly rounded quotient. */
  readonly quotient: (lowering: Lowering, float: FloatProfile, rounded: Rounded, a: Value, b: Value) => Value;
  /** Computes a quotient within 1 ulp. */
  readonly closeQuotient: Rounding['quotient'];
  readonly root: (lowering: Lowering, float: FloatProfile, rounded: Rounded, a: Value) => Value;
}

/** The prelude function for exact mode, and the WGSL builtin for fast mode. */
const elementary: Readonly<Record<Exclude<Approximation, 'rcp' | 'sqrt'>, readonly [HelperName, NativeFloat]>> = {
  rsqrt: ['f32_rsqrt', 'inverseSqrt'],
  sin: ['f32_sin', 'sin'],
  cos: ['f32_cos', 'cos'],
  lg2: ['f32_lg2', 'log2'],
  ex2: ['f32_ex2', 'exp2'],
  tanh: ['f32_tanh', 'tanh'],
};

const oneBits = 0x3f80_0000n;

export const floatApproximations = (
  float: FloatProfile,
  { quotient, closeQuotient, root }: Rounding,
): Pick<Family['rules'], 'fapprox' | 'fdivapprox'> => ({
  fapprox: (lowering, inst) => {
    const { builder } = lowering;
    const { fn, ftz } = inst.attrs;
    const a = one(operands(lowering, inst, ftz));
    const rounded: Rounded = { rounding: 'rn', ftz };
    // The correctly rounded quotient and root satisfy the error bound, and cost little more than
    // guarded approximations.
    if (fn === 'rcp') return [quotient(lowering, float, rounded, constant('f32', oneBits), a)];
    if (fn === 'sqrt') return [root(lowering, float, rounded, a)];
    const [helper, native] = elementary[fn];
    if (float.mode === 'fast') return [builder.value('native', { fn: native }, [hide(lowering, a)])];
    const name = fn === 'ex2' && float.exp2 === 'close' ? 'f32_ex2_close' : helper;
    if (!ftz) return lowering.result(floats.one(name), a);
    return [flushed(lowering, one(lowering.call(floats.one(name), a)))];
  },

  fdivapprox: (lowering, inst) => {
    const { ftz, full } = inst.attrs;
    const [a, b] = operands(lowering, inst, ftz);
    if (a === undefined || b === undefined) return undefined;
    const close = closeQuotient(lowering, float, { rounding: 'rn', ftz }, a, b);
    if (full || float.mode === 'fast') return [close];
    return lowering.result(floats.three('f32_div_approx'), a, b, close);
  },
});
