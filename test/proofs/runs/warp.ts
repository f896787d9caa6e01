// Proves all warp instructions for a lane plan.
import { beforeAll, test } from 'vitest';
import { describePlan, type LanePlan } from '../../../src/base/lane-plan.ts';
import { proveShader } from '../prove-shader.ts';
import { warpCases } from '../rules/warp-cases.ts';
import { Solver } from '../terms/solver.ts';
import { forgetTerms } from '../terms/term.ts';
import { warpProblem } from '../warp-problem.ts';
import { records } from './records.ts';

/** The time limit of an instruction, in seconds. */
const seconds = 5;

export function proveWarpInstructions(name: string, plan: LanePlan): void {
  let solver: Solver;
  beforeAll(async () => {
    solver = await Solver.start();
  });
  const record = records(name);
  const words = describePlan(plan);
  test.each(warpCases)(`$name on the ${words}`, async (each) => {
    forgetTerms();
    solver.limit(seconds);
    await record({ rule: each.name, row: each.name, plan: words }, () => proveShader(solver, warpProblem(each, plan)));
  });
}
