// Changes facts about affine forms of addresses: levels, intervals and indices. A proof must refute
// each change that has an effect. The bits of the address, which the constant folding of the compiler
// computes for the operands of the refutation, must contradict the changed fact.
import { expect, test } from 'vitest';
import { getOrInsert } from '../../../src/base/maps.ts';
import { seeded } from '../../seed.ts';
import type { AddressFault } from '../rules/address-faults.ts';
import { type AddressClaim, addressClaims } from '../rules/address-forms.ts';
import { Solver } from '../terms/solver.ts';
import { forgetTerms } from '../terms/term.ts';
import { proveAddress } from './addresses.ts';
import { writeRecords } from './records.ts';

const solver = new Solver();
solver.limit(500_000);

async function outcomeOf({ claim, isWrong }: AddressFault): Promise<string> {
  forgetTerms();
  const verdict = await proveAddress(solver, claim());
  if (verdict.kind === 'proved') return 'proved';
  if (verdict.kind === 'unknown') return 'not decided';
  return isWrong(verdict.values) ? 'refuted' : 'not confirmed';
}

const faultsByRule = 6;
const isLongShift = ({ text }: AddressClaim): boolean => / (3[3-9]|[45]\d|6[0-3])\)/.test(text.replace(/,/g, ''));

test('proofs refute at least 95 % of the faults in facts about addresses', async () => {
  const byRule = new Map<string, AddressClaim[]>();
  for (const each of addressClaims()) {
    const name = `${each.op}: ${each.fact}${isLongShift(each) ? ', long shift' : ''}`;
    getOrInsert(byRule, name, (): AddressClaim[] => []).push(each);
  }
  const records: { rule: string; plan: string; line: number; text: string; outcome: string }[] = [];
  for (const [name, all] of byRule) {
    const random = seeded('mutants', name);
    for (let count = 0; count < faultsByRule; count++) {
      const [claim] = all.splice(random.below(all.length), 1);
      if (claim === undefined) break;
      const faults = claim.faults();
      const fault = faults[random.below(faults.length)];
      if (fault === undefined) continue;
      const outcome = await outcomeOf(fault);
      records.push({ rule: claim.text, plan: 'addresses', line: 0, text: fault.text, outcome });
    }
  }
  writeRecords('mutants-addresses', records);
  const withEffect = records.filter(({ outcome }) => outcome !== 'proved');
  const refuted = withEffect.filter(({ outcome }) => outcome === 'refuted');
  expect(refuted.length / withEffect.length).toBeGreaterThanOrEqual(0.95);
});
