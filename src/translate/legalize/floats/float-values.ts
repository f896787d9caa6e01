// f32 values, and their preparation before and after arithmetic.
import { at } from '../../../base/invariants.ts';
import { constant, constantOf, type Inst, type Value } from '../../ir/nodes.ts';
import { floats } from '../calls.ts';
import type { Lowering } from '../lowering.ts';

/** Returns the first value, which must exist. */
export const one = (values: readonly Value[]): Value => at(values, 0, 'a value');

/** Returns the operands of an instruction. With `ftz`, subnormal operands become zeros. */
export const operands = (lowering: Lowering, inst: Inst, ftz: boolean): readonly Value[] => {
  const args = lowering.args(inst);
  return ftz ? args.map((arg) => flushed(lowering, arg)) : args;
};

/** Returns the value, or a zero with its sign if it is subnormal. */
export function flushed({ builder }: Lowering, value: Value): Value {
  const bits = constantOf(value);
  if (bits === undefined) return one(builder.helper(floats.one('f32_flush'), value));
  return (bits & 0x7f80_0000n) === 0n ? constant('f32', bits & 0x8000_0000n) : value;
}

/** Returns the value, or NVIDIA's canonical NaN for any NaN. */
export function canonical({ builder }: Lowering, value: Value): Value {
  const bits = constantOf(value);
  if (bits === undefined) return one(builder.helper(floats.one('f32_canonical'), value));
  return (bits & 0x7fff_ffffn) > 0x7f80_0000n ? constant('f32', 0x7fff_ffffn) : value;
}

/**
 * Hides the operands of hardware arithmetic if all of them are constants. Otherwise a WGSL compiler
 * would evaluate the expression, and reject an overflow.
 */
export function hidden(lowering: Lowering, args: readonly Value[]): readonly Value[] {
  if (args.some((arg) => constantOf(arg) === undefined)) return args;
  return args.map((arg) => hide(lowering, arg));
}

/** Returns a constant as a value that compilers treat as computed at run time. */
export function hide({ builder }: Lowering, value: Value): Value {
  const bits = constantOf(value);
  return bits === undefined ? value : one(builder.helper(floats.ofBits('f32_of'), builder.i32(bits)));
}
