// Executes a shader on terms, and proves claims about its results.
import { strengthen } from './terms/moved-values.ts';
import type { Solver, Verdict } from './terms/solver.ts';
import { bitAt, equal, isTrue, not, or, type Term } from './terms/term.ts';
import type { MachineOptions } from './wgsl/environment.ts';
import { Machine, Question } from './wgsl/machine.ts';

export type Claims = (words: readonly Term[]) => readonly Term[];

/**
 * Proves that the words at binding 1 satisfy all claims after the shader has run, that its indexes
 * are in bounds, and that it does not have a race. Ends at the first claim that is not proved.
 */
export async function proveShader(
  solver: Solver,
  code: string,
  options: Omit<MachineOptions, 'answers'>,
  claims: Claims,
): Promise<Verdict> {
  const answers = new Map<Term, boolean>();
  for (;;) {
    const machine = new Machine(code, { ...options, answers });
    try {
      machine.run();
    } catch (error) {
      if (!(error instanceof Question)) throw error;
      const verdict = await solver.prove(not(error.condition));
      if (verdict.kind === 'unknown') return verdict;
      answers.set(error.condition, verdict.kind !== 'proved');
      continue;
    }
    const all = [...machine.memory.requirements, ...claims(machine.wordsOf(1))];
    for (const claim of new Set(all.filter((each) => !isTrue(each)))) {
      const verdict = await proveClaim(solver, claim);
      if (verdict.kind !== 'proved') return verdict;
    }
    return { kind: 'proved' };
  }
}

/** Tries to prove a stronger claim, then the claim itself, and finally each bit of it. */
async function proveClaim(solver: Solver, claim: Term): Promise<Verdict> {
  const stronger = strengthen(claim);
  if (stronger !== claim && (await solver.prove(stronger)).kind === 'proved') return { kind: 'proved' };
  const whole = await solver.prove(claim);
  const bits = whole.kind === 'unknown' ? bitClaims(claim) : undefined;
  if (bits === undefined) return whole;
  for (const bit of bits) {
    const verdict = await solver.prove(bit);
    if (verdict.kind !== 'proved') return verdict;
  }
  return { kind: 'proved' };
}

/**
 * Splits an equation of words into equations of bits with the same conditions. Returns undefined
 * for other claims.
 */
function bitClaims(claim: Term): readonly Term[] | undefined {
  const parts = claim.kind === 'or' ? claim.args : [claim];
  const equation = parts.find(({ kind, args }) => kind === '=' && (args[0]?.width ?? 0) > 0);
  const [a, b] = equation?.args ?? [];
  if (a === undefined || b === undefined) return undefined;
  const rest = parts.filter((part) => part !== equation);
  return Array.from({ length: a.width }, (_, index) => or(...rest, equal(bitAt(a, index), bitAt(b, index))));
}
