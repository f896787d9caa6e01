// Comparisons and classification of f32 values. They use the bits, because the rules for NaNs
// require the bits and hardware may flush subnormal numbers. In fast mode, ordered comparisons are
// WGSL's own.
import type { FloatProfile } from '../../../base/float-profile.ts';
import type { Value } from '../../ir/nodes.ts';
import type { FloatClass } from '../../ir/operations.ts';
import { floats } from '../calls.ts';
import type { Family, Lowering } from '../lowering.ts';
import { relationTests } from './float-relations.ts';
import { one, operands } from './float-values.ts';

const infinity = 0x7f80_0000;

/** The test for each class, from the bits without the sign. Zeros count as normal. */
const classes: Readonly<Record<FloatClass, (lowering: Lowering, size: Value, bits: Value) => Value>> = {
  finite: ({ builder }, size) => builder.icmp('ult', size, builder.i32(infinity)),
  infinite: ({ builder }, size) => builder.icmp('eq', size, builder.i32(infinity)),
  number: ({ builder }, size) => builder.icmp('ule', size, builder.i32(infinity)),
  notanumber: ({ builder }, size) => builder.icmp('ugt', size, builder.i32(infinity)),
  normal: (lowering, size, bits) => {
    const { builder } = lowering;
    return builder.and(classes.finite(lowering, size, bits), builder.not(classes.subnormal(lowering, size, bits)));
  },
  subnormal: (lowering, _, bits) => one(lowering.call(floats.testBits('f32_is_subnormal'), bits)),
};

export const floatComparisons = (float: FloatProfile): Pick<Family['rules'], 'fcmp' | 'fclass'> => ({
  fcmp: (lowering, inst) => {
    const { builder } = lowering;
    const { relation, ftz } = inst.attrs;
    const { test, swapped, negated } = relationTests[relation];
    const [a, b] = operands(lowering, inst, ftz);
    if (a === undefined || b === undefined) return undefined;
    const args = swapped ? [b, a] : [a, b];
    // Only for NaNs do these tests differ from WGSL's operators.
    const native = float.mode === 'fast' && (test === 'eq' || test === 'lt' || test === 'le') ? test : undefined;
    if (native === relation && !ftz) return undefined;
    const holds =
      native !== undefined
        ? builder.value('fcmp', { relation: native, ftz: false }, args)
        : one(lowering.call(floats.compare(`f32_${test}`), ...args));
    return [negated ? builder.not(holds) : holds];
  },
  fclass: (lowering, inst) => {
    const { builder } = lowering;
    const bits = builder.bitcast(lowering.arg(inst, 0), 'i32');
    const size = builder.and(bits, builder.i32(0x7fff_ffff));
    return [classes[inst.attrs.test](lowering, size, bits)];
  },
});
