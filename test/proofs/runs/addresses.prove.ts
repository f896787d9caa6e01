// Proves the rules of affine forms of addresses, for all values of their parts.
import { expect, test } from 'vitest';
import { getOrInsert } from '../../../src/base/maps.ts';
import { addressClaims } from '../rules/address-forms.ts';
import { Solver } from '../terms/solver.ts';
import { forgetTerms } from '../terms/term.ts';
import { proveAddress } from './addresses.ts';
import { type ProofRecord, processorTime, writeRecords } from './records.ts';

const solver = new Solver();
solver.limit(500_000);

/** The verdicts of the claims about one fact and one operation. */
interface Rule {
  readonly row: string;
  claims: number;
  readonly by: Set<string>;
  readonly open: string[];
  ms: number;
}

test('addresses and their indices are the sums that their forms describe', async () => {
  const rules = new Map<string, Rule>();
  const wrong = new Map<string, string>();
  for (const { op, fact, text, claim } of addressClaims()) {
    const start = processorTime();
    forgetTerms();
    const verdict = await proveAddress(solver, claim());
    const found = getOrInsert(
      rules,
      `${op}: ${fact}`,
      (): Rule => ({ row: op, claims: 0, by: new Set(), open: [], ms: 0 }),
    );
    found.claims += 1;
    found.ms += processorTime() - start;
    if (verdict.kind === 'proved') found.by.add(verdict.by);
    else found.open.push(text);
    if (verdict.kind === 'refuted') wrong.set(`${op}: ${fact}`, text);
  }
  const records = [...rules].map(
    ([rule, { row, claims, by, open, ms }]): ProofRecord & { readonly claims: number } => ({
      rule,
      row,
      plan: 'addresses',
      verdict: wrong.has(rule) ? 'refuted' : open.length > 0 ? 'unknown' : 'proved',
      by: open.length > 0 ? open.join('; ') : by.has('solver') ? 'solver' : 'diagrams',
      claims,
      ms: Math.round(ms),
    }),
  );
  writeRecords('addresses', records);
  expect([...wrong]).toEqual([]);
});
