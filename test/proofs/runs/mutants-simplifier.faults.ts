// Changes one constant or operation of proved rewrites of the simplifier. A proof must refute each
// change that has an effect. The constant folding of the compiler, which shares no code with the
// proof, must return different results for the operands of the refutation.
import { expect, test } from 'vitest';
import { missing } from '../../../src/base/invariants.ts';
import { getOrInsert } from '../../../src/base/maps.ts';
import type { Value } from '../../../src/translate/ir/nodes.ts';
import { widthOf } from '../../../src/translate/ir/types.ts';
import { seeded } from '../../seed.ts';
import { evaluate, proveEqual } from '../prove-rewrite.ts';
import { mutantsOfRewrite } from '../rewrite-mutants.ts';
import { claimText, type Rewrite, rewrites } from '../rules/simplifications.ts';
import { Solver } from '../terms/solver.ts';
import { writeRecords } from './records.ts';

const solver = new Solver();
solver.limit(500_000);
const exact = new Map<never, never>();

async function outcomeOf(mutant: Rewrite): Promise<'refuted' | 'not confirmed' | 'proved' | 'not decided'> {
  const verdict = await proveEqual(solver, mutant, exact);
  if (verdict.kind === 'proved') return 'proved';
  if (verdict.kind === 'refuted') return isEqualFor(mutant, verdict.values) ? 'not confirmed' : 'refuted';
  const parameters = parametersOf(mutant.original);
  const [only, ...others] = parameters;
  // If the solver reaches its limit, all values of a short word decide. For others, values are drawn.
  const isShort = only !== undefined && others.length === 0 && widthOf(only.type) <= 16;
  const random = seeded('operands', claimText(mutant, exact, false));
  const draw = (): bigint => (BigInt(random.u32()) << 32n) | BigInt(random.u32());
  for (let count = 0; count < (isShort ? 2 ** widthOf(only.type) : draws); count++) {
    const values = parameters.map((each) => {
      const value = isShort ? BigInt(count) : BigInt.asUintN(widthOf(each.type), draw());
      return [each.hint ?? missing('the name of a parameter'), value] as const;
    });
    if (!isEqualFor(mutant, new Map(values))) return 'refuted';
  }
  return isShort ? 'proved' : 'not decided';
}

/** The number of values that are drawn for each parameter. */
const draws = 1000;

function isEqualFor({ original, result }: Rewrite, values: ReadonlyMap<string, bigint>): boolean {
  return evaluate(original, values) === evaluate(result, values);
}

type Parameter = Extract<Value, { readonly kind: 'param' }>;

/** Returns the parameters of a value, each once. */
function parametersOf(value: Value, found = new Set<Parameter>()): readonly Parameter[] {
  if (value.kind === 'param') found.add(value);
  if (value.kind === 'result') for (const arg of value.inst.args) parametersOf(arg, found);
  return [...found];
}

const mutantsByOperation = 8;

test('proofs refute at least 95 % of the faults in rewrites', async () => {
  const byOp = new Map<string, Rewrite[]>();
  for (const each of rewrites()) getOrInsert(byOp, each.op, (): Rewrite[] => []).push(each);
  const records: { rule: string; plan: string; line: number; text: string; outcome: string }[] = [];
  for (const [op, all] of byOp) {
    const random = seeded('mutants', op);
    for (let count = 0; count < mutantsByOperation; count++) {
      const [rewrite] = all.splice(random.below(all.length), 1);
      if (rewrite === undefined) break;
      const mutants = [...mutantsOfRewrite(rewrite)];
      const mutant = mutants[random.below(mutants.length)];
      if (mutant === undefined) continue;
      const text = claimText(mutant, exact, false);
      const rule = claimText(rewrite, exact, false);
      records.push({ rule, plan: 'simplifier', line: 0, text, outcome: await outcomeOf(mutant) });
    }
  }
  writeRecords('mutants-simplifier', records);
  const withEffect = records.filter(({ outcome }) => outcome !== 'proved');
  const refuted = withEffect.filter(({ outcome }) => outcome === 'refuted');
  expect(refuted.length / withEffect.length).toBeGreaterThanOrEqual(0.95);
});
