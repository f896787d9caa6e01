// Proves the active masks of structured kernels: each warp instruction reads exactly the lanes that
// reach it together, for all conditions in all lanes.
import { test } from 'vitest';
import { describePlan, planFor, portablePlan } from '../../../src/base/lane-plan.ts';
import { controlProblem } from '../control-problem.ts';
import { controlCases } from '../rules/control-cases.ts';
import { Solver } from '../terms/solver.ts';
import { forgetTerms } from '../terms/term.ts';
import { proveConfirmed } from './confirmed.ts';
import { records } from './records.ts';

const solver = new Solver();
solver.limit(20_000);
const record = records('control');

const plans = [planFor(32), planFor(8), portablePlan('lane'), portablePlan('warp')];
const kernels = controlCases.flatMap((control) =>
  plans
    .filter((plan) => controlProblem(control, plan) !== undefined)
    .map((plan) => ({ name: control.name, control, plan, words: describePlan(plan) })),
);

test.each(kernels)('$name on the $words', async ({ name, control, plan, words }) => {
  forgetTerms();
  const problem = controlProblem(control, plan);
  if (problem === undefined) throw new Error(`${name} has no active masks`);
  await record({ rule: name, row: words, plan: 'control' }, () => proveConfirmed(solver, problem));
});
