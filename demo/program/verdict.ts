// Explains the result of a run.
import type { Dim3 } from '../../src/base/launch.ts';
import type { Finding } from '../../src/cpu-ref/executor.ts';
import type { Comparison } from '../../src/harness/compare/compare.ts';
import { noWriteAdvice } from '../../src/harness/report/advice.ts';

/**
 * The kind of a verdict:
 * - `agrees`, `differs`: whether the GPU's results equal those of the reference
 * - `undefined`: the kernel has undefined behavior, so the comparison is not conclusive
 * - `neutral`: there is nothing to compare
 */
export type VerdictKind = 'agrees' | 'differs' | 'undefined' | 'neutral';

export interface Verdict {
  readonly kind: VerdictKind;
  /** The first words of the verdict. */
  readonly title: string;
  readonly text: string;
}

/** A launch that the search did not suggest, and in which threads conflict. */
export interface ConflictingLaunch {
  readonly grid: Dim3;
  readonly block: Dim3;
  /** The number of findings about the order of threads. */
  readonly findings: number;
}

export interface Outcome {
  /**
   * The comparison; undefined if the reference has no result. `problem` then contains the reason.
   */
  readonly comparison: Comparison | undefined;
  readonly problem: string;
  /** The number of elements that the kernel wrote. */
  readonly written: number;
  readonly findings: readonly Pick<Finding, 'code'>[];
  /** A launch with other threads that the page has tried and in which threads conflict. */
  readonly conflicting: ConflictingLaunch | undefined;
  /** The reason why floats are compared with a tolerance. */
  readonly tolerance: string | undefined;
}

/**
 * Codes of findings that do not by themselves make the behavior undefined. These are lanes with an
 * undefined result, which the kernel may ignore; reads of unwritten registers, which compilers
 * emit; and stores of equal values.
 */
const harmless: ReadonlySet<Finding['code']> = new Set(['RUN003', 'RUN006', 'RUN026']);

export const isHarmless = (code: Finding['code']): boolean => harmless.has(code);

const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

export function verdictOf(outcome: Outcome): Verdict {
  const verdict = verdictOfRun(outcome);
  // The findings of this run are shown below the verdict. They are more important than those of
  // another launch.
  if (outcome.conflicting === undefined || verdict.kind === 'undefined') return verdict;
  const { grid, block, findings } = outcome.conflicting;
  const where = `at grid ${sizeText(grid)} with blocks of ${sizeText(block)}`;
  const conflict = `But threads conflict ${where}, which the page has also tried: ${counted(findings, 'finding')}.`;
  return { ...verdict, text: `${verdict.text} ${conflict}`.trim() };
}

/** Formats a size, such as `32 × 8`. */
const sizeText = (size: Dim3): string => size.slice(0, size[2] > 1 ? 3 : size[1] > 1 ? 2 : 1).join(' × ');

function verdictOfRun({ comparison, problem, written, findings: all, tolerance }: Outcome): Verdict {
  const findings = all.filter(({ code }) => !isHarmless(code)).length;
  const result = comparison && comparisonText(comparison, written, tolerance);
  if (findings > 0) {
    const title = `Undefined behavior (${counted(findings, 'finding')})`;
    return {
      kind: 'undefined',
      title,
      text: `PTX does not define this run, see the findings below. ${result?.text ?? ''}`.trim(),
    };
  }
  if (!comparison || !result) {
    return { kind: 'neutral', title: 'Ran, but there is nothing to compare with', text: problem };
  }
  if (written === 0) {
    return { kind: 'neutral', title: 'No buffer changed', text: noWriteAdvice };
  }
  const kind = comparison.mismatches > 0 ? 'differs' : 'agrees';
  return { kind, ...result };
}

function comparisonText(
  { mismatches, undefined: unknown }: Comparison,
  written: number,
  tolerance: string | undefined,
): { readonly title: string; readonly text: string } {
  const compared = Math.max(written - unknown, 0);
  const unknownText =
    unknown === 0 ? '' : ` PTX leaves ${counted(unknown, 'value')} undefined, which the page does not compare.`;
  const how = tolerance === undefined ? '' : ` within a tolerance, since ${tolerance}`;
  if (compared === 0)
    return { title: 'Nothing to compare', text: `The kernel wrote no value that PTX defines.${unknownText}` };
  if (mismatches > 0) {
    return {
      title: 'Differs',
      text: `${mismatches.toLocaleString('en')} of ${counted(compared, 'written value')} differ from the reference${how}.${unknownText}`,
    };
  }
  const all = compared === 1 ? 'The written value agrees' : `All ${counted(compared, 'written value')} agree`;
  return { title: 'Agrees', text: `${all} with the reference${how}.${unknownText}` };
}
