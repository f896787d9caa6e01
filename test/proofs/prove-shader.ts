// Executes a shader on terms, and proves claims about its results.
import { decide } from './terms/bits.ts';
import { strengthen } from './terms/moved-values.ts';
import { orderOf, replace } from './terms/rewrite.ts';
import type { Solver, Verdict } from './terms/solver.ts';
import { and, bitAt, equal, isTrue, not, or, type Term, yes } from './terms/term.ts';
import type { MachineOptions } from './wgsl/environment.ts';
import { Machine, Question } from './wgsl/machine.ts';

/** `output`: the binding of the buffer with the results. */
export interface ShaderOptions extends Omit<MachineOptions, 'answers'> {
  readonly output: number;
}

/** A shader, and claims about the words that it leaves in a buffer. */
export interface Problem {
  readonly code: string;
  readonly options: ShaderOptions;
  readonly claims: (words: readonly Term[]) => readonly Term[];
}

/**
 * Proves that the words at binding `options.output` satisfy all claims after the shader has run,
 * that its indexes are in bounds, and that it does not have a race. Ends at the first claim that is
 * not proved.
 */
export async function proveShader(solver: Solver, { code, options, claims }: Problem): Promise<Verdict> {
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
    const all = [...machine.memory.requirements, ...claims(machine.wordsOf(options.output))];
    // Most claims hold for simple reasons and share most of their terms, so first decide all at
    // once.
    if (decide(and(...all.map((claim) => withoutConditions(strengthen(assumeConditions(claim))))))?.kind === 'proved')
      return { kind: 'proved' };
    for (const claim of new Set(all.filter((each) => !isTrue(each)))) {
      const verdict = await proveClaim(solver, claim);
      if (verdict.kind !== 'proved') return verdict;
    }
    return { kind: 'proved' };
  }
}

/** The maximum number of terms of a claim. With more, the solver would exceed its time limit. */
const maxTerms = 20_000;

/** Tries stronger claims, then the claim, and last each bit of it. */
async function proveClaim(solver: Solver, original: Term): Promise<Verdict> {
  const claim = assumeConditions(original);
  const stronger = strengthen(claim);
  for (const each of new Set([withoutConditions(stronger), stronger, claim])) {
    const verdict = decide(each);
    if (verdict?.kind === 'proved' || (verdict !== undefined && each === claim)) return verdict;
  }
  if (orderOf(claim).length > maxTerms) return { kind: 'unknown', reason: 'too many terms' };
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

/** Replaces the variables that are conditions of a claim by their values. */
function assumeConditions(claim: Term): Term {
  if (claim.kind !== 'or') return claim;
  const known = new Map<Term, Term>();
  for (const part of claim.args) {
    const [inner] = part.args;
    if (part.kind === 'not' && inner?.kind === 'variable') known.set(inner, yes());
  }
  const conditions = [...known.keys()].map(not);
  return known.size === 0 ? claim : or(...conditions, replace(claim, known));
}

/** The equation of a claim without the conditions under which it must hold. */
const withoutConditions = (claim: Term): Term =>
  claim.kind === 'or' ? (claim.args.find(({ kind }) => kind === '=') ?? claim) : claim;

/**
 * An equation of words as equations of bits, under the same conditions; undefined for other claims.
 */
function bitClaims(claim: Term): readonly Term[] | undefined {
  const parts = claim.kind === 'or' ? claim.args : [claim];
  const equation = parts.find(({ kind, args }) => kind === '=' && (args[0]?.width ?? 0) > 0);
  const [a, b] = equation?.args ?? [];
  if (a === undefined || b === undefined) return undefined;
  const rest = parts.filter((part) => part !== equation);
  return Array.from({ length: a.width }, (_, index) => or(...rest, equal(bitAt(a, index), bitAt(b, index))));
}
