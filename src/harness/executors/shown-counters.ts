// The counters of the reference as rows of a table: for each counter, the total, and the
// instruction with the largest count. The page and the command line show these rows.
import type { Counts, KernelCounts } from '../../cpu-ref/counters.ts';

/** The counters of a launch, as plain data. */
export interface ShownCounters {
  readonly total: Counts;
  readonly rows: readonly ShownCounter[];
}

export interface ShownCounter {
  readonly key: CounterKey;
  readonly name: string;
  readonly value: string;
  readonly about: string;
  /**
   * The offset in the text of the instruction with the largest count; undefined if all counts are
   * 0.
   */
  readonly worst: number | undefined;
}

export type CounterKey = (typeof rows)[number]['key'];

interface Row {
  readonly key: string;
  readonly name: string;
  readonly value: (total: Counts) => string;
  readonly about: (total: Counts) => string;
  /**
   * Returns an instruction's number in this row. The row names the instruction with the largest
   * number.
   */
  readonly weight: (counts: Counts) => number;
}

const number = (value: number, digits = 0): string =>
  value.toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: 0 });

const perRequest = (sectors: number, { globalRequests }: Counts): string =>
  number(globalRequests === 0 ? 0 : sectors / globalRequests, 2);

const rows = [
  {
    key: 'activeLanes',
    name: 'Active lanes',
    value: ({ steps, lanes }) => `${number(steps === 0 ? 0 : lanes / steps, 1)} of 32`,
    about: ({ steps }) => `on average, in ${number(steps)} executed warp instructions`,
    weight: ({ steps, lanes }) => 32 * steps - lanes,
  },
  {
    key: 'divergentBranches',
    name: 'Divergent branches',
    value: ({ divergentBranches }) => number(divergentBranches),
    about: () => 'branches that sent lanes of a warp to different places',
    weight: ({ divergentBranches }) => divergentBranches,
  },
  {
    key: 'bankConflicts',
    name: 'Bank conflicts',
    value: ({ bankConflicts }) => number(bankConflicts),
    about: ({ sharedRequests }) => `additional rounds for ${number(sharedRequests)} requests to shared memory`,
    weight: ({ bankConflicts }) => bankConflicts,
  },
  {
    key: 'sectorsPerRequest',
    name: 'Sectors per request',
    value: (total) => perRequest(total.globalSectors, total),
    about: (total) =>
      `of 32 bytes, for ${number(total.globalRequests)} requests to global memory; dense accesses need ${perRequest(total.idealSectors, total)}`,
    weight: ({ globalSectors, idealSectors }) => globalSectors - idealSectors,
  },
  {
    key: 'localRequests',
    name: 'Local memory',
    value: ({ localRequests }) => number(localRequests),
    about: () => 'requests to spilled registers and arrays of a thread',
    weight: ({ localRequests }) => localRequests,
  },
  {
    key: 'barriers',
    name: 'Barriers',
    value: ({ barriers }) => number(barriers),
    about: () => 'waits of a warp at a barrier of its block',
    weight: ({ barriers }) => barriers,
  },
] as const satisfies readonly Row[];

/**
 * Returns the rows of the counters. `prefix` is the number of characters that the page put before
 * the text.
 */
export function shownCounters({ total, instructions }: KernelCounts, prefix = 0): ShownCounters {
  const worst = (weight: Row['weight']): number | undefined => {
    let [most, offset]: [number, number | undefined] = [0, undefined];
    for (const [{ span }, counts] of instructions) {
      // Skip instructions without a larger count, and the code that the page put around the text.
      if (weight(counts) <= most || span.end <= span.start || span.start < prefix) continue;
      [most, offset] = [weight(counts), span.start - prefix];
    }
    return offset;
  };
  return {
    total,
    rows: rows.map(({ key, name, value, about, weight }) => ({
      key,
      name,
      value: value(total),
      about: about(total),
      worst: worst(weight),
    })),
  };
}
