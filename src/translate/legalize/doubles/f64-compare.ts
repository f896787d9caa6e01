// Comparisons and classification of f64 values.
import type { Value } from '../../ir/nodes.ts';
import type { FloatClass } from '../../ir/operations.ts';
import { pairs } from '../calls.ts';
import { relationTests } from '../floats/float-relations.ts';
import { one } from '../floats/float-values.ts';
import { pairOf } from '../integers/wide-parts.ts';
import type { Family, Lowering } from '../lowering.ts';

const infinity = 0x7ff0_0000;

/**
 * The test for each class, from the low word and from the high word without the sign. Zeros count
 * as normal.
 */
const classes: Readonly<Record<FloatClass, (lowering: Lowering, low: Value, high: Value) => Value>> = {
  finite: ({ builder }, _, high) => builder.icmp('ult', high, builder.i32(infinity)),
  infinite: ({ builder }, low, high) =>
    builder.and(builder.icmp('eq', high, builder.i32(infinity)), builder.icmp('eq', low, builder.i32(0))),
  number: (lowering, low, high) => lowering.builder.not(classes.notanumber(lowering, low, high)),
  notanumber: (lowering, low, high) => one(lowering.call(pairs.test('f64_is_nan'), low, high)),
  normal: (lowering, low, high) => {
    const { builder } = lowering;
    return builder.and(classes.finite(lowering, low, high), builder.not(classes.subnormal(lowering, low, high)));
  },
  subnormal: ({ builder }, low, high) => {
    const isNothing = builder.icmp('eq', builder.or(low, high), builder.i32(0));
    return builder.and(builder.icmp('ult', high, builder.i32(0x0010_0000)), builder.not(isNothing));
  },
};

export const doubleComparisons: Pick<Family['rules'], 'fcmp' | 'fclass'> = {
  fcmp: (lowering, inst) => {
    const { test, swapped, negated } = relationTests[inst.attrs.relation];
    const [a, b] = [pairOf(lowering, inst, 0), pairOf(lowering, inst, 1)];
    const args = swapped ? [...b, ...a] : [...a, ...b];
    const holds = one(lowering.call(pairs.compare(`f64_${test}`), ...args));
    return [negated ? lowering.builder.not(holds) : holds];
  },
  fclass: (lowering, inst) => {
    const { builder } = lowering;
    const [low, high] = pairOf(lowering, inst, 0);
    return [classes[inst.attrs.test](lowering, low, builder.and(high, builder.i32(0x7fff_ffff)))];
  },
};
