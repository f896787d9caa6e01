// Maps each floating-point comparison to a test in the prelude.
import type { FloatRelation } from '../../ir/operations.ts';

/**
 * A test that is false for NaNs, with its operands in order or swapped. An unordered comparison is
 * the negation of the opposite ordered comparison.
 */
interface RelationTest {
  readonly test: 'eq' | 'ne' | 'lt' | 'le' | 'ordered';
  readonly swapped?: true;
  readonly negated?: true;
}

export const relationTests: Readonly<Record<FloatRelation, RelationTest>> = {
  eq: { test: 'eq' },
  ne: { test: 'ne' },
  lt: { test: 'lt' },
  le: { test: 'le' },
  gt: { test: 'lt', swapped: true },
  ge: { test: 'le', swapped: true },
  equ: { test: 'ne', negated: true },
  neu: { test: 'eq', negated: true },
  ltu: { test: 'le', swapped: true, negated: true },
  leu: { test: 'lt', swapped: true, negated: true },
  gtu: { test: 'le', negated: true },
  geu: { test: 'lt', negated: true },
  num: { test: 'ordered' },
  nan: { test: 'ordered', negated: true },
};
