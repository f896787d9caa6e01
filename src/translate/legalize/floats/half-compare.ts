// Comparisons and classification of f16 and bf16 values, by operations on their bits.
import type { Value } from '../../ir/nodes.ts';
import type { FloatClass } from '../../ir/operations.ts';
import type { Type } from '../../ir/types.ts';
import { halves, words } from '../calls.ts';
import type { Family, Lowering } from '../lowering.ts';
import { relationTests } from './float-relations.ts';
import { one } from './float-values.ts';

/** Returns the bits of a type's infinity. The bits of its NaNs are larger. */
export const infinityOf = ({ builder }: Lowering, type: Type | undefined): Value =>
  builder.i32(type === 'bf16' ? 0x7f80 : 0x7c00);

/** The test for each class, from the bits without the sign. Zeros count as normal. */
const classes: Readonly<Record<FloatClass, (lowering: Lowering, size: Value, type: Type | undefined) => Value>> = {
  finite: (lowering, size, type) => lowering.builder.icmp('ult', size, infinityOf(lowering, type)),
  infinite: (lowering, size, type) => lowering.builder.icmp('eq', size, infinityOf(lowering, type)),
  number: (lowering, size, type) => lowering.builder.icmp('ule', size, infinityOf(lowering, type)),
  notanumber: (lowering, size, type) => lowering.builder.icmp('ugt', size, infinityOf(lowering, type)),
  normal: (lowering, size, type) => {
    const { builder } = lowering;
    return builder.and(classes.finite(lowering, size, type), builder.not(classes.subnormal(lowering, size, type)));
  },
  subnormal: ({ builder }, size, type) => {
    const subnormals = type === 'bf16' ? 0x7f : 0x3ff;
    return builder.icmp('ult', builder.isub(size, builder.i32(1)), builder.i32(subnormals));
  },
};

export const halfComparisons: Pick<Family['rules'], 'fcmp' | 'fclass'> = {
  fcmp: (lowering, inst) => {
    const { builder } = lowering;
    const { relation, ftz } = inst.attrs;
    const { test, swapped, negated } = relationTests[relation];
    const args = lowering.args(inst).map((arg) => (ftz ? one(lowering.call(words.one('f16_flush'), arg)) : arg));
    const ordered = swapped ? [...args].reverse() : args;
    const infinity = infinityOf(lowering, inst.args[0]?.type);
    const holds = one(lowering.call(halves.compare(`half_${test}`), ...ordered, infinity));
    return [negated ? builder.not(holds) : holds];
  },
  fclass: (lowering, inst) => {
    const { builder } = lowering;
    const size = builder.and(lowering.arg(inst, 0), builder.i32(0x7fff));
    return [classes[inst.attrs.test](lowering, size, inst.args[0]?.type)];
  },
};
