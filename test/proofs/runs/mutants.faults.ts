// Changes one operator or constant of the WGSL of proved instructions. A proof must refute each
// change that has an effect, and the test interpreter must confirm the operands of the refutation.
// A change without an effect must be proved: the changed shader still returns what the manual
// defines.
import { describe, expect, test } from 'vitest';
import { describePlan, type LanePlan, planFor, portablePlan } from '../../../src/base/lane-plan.ts';
import { variants } from '../../lane-rows/variants.ts';
import { seeded } from '../../seed.ts';
import { hasFormula, laneProblem } from '../lane-problem.ts';
import { type Mutant, mutantsOf } from '../mutants.ts';
import { type Problem, proveShader } from '../prove-shader.ts';
import { warpCases } from '../rules/warp-cases.ts';
import { isBroken } from '../run-problem.ts';
import { Solver } from '../terms/solver.ts';
import { forgetTerms } from '../terms/term.ts';
import { warpProblem } from '../warp-problem.ts';
import { OutOfBounds } from '../wgsl/place.ts';
import { writeRecords } from './records.ts';

/** `refuted`: by operands that the interpreter confirms. `proved`: the change has no effect. */
type Outcome = 'refuted' | 'not confirmed' | 'proved' | 'not decided';

interface MutantRecord {
  readonly rule: string;
  readonly plan: string;
  /** The changed line of the shader. */
  readonly line: number;
  readonly text: string;
  readonly outcome: Outcome;
}

const records: MutantRecord[] = [];
const solver = new Solver();
solver.limit(2_000_000);

async function outcomeOf(problem: Problem, name: string): Promise<Outcome> {
  const verdict = await proveShader(solver, problem).catch((error: unknown) => {
    // If an index is outside of an array for all operands, any operands refute the shader.
    if (error instanceof OutOfBounds) return { kind: 'refuted', values: new Map<string, bigint>() } as const;
    throw error;
  });
  if (verdict.kind === 'proved') return 'proved';
  if (isBroken(problem, verdict.kind === 'refuted' ? verdict.values : new Map(), name)) return 'refuted';
  return verdict.kind === 'unknown' ? 'not decided' : 'not confirmed';
}

/** Draws distinct mutants of a shader. */
function draw(code: string, name: string, count: number): readonly Mutant[] {
  const random = seeded('mutants', name);
  const all = [...mutantsOf(code)];
  const drawn: Mutant[] = [];
  while (drawn.length < count && all.length > 0) drawn.push(...all.splice(random.below(all.length), 1));
  return drawn;
}

async function examine(rule: string, plan: string, make: () => Problem, count: number): Promise<void> {
  forgetTerms();
  for (const mutant of draw(make().code, `${rule} ${plan}`, count)) {
    forgetTerms();
    const outcome = await outcomeOf({ ...make(), code: mutant.code }, mutant.text);
    records.push({ rule, plan, line: mutant.line, text: mutant.text, outcome });
  }
  writeRecords('mutants', records);
}

/** No proof finishes for products and quotients of words, so none refutes their faults either. */
const isProvable = /^(?!mul|mad|div|rem|fns|lop3|dp|sad\..64|popc.b64)/;
const provable = variants.filter((each) => hasFormula(each) && isProvable.test(each.label));
/** One form of each instruction. */
const forms = [...new Map(provable.map((each) => [each.row, each])).values()];

test.each(forms)('faults of $label', async (variant) => {
  await examine(variant.label, '', () => laneProblem(variant), 6);
});

const plans: readonly LanePlan[] = [planFor(32), planFor(64), planFor(8), portablePlan('lane'), portablePlan('warp')];
const subjects = warpCases.filter(
  ({ masks, match, name }) =>
    masks === undefined && match === undefined && name.includes('sync') && !/guard/.test(name),
);

describe.each(plans.map((plan) => ({ plan, words: describePlan(plan) })))('on the $words', ({ plan, words }) => {
  test.each(subjects)('faults of $name', async (each) => {
    await examine(each.name, words, () => warpProblem(each, plan), 2);
  });
});

test('proofs refute at least 95 % of 200 faults', () => {
  const withEffect = records.filter(({ outcome }) => outcome !== 'proved');
  const refuted = withEffect.filter(({ outcome }) => outcome === 'refuted');
  expect(withEffect.length).toBeGreaterThanOrEqual(200);
  expect(refuted.length / withEffect.length).toBeGreaterThanOrEqual(0.95);
});
