// The verdicts of a run, which `npm run prove` collects in `reports/proofs`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
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
  /** The processor time of the proof, in milliseconds. */
  readonly ms: number;
}

const folder = 'reports/proofs';

/** The processor time of this process, in milliseconds. Other work on the machine does not change it. */
export function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Writes records after each proof, so that an interrupted run leaves its verdicts. A file also
 * contains the start and the end of its process as times in milliseconds, its processor time, and
 * the number of cores.
 */
export function writeRecords(name: string, records: readonly object[]): void {
  mkdirSync(folder, { recursive: true });
  const start = Math.round(performance.timeOrigin);
  const ms = Math.round(processorTime());
  const work = { commit: process.env.PROOFS_COMMIT, start, end: Date.now(), ms, cores: cpus().length };
  writeFileSync(join(folder, `${name}.json`), JSON.stringify({ ...work, records }));
}

/** Returns a function that records a verdict and fails if it is a refutation. */
export function records(
  name: string,
): (rule: Pick<ProofRecord, 'rule' | 'row' | 'plan'>, prove: () => Promise<Verdict>) => Promise<void> {
  const all: ProofRecord[] = [];
  return async (rule, prove) => {
    const start = processorTime();
    const verdict = await prove();
    all.push({ ...rule, verdict: verdict.kind, by: reasonOf(verdict), ms: Math.round(processorTime() - start) });
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
