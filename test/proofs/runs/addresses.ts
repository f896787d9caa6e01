// Proves claims about addresses.
import { decide } from '../terms/bits.ts';
import { orderOf } from '../terms/rewrite.ts';
import type { Solver, Verdict } from '../terms/solver.ts';
import type { Term } from '../terms/term.ts';

/** Diagrams of products are large, and the solver decides those of the claims. */
export async function proveAddress(solver: Solver, claim: Term): Promise<Verdict> {
  const hasProduct = orderOf(claim).some(({ kind }) => kind === 'bvmul');
  return (hasProduct ? undefined : decide(claim)) ?? solver.prove(claim);
}
