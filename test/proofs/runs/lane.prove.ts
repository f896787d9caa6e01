// Proves all forms of the integer lane instructions.
import { test } from 'vitest';
import { type Variant, variants } from '../../lane-rows/variants.ts';
import { hasFormula, laneProblem } from '../lane-problem.ts';
import { Solver, type Verdict } from '../terms/solver.ts';
import { proveEach } from './confirmed.ts';
import { records } from './records.ts';

const solver = new Solver();
// Less than a second. The solver does not finish products and quotients of words within an hour.
solver.limit(200_000);
const record = records('lane');

/**
 * Proves a form. If the form has an immediate operand, which is a table of eight bits, proves the
 * form for each value of this operand.
 */
function prove(variant: Variant): Promise<Verdict> {
  const hasTable = variant.sources.some(({ type }) => type === 'immediate');
  const known = hasTable ? Array.from({ length: 256 }, (_, lut) => ({ lut })) : [{}];
  return proveEach(solver, known, (each) => laneProblem(variant, each));
}

test.each(variants.filter(hasFormula))('$label', async (variant) => {
  await record({ rule: variant.label, row: variant.row, plan: '' }, () => prove(variant));
});
