// Proves a problem, and confirms a refutation by running its operands.
import { type Problem, proveShader } from '../prove-shader.ts';
import { breaksClaim } from '../run-problem.ts';
import type { Method, Solver, Verdict } from '../terms/solver.ts';
import { forgetTerms } from '../terms/term.ts';

/**
 * Some proofs replace a fact by a weaker one, so their operands may be impossible. The verdict is
 * unknown if the test interpreter returns the right results for the operands.
 */
export async function proveConfirmed(solver: Solver, problem: Problem): Promise<Verdict> {
  const verdict = await proveShader(solver, problem);
  if (verdict.kind !== 'refuted' || breaksClaim(problem, verdict.values)) return verdict;
  return { kind: 'unknown', reason: 'operands that the interpreter does not confirm' };
}

/** Proves the problem of each value. Ends at the first one that is not proved. */
export async function proveEach<T>(
  solver: Solver,
  values: readonly T[],
  problemOf: (value: T) => Problem,
): Promise<Verdict> {
  let by: Method = 'diagrams';
  for (const value of values) {
    forgetTerms();
    const verdict = await proveConfirmed(solver, problemOf(value));
    if (verdict.kind !== 'proved') return verdict;
    if (verdict.by === 'solver') by = 'solver';
  }
  return { kind: 'proved', by };
}
