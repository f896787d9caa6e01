// Refines the range of a value by the condition of the branch on an edge. For example, a loop's
// counter returns to the header only while it is below its limit.
import type { Block, InstNamed, Value } from '../ir/nodes.ts';
import { constantOf } from '../ir/nodes.ts';
import type { IntegerRelation } from '../ir/operations.ts';
import { exactly, type Range, rangeOf, signed, unsigned } from './range.ts';

const negated: Readonly<Record<IntegerRelation, IntegerRelation>> = {
  eq: 'ne', ne: 'eq', ult: 'uge', uge: 'ult', ule: 'ugt', ugt: 'ule', slt: 'sge', sge: 'slt', sle: 'sgt', sgt: 'sle',
}; // biome-ignore format: one line

const swapped: Readonly<Record<IntegerRelation, IntegerRelation>> = {
  eq: 'eq', ne: 'ne', ult: 'ugt', ugt: 'ult', ule: 'uge', uge: 'ule', slt: 'sgt', sgt: 'slt', sle: 'sge', sge: 'sle',
}; // biome-ignore format: one line

/** The numbers `x` of a range for which `x relation y` holds for some `y` of another range. */
const kept: Readonly<Record<IntegerRelation, (x: Range, y: Range) => Range>> = {
  // The same bits have other representatives if a range is partly below 0, so such ranges are not
  // intersected.
  eq: (x, y) => (x.min < 0 || y.min < 0 ? x : { min: Math.max(x.min, y.min), max: Math.min(x.max, y.max) }),
  ne: (x, y) => {
    if (y.min !== y.max) return x;
    return { min: x.min === y.min ? x.min + 1 : x.min, max: x.max === y.min ? x.max - 1 : x.max };
  },
  ult: (x, y) => ({ min: x.min, max: Math.min(x.max, y.max - 1) }),
  ule: (x, y) => ({ min: x.min, max: Math.min(x.max, y.max) }),
  ugt: (x, y) => ({ min: Math.max(x.min, y.min + 1), max: x.max }),
  uge: (x, y) => ({ min: Math.max(x.min, y.min), max: x.max }),
  slt: (x, y) => ({ min: x.min, max: Math.min(x.max, y.max - 1) }),
  sle: (x, y) => ({ min: x.min, max: Math.min(x.max, y.max) }),
  sgt: (x, y) => ({ min: Math.max(x.min, y.min + 1), max: x.max }),
  sge: (x, y) => ({ min: Math.max(x.min, y.min), max: x.max }),
};

const isSigned: Readonly<Record<IntegerRelation, boolean | undefined>> = {
  eq: undefined, ne: undefined, ult: false, ule: false, ugt: false, uge: false, slt: true, sle: true, sgt: true, sge: true,
}; // biome-ignore format: one line

type Comparison = InstNamed<'icmp'>;

/** Returns the comparison on which an edge depends, and whether it is true on that edge. */
function conditionOf(from: Block, to: Block): { readonly inst: Comparison; readonly holds: boolean } | undefined {
  const { end } = from;
  if (end.kind !== 'branch' || end.then.to === end.else.to) return undefined;
  let condition: Value = end.condition;
  let holds = end.then.to === to;
  // `xor` with true is a negation.
  while (condition.kind === 'result' && condition.inst.op === 'xor' && constantOf(condition.inst.args[1]) === 1n) {
    const [inner] = condition.inst.args;
    if (inner === undefined) return undefined;
    condition = inner;
    holds = !holds;
  }
  return condition.kind === 'result' && condition.inst.op === 'icmp' ? { inst: condition.inst, holds } : undefined;
}

/** Returns the range of an argument of the edge between two blocks. */
export function refinedBy(from: Block, to: Block, value: Value, range: Range): Range {
  const condition = conditionOf(from, to);
  return condition === undefined ? range : refinedIf(condition.inst, condition.holds, value, range);
}

/** Returns the range of a value if a comparison holds, or does not hold. */
export function refinedIf(inst: Comparison, holds: boolean, value: Value, range: Range): Range {
  const [a, b] = inst.args;
  const other = a === value ? b : b === value ? a : undefined;
  // If the limit is not constant, its range may grow later, so it cannot refine another range.
  if (other?.kind !== 'constant') return range;
  const { relation: written } = inst.attrs;
  const turned = a === value ? written : swapped[written];
  const relation = holds ? turned : negated[turned];
  const view = isSigned[relation];
  const as = view === undefined ? (_: unknown, seen: Range) => seen : view ? signed : unsigned;
  const result = kept[relation](as(value.type, range), as(value.type, exactly(other.type, other.bits)));
  // If no number remains, the edge is never taken, or the ranges use different representatives of
  // the same bits. For 64 bits, a one-sided bound is ignored: it does not show whether the
  // comparison is signed.
  return result.min <= result.max ? rangeOf(value.type, result.min, result.max) : range;
}

/**
 * Returns the numbers with which a value is compared on the edges out of a block. Widening may stop
 * next to them.
 */
export function thresholdsOf(from: Block, value: Value, param: Value): readonly number[] {
  const { end } = from;
  if (end.kind !== 'branch' || end.condition.kind !== 'result' || end.condition.inst.op !== 'icmp') return [];
  const { args } = end.condition.inst;
  if (!args.includes(value) && !args.includes(param)) return [];
  return args.flatMap((arg) => {
    if (arg.kind !== 'constant') return [];
    const { min } = exactly(arg.type, arg.bits);
    const low = signed(arg.type, { min, max: min }).min;
    return [min - 1, min, min + 1, low - 1, low, low + 1];
  });
}
