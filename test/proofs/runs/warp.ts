// Proves all warp instructions for some lane plans.
import { beforeAll, describe, test } from 'vitest';
import { describePlan, type LanePlan } from '../../../src/base/lane-plan.ts';
import { proveWarp } from '../prove-warp.ts';
import { converged, guarded } from '../rules/warp-cases.ts';
import { Solver } from '../terms/solver.ts';
import { forgetTerms } from '../terms/term.ts';
import { records } from './records.ts';

/** The time limit of an instruction, in seconds. */
const seconds = 60;

export function proveWarpInstructions(name: string, plans: readonly LanePlan[]): void {
  let solver: Solver;
  beforeAll(async () => {
    solver = await Solver.start();
  });
  const record = records(name);
  describe.each(plans.map((plan) => ({ plan, words: describePlan(plan) })))('$words', ({ plan, words }) => {
    test.each([...converged, ...guarded])('$name', async (each) => {
      forgetTerms();
      solver.limit(seconds);
      await record({ rule: each.name, row: each.name, plan: words }, () => proveWarp(solver, each, plan));
    });
  });
}
