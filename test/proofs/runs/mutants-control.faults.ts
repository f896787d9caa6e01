// Changes the active masks of structured kernels (`examine.ts`).
import { expect, test } from 'vitest';
import { describePlan, planFor, portablePlan } from '../../../src/base/lane-plan.ts';
import { controlProblem } from '../control-problem.ts';
import { maskMutantsOf } from '../mutants.ts';
import type { Problem } from '../prove-shader.ts';
import { controlCases } from '../rules/control-cases.ts';
import { Solver } from '../terms/solver.ts';
import { Examiner } from './examine.ts';

const solver = new Solver();
solver.limit(20_000);
const examiner = new Examiner('mutants-control', solver);

/** A changed loop may be endless, so the limit is smaller than that of proofs. */
const units = 10_000_000;

const plans = [planFor(32), portablePlan('lane')];
const kernels = controlCases.flatMap((control) =>
  plans
    .filter((plan) => controlProblem(control, plan) !== undefined)
    .map((plan) => ({ name: control.name, control, plan, words: describePlan(plan) })),
);

test.each(kernels)('faults of $name on the $words', async ({ name, control, plan, words }) => {
  const make = (): Problem => {
    const problem = controlProblem(control, plan);
    if (problem === undefined) throw new Error(`${name} has no active masks`);
    return { ...problem, units };
  };
  await examiner.shader({ rule: name, plan: `masks: ${words}` }, make, maskMutantsOf, 2);
});

test('proofs refute at least 95 % of the faults in active masks', () => {
  expect(examiner.share()).toBeGreaterThanOrEqual(0.95);
});
