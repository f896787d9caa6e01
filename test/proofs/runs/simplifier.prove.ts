// Proves the rewrites of the simplifier, for all operands.
import { expect, test } from 'vitest';
import { getOrInsert } from '../../../src/base/maps.ts';
import { arithmeticRules } from '../../../src/translate/ir/simplify/arithmetic.ts';
import { bitRules } from '../../../src/translate/ir/simplify/bits.ts';
import { compareRules } from '../../../src/translate/ir/simplify/compare.ts';
import { convertRules } from '../../../src/translate/ir/simplify/convert.ts';
import { RewriteProver } from '../prove-rewrite.ts';
import { type Rewrite, rewrites } from '../rules/simplifications.ts';
import { Solver } from '../terms/solver.ts';
import { type ProofRecord, processorTime, writeRecords } from './records.ts';

const solver = new Solver();
solver.limit(100_000);

/** Rules for operations of floats have other proofs. */
const integerRules = Object.keys({ ...arithmeticRules, ...bitRules, ...compareRules, ...convertRules }).filter(
  (op) => op !== 'bitcast',
);

test('the simplifier replaces operations by equal values', async () => {
  const byOp = new Map<string, Rewrite[]>();
  for (const each of rewrites()) getOrInsert(byOp, each.op, (): Rewrite[] => []).push(each);
  expect([...byOp.keys()]).toEqual(expect.arrayContaining(integerRules));
  const records: (ProofRecord & { readonly claims: number })[] = [];
  const wrong: string[] = [];
  for (const [op, all] of byOp) records.push(...(await proveAll(op, all, wrong)));
  writeRecords('simplifier', records);
  expect(wrong).toEqual([]);
});

/** Proves the rewrites of an operation. Returns a record for each shape of a rule. */
async function proveAll(op: string, all: readonly Rewrite[], wrong: string[]) {
  const prover = new RewriteProver(solver);
  const shapes = new Map<string, { claims: Set<string>; open: number; by: Set<string>; ms: number }>();
  for (const rewrite of all) {
    const start = processorTime();
    const { text, shape, verdict } = await prover.prove(rewrite);
    const found = shapes.get(shape) ?? { claims: new Set(), open: 0, by: new Set(), ms: 0 };
    shapes.set(shape, found);
    if (verdict.kind === 'refuted') wrong.push(text);
    if (!found.claims.has(text) && verdict.kind !== 'proved') found.open += 1;
    found.claims.add(text);
    if (verdict.kind === 'proved') found.by.add(verdict.by);
    found.ms += processorTime() - start;
  }
  return [...shapes].map(([rule, { claims, open, by, ms }]) => ({
    rule,
    row: op,
    plan: 'simplifier',
    verdict: open === 0 ? ('proved' as const) : ('unknown' as const),
    by: open > 0 ? 'the limit of the solver' : by.has('solver') ? 'solver' : 'diagrams',
    claims: claims.size,
    ms: Math.round(ms),
  }));
}
