// Comparisons and classes of f32 values. On bits, since NaNs decide them and hardware may flush subnormals; in fast mode ordered comparisons are WGSL's own.
import type { FloatProfile } from '../../base/float-profile.ts';
import type { HelperName } from '../../wgsl/helpers.ts';
import type { Value } from '../ir/nodes.ts';
import type { FloatClass, FloatRelation } from '../ir/operations.ts';
import { floats } from './calls.ts';
import { one, operands } from './float-values.ts';
import type { Family, Lowering } from './lowering.ts';

/// A test that is false for NaNs, with its operands as they are or swapped; an unordered comparison is the negation of the opposite ordered one.
interface Test {
  readonly helper: HelperName;
  /// WGSL's relation, where it is the same for all but NaNs.
  readonly relation?: FloatRelation;
  readonly swapped?: true;
  readonly negated?: true;
}

const tests: Readonly<Record<FloatRelation, Test>> = {
  eq: { helper: 'f32_eq', relation: 'eq' },
  ne: { helper: 'f32_ne' },
  lt: { helper: 'f32_lt', relation: 'lt' },
  le: { helper: 'f32_le', relation: 'le' },
  gt: { helper: 'f32_lt', relation: 'lt', swapped: true },
  ge: { helper: 'f32_le', relation: 'le', swapped: true },
  equ: { helper: 'f32_ne', negated: true },
  neu: { helper: 'f32_eq', negated: true, relation: 'eq' },
  ltu: { helper: 'f32_le', swapped: true, negated: true, relation: 'le' },
  leu: { helper: 'f32_lt', swapped: true, negated: true, relation: 'lt' },
  gtu: { helper: 'f32_le', negated: true, relation: 'le' },
  geu: { helper: 'f32_lt', negated: true, relation: 'lt' },
  num: { helper: 'f32_ordered' },
  nan: { helper: 'f32_ordered', negated: true },
};

const infinity = 0x7f80_0000;

/// Of the bits without the sign. Zeros count as normal.
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
    const test = tests[relation];
    const [a, b] = operands(lowering, inst, ftz);
    if (a === undefined || b === undefined) return undefined;
    const args = test.swapped ? [b, a] : [a, b];
    const isNative = float.mode === 'fast' && test.relation !== undefined;
    if (isNative && !ftz && test.relation === relation) return undefined;
    const holds =
      isNative && test.relation
        ? builder.value('fcmp', { relation: test.relation, ftz: false }, args)
        : one(lowering.call(floats.compare(test.helper), ...args));
    return [test.negated ? builder.not(holds) : holds];
  },
  fclass: (lowering, inst) => {
    const { builder } = lowering;
    const bits = builder.bitcast(lowering.arg(inst, 0), 'i32');
    const size = builder.and(bits, builder.i32(0x7fff_ffff));
    return [classes[inst.attrs.test](lowering, size, bits)];
  },
});
