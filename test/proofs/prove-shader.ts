// Executes a shader on terms, and proves claims about its results.
import { type Claim, termOf } from './claim.ts';
import { assume, bitsOfLanes, type DecideBit, decideBit, isAboutFewLanes } from './prove-bit.ts';
import { ReductionProver } from './prove-reduction.ts';
import { withoutExtremes } from './terms/agreement.ts';
import { decide } from './terms/bits.ts';
import { OutOfBudget, setBudget } from './terms/budget.ts';
import { orderOf, propagate } from './terms/rewrite.ts';
import type { Method, Solver, Verdict } from './terms/solver.ts';
import { strengthen } from './terms/strengthen.ts';
import { bitAt, equal, isTrue, not, partsOf, type Term, yes } from './terms/term.ts';
import type { MachineOptions } from './wgsl/environment.ts';
import { Machine, Question } from './wgsl/machine.ts';
import { at } from './wgsl/place.ts';

/** `output`: the binding of the buffer with the results. */
export interface ShaderOptions extends Omit<MachineOptions, 'answers'> {
  readonly output: number;
}

/** A shader, and claims about the words that it leaves in a buffer. */
export interface Problem {
  readonly code: string;
  readonly options: ShaderOptions;
  readonly claims: (words: readonly Term[]) => readonly Claim[];
  /** The limit of the work of the proof. Absent: `defaultUnits`. */
  readonly units?: number;
  /** Whether the bits of a result depend on few lanes, and the whole result on all of them. */
  readonly hasBitsOfLanes?: boolean;
}

/**
 * Proves that the words at binding `options.output` satisfy all claims after the shader has run,
 * that its indexes are in bounds, and that it does not have a race. Ends at the first claim that is
 * not proved.
 */
export async function proveShader(solver: Solver, problem: Problem): Promise<Verdict> {
  setBudget(problem.units ?? defaultUnits);
  try {
    return await prove(solver, problem);
  } catch (error) {
    if (error instanceof OutOfBudget) return { kind: 'unknown', reason: 'the limit of terms' };
    throw error;
  } finally {
    setBudget(Number.POSITIVE_INFINITY);
  }
}

/** The limit of the work of a proof: less than a minute. */
const defaultUnits = 40_000_000;

async function prove(solver: Solver, { code, options, claims, hasBitsOfLanes }: Problem): Promise<Verdict> {
  const answers = new Map<Term, boolean>();
  let by: Method = 'diagrams';
  for (;;) {
    const machine = new Machine(code, { ...options, answers });
    try {
      machine.run();
    } catch (error) {
      if (!(error instanceof Question)) throw error;
      const isImpossible = not(error.condition);
      const verdict = decideParts(isImpossible) ?? (await solver.prove(isImpossible));
      if (verdict.kind === 'unknown') return verdict;
      answers.set(error.condition, verdict.kind !== 'proved');
      if (verdict.kind === 'proved' && verdict.by === 'solver') by = 'solver';
      continue;
    }
    const reductions = new ReductionProver();
    const decideOne = hasBitsOfLanes === true ? bitsOfLanes() : decideBit;
    const required = machine.memory.requirements.map((found) => ({ condition: yes(), found, expected: yes() }));
    for (const claim of [...required, ...claims(machine.wordsOf(options.output))]) {
      const verdict = await proveClaim(solver, reductions, claim, decideOne);
      if (verdict.kind !== 'proved') return verdict;
      if (verdict.by === 'solver') by = 'solver';
    }
    return { kind: 'proved', by };
  }
}

/** The maximum number of terms of a claim. With more, the solver would exceed its limit. */
const maxTerms = 20_000;

/** Tries the bits of a claim about few lanes, stronger claims, the claim, and last all bits. */
async function proveClaim(
  solver: Solver,
  reductions: ReductionProver,
  original: Claim,
  decideOne: DecideBit,
): Promise<Verdict> {
  if (isTrue(termOf(original)) || reductions.isProved(original)) return { kind: 'proved', by: 'diagrams' };
  const known = ofConditions(assume(original));
  const bits = bitClaims(known);
  const isFirst = decideOne !== decideBit || bits.every(isAboutFewLanes);
  if (isFirst && bits.every((bit) => decideOne(bit)?.kind === 'proved')) return { kind: 'proved', by: 'diagrams' };
  const claim = withoutExtremes(termOf(known));
  const stronger = strengthen(propagate(claim));
  const unconditional = strengthen(propagate(withoutExtremes(equal(known.found, known.expected))));
  for (const each of new Set([unconditional, stronger, claim])) {
    const verdict = decideParts(each);
    if (verdict?.kind === 'proved' || (verdict !== undefined && each === claim)) return verdict;
  }
  if (bits.every((bit) => decideOne(bit)?.kind === 'proved')) return { kind: 'proved', by: 'diagrams' };
  if (orderOf(claim).length > maxTerms) return { kind: 'unknown', reason: 'too many terms' };
  if (stronger !== claim && (await solver.prove(stronger)).kind === 'proved') return { kind: 'proved', by: 'solver' };
  return solver.prove(claim);
}

/**
 * Decides each part of a conjunction of many parts, such as one for each lane. It needs smaller
 * diagrams than the whole. The bits of a lane number share most of theirs.
 */
function decideParts(claim: Term): Verdict | undefined {
  const parts = partsOf('and', claim);
  if (parts.length <= bitsOfNumber) return decide(claim);
  for (const part of parts) {
    const verdict = decide(part);
    if (verdict?.kind !== 'proved') return verdict;
  }
  return { kind: 'proved', by: 'diagrams' };
}

/** The width of the numbers that replace moved values. */
const bitsOfNumber = 8;

/** Replaces a claim about choices between two words by a claim about their conditions. */
function ofConditions(claim: Claim): Claim {
  const [found, ...words] = claim.found.args;
  const [expected, ...others] = claim.expected.args;
  const areChoices = claim.found.kind === 'ite' && claim.expected.kind === 'ite';
  if (!areChoices || found === undefined || expected === undefined) return claim;
  const areEqual = words.every((word, index) => isTrue(equal(word, at(others, index))));
  return areEqual ? { ...claim, found, expected } : claim;
}

/** Returns the claims about the bits of a word. */
const bitClaims = ({ condition, found, expected }: Claim): readonly Claim[] =>
  found.width === 0
    ? [{ condition, found, expected }]
    : Array.from({ length: found.width }, (_, index) => ({
        condition,
        found: bitAt(found, index),
        expected: bitAt(expected, index),
      }));
