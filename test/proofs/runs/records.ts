// The verdicts of a run, which `npm run prove` collects in `reports/proofs`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Verdict } from '../terms/solver.ts';

export interface ProofRecord {
  readonly rule: string;
  /**
   * The name of the instruction. For lane instructions, the rule is one of the instruction's forms.
   */
  readonly row: string;
  /** The lane plan in words; '' for lane instructions, which do not depend on it. */
  readonly plan: string;
  readonly verdict: Verdict['kind'];
  /** What proved the rule, or why nothing decided it. */
  readonly by: string;
  readonly ms: number;
}

const folder = 'reports/proofs';

/** Writes records after each proof, so that an interrupted run leaves its verdicts. */
export function writeRecords(name: string, all: readonly object[]): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(all));
}

/** Returns a function that records a verdict and fails if it is a refutation. */
export function records(
  name: string,
): (rule: Pick<ProofRecord, 'rule' | 'row' | 'plan'>, prove: () => Promise<Verdict>) => Promise<void> {
  const all: ProofRecord[] = [];
  return async (rule, prove) => {
    const start = performance.now();
    const verdict = await prove();
    all.push({ ...rule, verdict: verdict.kind, by: reasonOf(verdict), ms: Math.round(performance.now() - start) });
    writeRecords(name, all);
    const example = verdict.kind === 'refuted' ? describeExample(verdict.values) : '';
    expect(example, `${rule.rule} returns another result for these operands`).toBe('');
  };
}

/** What proved a rule, or why nothing decided it. */
function reasonOf(verdict: Verdict): string {
  if (verdict.kind === 'proved') return verdict.by;
  if (verdict.kind === 'refuted') return 'operands with another result';
  return /cancel|resource/.test(verdict.reason) ? 'the limit of the solver' : verdict.reason;
}

const describeExample = (values: ReadonlyMap<string, bigint>): string =>
  [...values].map(([name, value]) => `${name}=0x${value.toString(16)}`).join(' ') || 'any';
