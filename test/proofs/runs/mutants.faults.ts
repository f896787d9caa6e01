// Changes one operator or constant of the WGSL of proved instructions (`examine.ts`).
import { describe, expect, test } from 'vitest';
import { describePlan, type LanePlan, planFor, portablePlan } from '../../../src/base/lane-plan.ts';
import { variants } from '../../lane-rows/variants.ts';
import { hasFormula, laneProblem } from '../lane-problem.ts';
import { mutantsOf } from '../mutants.ts';
import { warpCases } from '../rules/warp-cases.ts';
import { Solver } from '../terms/solver.ts';
import { warpProblem } from '../warp-problem.ts';
import { Examiner } from './examine.ts';

const solver = new Solver();
solver.limit(2_000_000);
const examiner = new Examiner('mutants', solver);

/** No proof finishes for products and quotients of words, so none refutes their faults either. */
const isProvable = /^(?!mul|mad|div|rem|fns|lop3|dp|sad\..64|popc.b64)/;
const provable = variants.filter((each) => hasFormula(each) && isProvable.test(each.label));
/** One form of each instruction. */
const forms = [...new Map(provable.map((each) => [each.row, each])).values()];

test.each(forms)('faults of $label', async (variant) => {
  await examiner.shader({ rule: variant.label, plan: '' }, () => laneProblem(variant), mutantsOf, 6);
});

const plans: readonly LanePlan[] = [planFor(32), planFor(64), planFor(8), portablePlan('lane'), portablePlan('warp')];
const subjects = warpCases.filter(
  ({ masks, match, name }) =>
    masks === undefined && match === undefined && name.includes('sync') && !/guard/.test(name),
);

describe.each(plans.map((plan) => ({ plan, words: describePlan(plan) })))('on the $words', ({ plan, words }) => {
  test.each(subjects)('faults of $name', async (each) => {
    await examiner.shader({ rule: each.name, plan: words }, () => warpProblem(each, plan), mutantsOf, 2);
  });
});

test('proofs refute at least 95 % of 200 faults', () => {
  expect(examiner.withEffect()).toBeGreaterThanOrEqual(200);
  expect(examiner.share()).toBeGreaterThanOrEqual(0.95);
});
