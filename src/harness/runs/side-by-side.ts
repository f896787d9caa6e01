// Compares machines in more detail than pass and fail: by the values of their undefined lanes, and
// by their speed.

import {
  joinObserved,
  type Observed,
  type ObservedCounts,
  observedEntries,
  observedKinds,
} from '../compare/observed.ts';
import { type Machine, type Rate, resultsOf } from './merge-results.ts';

/** One value per machine, in the order of the machines; undefined if a machine has none. */
export interface SideRow<Value> {
  readonly name: string;
  readonly values: readonly (Value | undefined)[];
}

/** Returns the observed values, by instruction and by the cause of the undefined result. */
export function observedRows(machines: readonly Machine[]): SideRow<ObservedCounts>[] {
  const rows = new Map<string, (ObservedCounts | undefined)[]>();
  for (const [index, machine] of machines.entries()) {
    const sums = new Map<string, Observed>();
    for (const { id, observed } of resultsOf(machine)) {
      const [instruction = id] = id.split(':');
      sums.set(instruction, joinObserved(sums.get(instruction) ?? {}, observed));
    }
    for (const [instruction, observed] of sums) {
      for (const [cause, counts] of observedEntries(observed)) {
        const name = `${instruction}: ${cause}`;
        const row = rows.get(name) ?? machines.map(() => undefined);
        row[index] = counts;
        rows.set(name, row);
      }
    }
  }
  return [...rows].map(([name, values]) => ({ name, values }));
}

/**
 * Returns a text such as `source value`. If there are several kinds, the text lists them, the most
 * frequent first: `own value 75 %, zero 25 %`.
 */
export function observedText(counts: ObservedCounts): string {
  const present = observedKinds.flatMap((kind) => (counts[kind] ? [{ kind, count: counts[kind] }] : []));
  const total = present.reduce((sum, { count }) => sum + count, 0);
  if (present.length === 1) return present[0]?.kind ?? '';
  return present
    .sort((a, b) => b.count - a.count)
    .map(({ kind, count }) => `${kind} ${((count / total) * 100).toPrecision(2)} %`)
    .join(', ');
}

/** Returns the rates of benchmark entries, by id. */
export function speedRows(machines: readonly Machine[]): SideRow<Rate>[] {
  const rows = new Map<string, (Rate | undefined)[]>();
  for (const [index, { results }] of machines.entries()) {
    for (const [id, list] of results) {
      const rate = list.find((result) => result.rate !== undefined)?.rate;
      if (rate === undefined) continue;
      const row = rows.get(id) ?? machines.map(() => undefined);
      row[index] = rate;
      rows.set(id, row);
    }
  }
  return [...rows].map(([name, values]) => ({ name, values }));
}

/**
 * Returns the geometric mean of each machine's speed relative to the fastest machine, over the
 * entries that all machines have. Returns undefined if the machines have no common entries.
 */
export function meanSpeeds(
  rows: readonly SideRow<Rate>[],
): { readonly means: number[]; readonly entries: number } | undefined {
  const shared = rows.flatMap(({ values }) => {
    const medians = values.flatMap((value) => (value ? [value.median] : []));
    return medians.length === values.length ? [medians] : [];
  });
  const [first] = shared;
  if (!first) return undefined;
  const means = first.map((_, machine) => {
    const logs = shared.map((medians) => Math.log((medians[machine] ?? 0) / Math.max(...medians)));
    return Math.exp(logs.reduce((sum, log) => sum + log, 0) / logs.length);
  });
  return { means, entries: shared.length };
}
