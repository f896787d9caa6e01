// Proves a problem, and confirms a refutation by running its operands.
import { type Problem, proveShader } from '../prove-shader.ts';
import { breaksClaim } from '../run-problem.ts';
import type { Solver, Verdict } from '../terms/solver.ts';

/**
 * Some proofs replace a fact by a weaker one, so their operands may be impossible. The verdict is
 * unknown if the test interpreter returns the right results for the operands.
 */
export async function proveConfirmed(solver: Solver, problem: Problem): Promise<Verdict> {
  const verdict = await proveShader(solver, problem);
  if (verdict.kind !== 'refuted' || breaksClaim(problem, verdict.values)) return verdict;
  return { kind: 'unknown', reason: 'operands that the interpreter does not confirm' };
}
