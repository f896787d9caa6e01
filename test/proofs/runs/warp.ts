// Proves all warp instructions for a lane plan.
import { test } from 'vitest';
import { describePlan, type LanePlan } from '../../../src/base/lane-plan.ts';
import { warpCases } from '../rules/warp-cases.ts';
import { Solver } from '../terms/solver.ts';
import { forgetTerms } from '../terms/term.ts';
import { warpProblem } from '../warp-problem.ts';
import { proveConfirmed } from './confirmed.ts';
import { records } from './records.ts';

/** The limit of the solver for a claim about one lane, in steps. */
const steps = 20_000;

export function proveWarpInstructions(name: string, plan: LanePlan): void {
  const solver = new Solver();
  solver.limit(steps);
  const record = records(name);
  const words = describePlan(plan);
  test.each(warpCases)(`$name on the ${words}`, async (each) => {
    forgetTerms();
    await record({ rule: each.name, row: each.name, plan: words }, () =>
      proveConfirmed(solver, warpProblem(each, plan)),
    );
  });
}
