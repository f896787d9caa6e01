// Executes a shader on terms, and proves claims about its results.
import { getOrInsert } from '../../src/base/maps.ts';
import { type Claim, termOf } from './claim.ts';
import { ReductionProver } from './prove-reduction.ts';
import { withoutExtremes } from './terms/agreement.ts';
import { decide } from './terms/bits.ts';
import { OutOfBudget, setBudget } from './terms/budget.ts';
import { digestOfEquation } from './terms/digest.ts';
import { generalize } from './terms/generalize.ts';
import { localize } from './terms/localize.ts';
import { orderOf, propagate, replace } from './terms/rewrite.ts';
import type { Method, Solver, Verdict } from './terms/solver.ts';
import { strengthen } from './terms/strengthen.ts';
import { and, bitAt, equal, isTrue, not, partsOf, type Term, yes } from './terms/term.ts';
import { wordsIn } from './terms/words-in.ts';
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
      const verdict = await solver.prove(not(error.condition));
      if (verdict.kind === 'unknown') return verdict;
      answers.set(error.condition, verdict.kind !== 'proved');
      by = 'solver';
      continue;
    }
    const reductions = new ReductionProver();
    const required = machine.memory.requirements.map((found) => ({ condition: yes(), found, expected: yes() }));
    for (const claim of [...required, ...claims(machine.wordsOf(options.output))]) {
      const verdict = await proveClaim(solver, reductions, claim, hasBitsOfLanes === true);
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
  hasBitsOfLanes: boolean,
): Promise<Verdict> {
  if (isTrue(termOf(original)) || reductions.isProved(original)) return { kind: 'proved', by: 'diagrams' };
  const known = ofConditions(assume(original));
  const bits = bitClaims(known);
  if ((hasBitsOfLanes || bits.every(isAboutFewLanes)) && bits.every((bit) => decideBit(bit)?.kind === 'proved'))
    return { kind: 'proved', by: 'diagrams' };
  const claim = withoutExtremes(termOf(known));
  const stronger = strengthen(propagate(claim));
  const unconditional = strengthen(propagate(withoutExtremes(equal(known.found, known.expected))));
  for (const each of new Set([unconditional, stronger, claim])) {
    const verdict = decideParts(each);
    if (verdict?.kind === 'proved' || (verdict !== undefined && each === claim)) return verdict;
  }
  if (bits.every((bit) => decideBit(bit)?.kind === 'proved')) return { kind: 'proved', by: 'diagrams' };
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

/** Decides a claim about one bit, and first a stronger one about the lanes of the expected bit. */
function decideBit(bit: Claim): Verdict | undefined {
  const conjuncts = conjunctsOf(bit);
  if (conjuncts.length > 0 && conjuncts.every(isProvedOnce)) return { kind: 'proved', by: 'diagrams' };
  return decideWhole(bit);
}

/**
 * Returns claims about the parts of two conjunctions, from which it follows that both are equal.
 * Parts that both have in common need no claim, and those that are variables are assumed. If the
 * numbers of the other parts differ, each part of the result belongs to the expected part with which
 * it shares a word. Returns nothing if a part belongs to none or to several.
 */
function conjunctsOf({ found, expected }: Claim): readonly Claim[] {
  const [left, right] = [partsOf('and', found), partsOf('and', expected)];
  const own = left.filter((part) => !right.includes(part));
  const others = right.filter((part) => !left.includes(part));
  const shared = left.filter((part) => right.includes(part));
  const claimOf = (parts: readonly Term[], other: Term): Claim => ({
    ...assume({ condition: and(...shared), found: and(...parts), expected: other }),
    condition: yes(),
  });
  if (isTrue(expected)) return left.map((part) => claimOf([part], expected));
  if (own.length === others.length) return own.map((part, index) => claimOf([part], at(others, index)));
  const groups = others.map((other) => own.filter((part) => (wordsIn(part) & wordsIn(other)) !== 0n));
  const owners = own.map((part) => groups.filter((group) => group.includes(part)).length);
  return owners.every((count) => count === 1) ? groups.map((group, index) => claimOf(group, at(others, index))) : [];
}

/** Whether claims about single bits are proved, by their digests. Instructions share such claims. */
const knownBits = new Map<string, boolean>();

const isProvedOnce = (bit: Claim): boolean =>
  getOrInsert(
    knownBits,
    digestOfEquation(bit.found, bit.expected),
    () => isAboutFewLanes(bit) && decideWhole(bit)?.kind === 'proved',
  );

function decideWhole(bit: Claim): Verdict | undefined {
  const claim = termOf(bit);
  const local = localize(claim, bit.expected.lanes | bit.condition.lanes);
  for (const each of local === claim ? [] : [generalize(local), local]) {
    const verdict = decide(each);
    if (verdict?.kind === 'proved') return verdict;
  }
  return decide(claim);
}

/** Replaces the variables that are conditions of a claim by their values. */
function assume({ condition, found, expected }: Claim): Claim {
  const parts = partsOf('and', condition).filter(({ kind }) => kind === 'variable');
  const known = new Map(parts.map((part) => [part, yes()]));
  return { condition, found: replace(found, known), expected: replace(expected, known) };
}

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

/** Whether the expected bit depends on at most two lanes, and the result depends on more. */
function isAboutFewLanes({ found, expected }: Claim): boolean {
  let lanes = expected.lanes;
  if ((found.lanes & ~lanes) === 0) return expected.value !== undefined;
  for (let count = 0; count < 2; count++) lanes &= lanes - 1;
  return lanes === 0;
}
