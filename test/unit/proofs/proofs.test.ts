// Proofs of generated WGSL. Right code is proved, and wrong code is refuted by operands that show
// the fault. `npm run prove` proves everything else.
import { expect, test } from 'vitest';
import { planFor, portablePlan } from '../../../src/base/lane-plan.ts';
import { laneRule, warpRule } from '../../proofs/by-label.ts';
import { controlProblem } from '../../proofs/control-problem.ts';
import { laneProblem } from '../../proofs/lane-problem.ts';
import { mutantsOf } from '../../proofs/mutants.ts';
import { evaluate, proveEqual, RewriteProver } from '../../proofs/prove-rewrite.ts';
import { proveShader } from '../../proofs/prove-shader.ts';
import { mutantsOfRewrite } from '../../proofs/rewrite-mutants.ts';
import { addressClaims } from '../../proofs/rules/address-forms.ts';
import { controlCases } from '../../proofs/rules/control-cases.ts';
import { areConstantsRight, areDemandsRight, areResultsRight, guardClaims } from '../../proofs/rules/quanta-rules.ts';
import { rewrites } from '../../proofs/rules/simplifications.ts';
import { breaksClaim } from '../../proofs/run-problem.ts';
import { decide } from '../../proofs/terms/bits.ts';
import { Solver } from '../../proofs/terms/solver.ts';
import { add, bitAnd, compare, constant, equal, ite, mul, not, shiftLeft, variable } from '../../proofs/terms/term.ts';
import { warpProblem } from '../../proofs/warp-problem.ts';
import { seeded } from '../../seed.ts';

const solver = new Solver();
solver.limit(4_000_000);

test('terms fold constants and keep the rest', () => {
  const x = variable('x');
  expect(add(constant(0xffffffff), constant(2)).value).toBe(1n);
  expect(mul(x, constant(1))).toBe(x);
  expect(bitAnd(x, constant(0)).value).toBe(0n);
  expect(shiftLeft(constant(1), constant(32)).value).toBe(0n);
  expect(compare('bvslt', constant(-1), constant(0)).value).toBe(1n);
  expect(ite(equal(x, x), constant(1), constant(2)).value).toBe(1n);
  expect(not(not(equal(x, constant(3))))).toBe(equal(constant(3), x));
});

test.each([
  'add.s32.sat',
  'sub.cc.u64',
  'bfind.u32.shiftamt',
  'szext.clamp.s32',
  'bmsk.wrap',
  'shr.s64',
  'shf.l.clamp',
  'prmt.ecl',
  'sad.s16',
])('the WGSL of %s is right for all operands', async (label) => {
  expect(await proveShader(solver, laneProblem(laneRule(label)))).toMatchObject({ kind: 'proved' });
});

test.each([
  { name: 'vote.sync.all.pred', plan: planFor(32) },
  { name: 'redux.sync.min.s32', plan: portablePlan('lane') },
  { name: 'elect.sync', plan: planFor(64) },
  { name: 'vote.sync.ballot.b32', plan: planFor(8) },
  { name: 'activemask.b32 under a guard', plan: portablePlan('warp') },
])('the WGSL of $name is right for all lanes and operands on the $plan.kind plan', async ({ name, plan }) => {
  expect(await proveShader(solver, warpProblem(warpRule(name), plan))).toMatchObject({ kind: 'proved' });
});

test('a ballot with the bits of other lanes is refuted', async () => {
  const problem = warpProblem(warpRule('vote.sync.ballot.b32'), planFor(8));
  const code = problem.code.replace('<< (s * 8u)', '<< (s * 4u)');
  expect(code).not.toBe(problem.code);
  const verdict = await proveShader(solver, { ...problem, code });
  if (verdict.kind !== 'refuted') throw new Error('the shader is wrong');
  expect(breaksClaim({ ...problem, code }, verdict.values)).toBe(true);
  expect(breaksClaim(problem, verdict.values)).toBe(false);
});

/** A random mutant of each instruction's code is refuted, unless the mutation has no effect. */
test.each(['sad.s16', 'szext.clamp.s32', 'bmsk.clamp', 'shf.r.wrap', 'bfind.s32', 'add.s32.sat'])(
  'operands refute faults in the WGSL of %s',
  async (label) => {
    const draw = seeded('mutants', label);
    const problem = laneProblem(laneRule(label));
    const mutants = mutantsOf(problem.code);
    const mutant = mutants[draw.below(mutants.length)];
    if (mutant === undefined) throw new Error(`${label} has no mutant`);
    const wrong = { ...problem, code: mutant.code };
    const verdict = await proveShader(solver, wrong);
    expect(verdict.kind).not.toBe('unknown');
    if (verdict.kind === 'refuted') {
      expect(breaksClaim(wrong, verdict.values), mutant.text).toBe(true);
      expect(breaksClaim(problem, verdict.values)).toBe(false);
      return;
    }
    // According to the proof, the mutation has no effect. Check this with random operands.
    for (let i = 0; i < 50; i++) {
      const values = new Map(
        laneRule(label)
          .sources.flatMap(({ name }) => [`${name}0`, `${name}1`])
          .map((name) => [name, BigInt(draw.u32())]),
      );
      expect(breaksClaim(wrong, values), mutant.text).toBe(false);
    }
  },
);

test('the simplifier replaces operations on bits by equal values', async () => {
  const prover = new RewriteProver(solver);
  const random = seeded('rewrites');
  const drawn = [...rewrites(['i1'])].filter(() => random.below(8) === 0);
  expect(drawn.length).toBeGreaterThan(100);
  for (const rewrite of drawn) expect(await prover.prove(rewrite)).toMatchObject({ verdict: { kind: 'proved' } });
});

test('operands refute faults in a rule of the simplifier', async () => {
  const outcomes = [];
  for (const rewrite of rewrites(['i1'])) {
    if (rewrite.op !== 'xor' || rewrite.result.kind !== 'result') continue;
    if (outcomes.length > 20) break;
    for (const mutant of mutantsOfRewrite(rewrite)) {
      const verdict = await proveEqual(solver, mutant, new Map());
      if (verdict.kind !== 'refuted') continue;
      const [original, result] = [mutant.original, mutant.result].map((value) => evaluate(value, verdict.values));
      outcomes.push(original === result);
    }
  }
  expect(outcomes.length).toBeGreaterThan(10);
  expect(outcomes).not.toContain(true);
});

test('indices are the addresses that they replace, in units', () => {
  let count = 0;
  for (const { text, claim } of addressClaims((op) => op === 'shl')) {
    if (decide(claim())?.kind !== 'proved') throw new Error(`${text} has another value, level, interval or index`);
    count += 1;
  }
  expect(count).toBeGreaterThan(500);
});

test('a guard tests that values have a quantum, and rounding to nearest keeps it', () => {
  for (const claim of guardClaims()) expect(decide(claim)?.kind).toBe('proved');
  expect(areConstantsRight()).toBe(true);
  expect(areResultsRight()).toBe(true);
  expect(areDemandsRight()).toBe(true);
});

test('warp instructions under active masks read the lanes that reach them', async () => {
  const control = controlCases.find(({ name }) => name === 'exit; ballot');
  const problem = control && controlProblem(control, planFor(32));
  if (problem === undefined) throw new Error('the kernel is structured');
  expect(await proveShader(solver, problem)).toMatchObject({ kind: 'proved' });
  // Lanes that have ended must not execute the ballot.
  const code = problem.code.replace('live = other_arm;', 'live = live || other_arm;');
  expect(code).not.toBe(problem.code);
  const verdict = await proveShader(solver, { ...problem, code });
  if (verdict.kind !== 'refuted') throw new Error('the shader is wrong');
  expect(breaksClaim({ ...problem, code }, verdict.values)).toBe(true);
});
