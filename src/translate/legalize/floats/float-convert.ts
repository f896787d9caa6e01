// Conversions between f32 and integers, and within f32.
import type { FloatProfile } from '../../../base/float-profile.ts';
import type { Value } from '../../ir/nodes.ts';
import type { NativeFloat, Rounding } from '../../ir/operations.ts';
import { widthOf } from '../../ir/types.ts';
import { floats } from '../calls.ts';
import type { Family, Lowering } from '../lowering.ts';
import { canonical, hide, one, operands } from './float-values.ts';

/** WGSL's builtins for the roundings to an integral value. */
const integralBuiltins: Readonly<Record<Rounding, NativeFloat>> = { rn: 'round', rz: 'trunc', rm: 'floor', rp: 'ceil' };

type Numbers = (rounding: Rounding) => number;

export function floatConversions(
  float: FloatProfile,
  numberOf: Numbers,
): Pick<Family['rules'], 'fintegral' | 'ftoi' | 'itof' | 'ftof'> {
  const integral = (lowering: Lowering, rounding: Rounding, a: Value): Value => {
    const { builder } = lowering;
    if (float.mode === 'exact')
      return one(lowering.call(floats.integral('f32_integral'), a, builder.i32(numberOf(rounding))));
    return builder.value('native', { fn: integralBuiltins[rounding] }, [hide(lowering, a)]);
  };
  return {
    fintegral: (lowering, inst) => [
      integral(lowering, inst.attrs.rounding, one(operands(lowering, inst, inst.attrs.ftz))),
    ],

    ftoi: (lowering, inst) => {
      const { builder } = lowering;
      const { to, signed, rounding, ftz } = inst.attrs;
      const a = one(operands(lowering, inst, ftz));
      // The conversions truncate, so other roundings happen before them.
      const value = rounding === 'rz' ? a : integral(lowering, rounding, a);
      const width = widthOf(to);
      if (width === 64) {
        const [low, high] = lowering.call(floats.toPair(signed ? 'f32_to_s64' : 'f32_to_u64'), value);
        return low && high && [builder.join(low, high)];
      }
      const call = signed ? floats.toSigned('f32_to_s32') : floats.toUnsigned('f32_to_u32');
      const word = one(lowering.call(call, value));
      if (width === 32) return [word];
      const most = 2 ** (signed ? width - 1 : width) - 1;
      const below = signed ? builder.smin(word, builder.i32(most)) : builder.umin(word, builder.i32(most));
      return [builder.resize(signed ? builder.smax(below, builder.i32(-most - 1)) : below, to)];
    },

    itof: (lowering, inst) => {
      const { builder } = lowering;
      const { signed, rounding } = inst.attrs;
      const number = lowering.arg(inst, 0);
      const width = widthOf(number.type);
      const how = builder.i32(numberOf(rounding));
      if (width === 64) {
        const name = signed ? 'f32_from_s64' : 'f32_from_u64';
        return lowering.result(floats.fromPair(name), ...builder.split(number), how);
      }
      const word = builder.resize(number, 'i32', signed);
      // All integers of 8 and 16 bits are exact in f32.
      if (width < 32 || (float.mode === 'fast' && rounding === 'rn')) {
        if (width === 32) return undefined;
        return [builder.value('itof', { to: 'f32', signed, rounding: 'rn' }, [word])];
      }
      return lowering.result(floats.fromWord(signed ? 'f32_from_s32' : 'f32_from_u32'), word, how);
    },

    /**
     * Copies a float. On NVIDIA hardware, a plain copy keeps a NaN's payload, but a copy that
     * flushes does not.
     */
    ftof: (lowering, inst) => {
      const a = one(operands(lowering, inst, inst.attrs.ftz));
      return [inst.attrs.ftz ? canonical(lowering, a) : a];
    },
  };
}
