// The counters of the reference for the page: the totals, and the line with the largest share of
// each.
import type { Counts, KernelCounts } from '../../src/cpu-ref/counters.ts';

export interface ShownCounter {
  readonly name: string;
  readonly value: string;
  readonly about: string;
  /**
   * The offset in the text of the instruction with the largest count. Undefined if all counts are
   * 0.
   */
  readonly worst: number | undefined;
}

const number = (value: number, digits = 0): string =>
  value.toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: 0 });

/** `prefix` is the number of characters that the page put before the text. */
export function shownCounts({ total, instructions }: KernelCounts, prefix: number): ShownCounter[] {
  const worst = (weight: (counts: Counts) => number): number | undefined => {
    let [most, offset]: [number, number | undefined] = [0, undefined];
    for (const [{ span }, counts] of instructions) {
      // Skips instructions without a larger count, and the code that the page put around the text.
      if (weight(counts) <= most || span.end <= span.start || span.start < prefix) continue;
      [most, offset] = [weight(counts), span.start - prefix];
    }
    return offset;
  };
  const { steps, lanes, globalRequests, globalSectors, idealSectors } = total;
  const active = steps === 0 ? 0 : lanes / steps;
  const perRequest = (sectors: number): string => number(globalRequests === 0 ? 0 : sectors / globalRequests, 2);
  return [
    {
      name: 'Active lanes',
      value: `${number(active, 1)} of 32`,
      about: `on average, in ${number(steps)} executed warp instructions`,
      worst: worst((counts) => 32 * counts.steps - counts.lanes),
    },
    {
      name: 'Divergent branches',
      value: number(total.divergentBranches),
      about: 'branches that sent lanes of a warp to different places',
      worst: worst((counts) => counts.divergentBranches),
    },
    {
      name: 'Bank conflicts',
      value: number(total.bankConflicts),
      about: `additional rounds for ${number(total.sharedRequests)} requests to shared memory`,
      worst: worst((counts) => counts.bankConflicts),
    },
    {
      name: 'Sectors per request',
      value: perRequest(globalSectors),
      about: `of 32 bytes, for ${number(globalRequests)} requests to global memory; dense accesses need ${perRequest(idealSectors)}`,
      worst: worst((counts) => counts.globalSectors - counts.idealSectors),
    },
    {
      name: 'Local memory',
      value: number(total.localRequests),
      about: 'requests to spilled registers and arrays of a thread',
      worst: worst((counts) => counts.localRequests),
    },
    {
      name: 'Barriers',
      value: number(total.barriers),
      about: 'waits of a warp at a barrier of its block',
      worst: worst((counts) => counts.barriers),
    },
  ];
}
