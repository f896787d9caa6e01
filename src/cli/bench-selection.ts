// The entries that `bench` and `fleet bench` measure, and the sampling.

import type { BenchEntry } from '../harness/bench/entries/entry.ts';
import { instructionEntries } from '../harness/bench/entries/instruction-entries.ts';
import { kernelEntries } from '../harness/bench/entries/kernel-entries.ts';
import { hasKernels } from '../harness/bench/entries/kernel-plan.ts';
import { idPattern } from '../harness/suites/query.ts';
import { UsageError } from './console.ts';

const sections = ['instructions', 'kernels', 'tool'] as const;
type Section = (typeof sections)[number];

/**
 * The length of samples in milliseconds, the number of rounds, and the number of samples in a
 * round. Fewer samples are taken on a software adapter, because its speed is less significant.
 */
export const sampling = {
  hardware: { sampleMs: 30, rounds: 3, samplesPerRound: 3 },
  software: { sampleMs: 10, rounds: 1, samplesPerRound: 3 },
} as const;

export interface BenchSelection {
  readonly sections: ReadonlySet<Section>;
  readonly patterns: readonly { readonly text: string; readonly pattern: RegExp }[];
}

/**
 * Splits the queries into sections and patterns of entries. If there are no queries, selects all
 * sections.
 */
export function benchSelection(queries: readonly string[]): BenchSelection {
  const named = sections.filter((section) => queries.includes(section));
  const patterns = queries
    .filter((query) => !sections.some((section) => section === query))
    .map((text) => ({ text, pattern: idPattern(text) }));
  const chosen = named.length > 0 || patterns.length > 0 ? named : sections;
  return { sections: new Set(chosen), patterns };
}

/**
 * Returns the selected entries. With `onSoftware`, the loops of the entries are shorter, but their
 * ids are the same. Throws `UsageError` for a query that selects no entry.
 */
export function selectEntries({ sections: chosen, patterns }: BenchSelection, onSoftware: boolean): BenchEntry[] {
  const all = [...instructionEntries({ software: onSoftware }), ...(hasKernels() ? kernelEntries() : [])];
  for (const { text, pattern } of patterns) {
    if (all.some(({ id }) => pattern.test(id))) continue;
    throw new UsageError(
      `no benchmark matches '${text}': use ${sections.join(', ')}, or part of what \`bench --list\` prints`,
    );
  }
  return all.filter(
    ({ id, section, onlyAsked }) =>
      (chosen.has(section) && !onlyAsked) || patterns.some(({ pattern }) => pattern.test(id)),
  );
}
