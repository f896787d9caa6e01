// f32 values, and what is done to them before and after arithmetic.
import { at } from '../../../base/invariants.ts';
import { constant, constantOf, type Inst, type Value } from '../../ir/nodes.ts';
import { floats } from '../calls.ts';
import type { Lowering } from '../lowering.ts';

/** The first of values, which is there. */
export const one = (values: readonly Value[]): Value => at(values, 0, 'a value');

/** An instruction's operands; with `ftz`, zeros in place of subnormal ones. */
export const operands = (lowering: Lowering, inst: Inst, ftz: boolean): readonly Value[] => {
  const args = lowering.args(inst);
  return ftz ? args.map((arg) => flushed(lowering, arg)) : args;
};

/** Zero in place of a subnormal value, keeping the sign. */
export function flushed({ builder }: Lowering, value: Value): Value {
  const bits = constantOf(value);
  if (bits === undefined) return one(builder.helper(floats.one('f32_flush'), value));
  return (bits & 0x7f80_0000n) === 0n ? constant('f32', bits & 0x8000_0000n) : value;
}

/** NVIDIA's NaN in place of any other. */
export function canonical({ builder }: Lowering, value: Value): Value {
  const bits = constantOf(value);
  if (bits === undefined) return one(builder.helper(floats.one('f32_canonical'), value));
  return (bits & 0x7fff_ffffn) > 0x7f80_0000n ? constant('f32', 0x7fff_ffffn) : value;
}

/** Operands of hardware arithmetic: were all constants, WGSL would evaluate it, and refuse an overflow. */
export function hidden(lowering: Lowering, args: readonly Value[]): readonly Value[] {
  if (args.some((arg) => constantOf(arg) === undefined)) return args;
  return args.map((arg) => hide(lowering, arg));
}

/** A constant that compilers take for a value of run time. */
export function hide({ builder }: Lowering, value: Value): Value {
  const bits = constantOf(value);
  return bits === undefined ? value : one(builder.helper(floats.ofBits('f32_of'), builder.i32(bits)));
}
