// Proves the rules of the quanta of f32: the test of a guard for all values, and the other rules by
// enumeration.
import { test } from 'vitest';
import {
  areConstantsRight,
  areDemandsRight,
  areResultsRight,
  areRoundedRight,
  guardClaims,
} from '../rules/quanta-rules.ts';
import { decide } from '../terms/bits.ts';
import type { Verdict } from '../terms/solver.ts';
import { records } from './records.ts';

const record = records('quanta');

/** Returns the verdict of a rule that is true for all enumerated values. */
const enumerated = (isRight: () => boolean): Verdict =>
  isRight() ? { kind: 'proved', by: 'enumeration' } : { kind: 'refuted', values: new Map() };

function proveGuards(): Verdict {
  for (const claim of guardClaims()) {
    const verdict = decide(claim) ?? { kind: 'unknown', reason: 'too large diagrams' };
    if (verdict.kind !== 'proved') return verdict;
  }
  return { kind: 'proved', by: 'diagrams' };
}

test.each([
  ['values that pass the test of a guard, for each quantum', proveGuards],
  ['constants, for each exponent and lowest 1', () => enumerated(areConstantsRight)],
  ['rounded sums, products, multiply-adds and extremes, in small formats', () => enumerated(areRoundedRight)],
  ['quanta of results, for all quanta of operands', () => enumerated(areResultsRight)],
  ['demands on operands, for all wanted quanta and degrees', () => enumerated(areDemandsRight)],
] as const)('%s', async (rule, prove) => {
  await record({ rule, row: 'quanta', plan: 'quanta' }, () => Promise.resolve(prove()));
});
