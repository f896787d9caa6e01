// Comparisons of pairs. If a high part is known, short comparisons of words are enough. Otherwise a
// function of the prelude compares the pairs.
import { constant, constantOf, type Value } from '../../ir/nodes.ts';
import type { IntegerRelation } from '../../ir/operations.ts';
import { opposite, swapped } from '../../ir/simplify/compare.ts';
import { pairs } from '../calls.ts';
import type { Lower, Lowering } from '../lowering.ts';
import { isWords, type Pair, pairOf } from './wide-parts.ts';

export const compared: Lower<'icmp'> = (lowering, inst) => {
  const [a, b] = [pairOf(lowering, inst, 0), pairOf(lowering, inst, 1)];
  return [compare(lowering, inst.attrs.relation, a, b)];
};

function compare(lowering: Lowering, relation: IntegerRelation, a: Pair, b: Pair): Value {
  const { builder } = lowering;
  switch (relation) {
    case 'eq':
    case 'ne':
      return equality(lowering, relation, a, b);
    case 'ugt':
    case 'ule':
    case 'sgt':
    case 'sle':
      return compare(lowering, swapped[relation], b, a);
    case 'uge':
    case 'sge':
      return builder.not(compare(lowering, opposite[relation], a, b));
    default:
      return below(lowering, relation, a, b);
  }
}

function equality({ builder }: Lowering, relation: 'eq' | 'ne', a: Pair, b: Pair): Value {
  const both = relation === 'eq' ? builder.and : builder.or;
  if (constantOf(b[0]) === 0n && constantOf(b[1]) === 0n) {
    return builder.icmp(relation, builder.or(a[0], a[1]), constant(a[0].type, 0n));
  }
  return both(builder.icmp(relation, a[0], b[0]), builder.icmp(relation, a[1], b[1]));
}

/** Builds a test whether a < b. */
function below(lowering: Lowering, relation: 'ult' | 'slt', a: Pair, b: Pair): Value {
  const { builder } = lowering;
  const isKnown = constantOf(a[1]) !== undefined || constantOf(b[1]) !== undefined;
  if (isWords(a) && !isKnown) {
    const [result] = builder.helper(pairs.compare(relation === 'ult' ? 'lt_u64' : 'lt_s64'), ...a, ...b);
    if (result) return result;
  }
  const above = builder.icmp(relation, a[1], b[1]);
  return builder.or(above, builder.and(builder.icmp('eq', a[1], b[1]), builder.icmp('ult', a[0], b[0])));
}
