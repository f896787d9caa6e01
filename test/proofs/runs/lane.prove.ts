// Proves all forms of the integer lane instructions.
import { test } from 'vitest';
import { type Variant, variants } from '../../lane-rows/variants.ts';
import { hasFormula, laneProblem } from '../lane-problem.ts';
import { Solver, type Verdict } from '../terms/solver.ts';
import { forgetTerms } from '../terms/term.ts';
import { proveConfirmed } from './confirmed.ts';
import { records } from './records.ts';

const solver = new Solver();
// Less than a second. The solver does not finish products and quotients of words within an hour.
solver.limit(200_000);
const record = records('lane');

/**
 * Proves a form. If the form has an immediate operand, which is a table of eight bits, proves the
 * form for each value of this operand.
 */
async function prove(variant: Variant): Promise<Verdict> {
  const hasTable = variant.sources.some(({ type }) => type === 'immediate');
  for (let lut = 0; lut < (hasTable ? 256 : 1); lut++) {
    forgetTerms();
    const verdict = await proveConfirmed(solver, laneProblem(variant, hasTable ? { lut } : {}));
    if (verdict.kind !== 'proved' || !hasTable) return verdict;
  }
  return { kind: 'proved', by: 'diagrams' };
}

test.each(variants.filter(hasFormula))('$label', async (variant) => {
  await record({ rule: variant.label, row: variant.row, plan: '' }, () => prove(variant));
});
