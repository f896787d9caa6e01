// Proves all forms of the integer lane instructions.
import { beforeAll, test } from 'vitest';
import { type Variant, variants } from '../../lane-rows/variants.ts';
import { hasFormula, laneProblem } from '../lane-problem.ts';
import { proveShader } from '../prove-shader.ts';
import { Solver, type Verdict } from '../terms/solver.ts';
import { forgetTerms } from '../terms/term.ts';
import { records } from './records.ts';

let solver: Solver;
beforeAll(async () => {
  solver = await Solver.start();
});
const record = records('lane');

/**
 * Proves a form. If the form has an immediate operand, which is a table of eight bits, proves the
 * form for each value of this operand.
 */
async function prove(variant: Variant): Promise<Verdict> {
  const hasTable = variant.sources.some(({ type }) => type === 'immediate');
  // The limit is short, because the solver does not finish products and quotients of words even
  // within an hour.
  solver.limit(hasTable ? 60 : 2);
  for (let lut = 0; lut < (hasTable ? 256 : 1); lut++) {
    forgetTerms();
    const verdict = await proveShader(solver, laneProblem(variant, hasTable ? { lut } : {}));
    if (verdict.kind !== 'proved') return verdict;
  }
  return { kind: 'proved' };
}

test.each(variants.filter(hasFormula))('$label', async (variant) => {
  await record({ rule: variant.label, row: variant.row, plan: '' }, () => prove(variant));
});
