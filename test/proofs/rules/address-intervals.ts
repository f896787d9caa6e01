// Claims about the intervals of integers.
import type { Range } from '../../../src/translate/analysis/range.ts';
import type { Inst, Value } from '../../../src/translate/ir/nodes.ts';
import { and, compare, constant, type Term, yes } from '../terms/term.ts';

/** The width of the integers. No sum or product of parts reaches it. */
export const integerWidth = 144;

/**
 * Returns the products of the ends of two intervals. Products of numbers in the intervals are between
 * the smallest and the largest of them, because a product is a linear function of each factor.
 * Returns undefined for other operations, and for products with a constant.
 */
export function cornersOf(
  { op, args }: Inst,
  intervalOf: (value: Value) => Range,
): readonly (() => Term)[] | undefined {
  if (op !== 'imul' || args.some(({ kind }) => kind === 'constant')) return undefined;
  const [first, second] = args.map(intervalOf).map(({ min, max }) => [BigInt(min), BigInt(max)]);
  return first?.flatMap((a) => second?.map((b) => (): Term => constant(a * b, integerWidth)) ?? []); // Absent: a product has two operands.
}

export function isIn(integer: Term, { min, max }: Range): Term {
  const limit = (value: number): Term => constant(BigInt(value), integerWidth);
  return and(
    Number.isFinite(min) ? compare('bvsle', limit(min), integer) : yes(),
    Number.isFinite(max) ? compare('bvsle', integer, limit(max)) : yes(),
  );
}
