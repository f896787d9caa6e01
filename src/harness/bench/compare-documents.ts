// Two benchmarks: what has become slower or faster by more than samples differ.
import type { BenchDocument, Figure } from './document.ts';
import type { Spread } from './statistics.ts';

export interface Move {
  readonly name: string;
  readonly unit: Figure['unit'];
  readonly before: Spread;
  readonly after: Spread;
  /** Speed now against before: above 1 is faster, also of times. */
  readonly ratio: number;
}

export interface Comparison {
  /** Slowest first. */
  readonly slower: readonly Move[];
  /** Fastest first. */
  readonly faster: readonly Move[];
  /** Measured before; now wrong, refused or failed. */
  readonly lost: readonly { readonly name: string; readonly outcome: string }[];
  /** In both, and not apart. */
  readonly same: number;
  /** In one document only, or measured in neither or only now. */
  readonly uncompared: number;
  /** Machines whose adapters or browsers are not the same ones. */
  readonly machines: readonly { readonly name: string; readonly before: string; readonly after: string }[];
}

/**
 * A figure has moved where no sample of one document is within those of the other, and the medians differ by more than `tolerance`: runs on one
 * machine differ by more than the samples of one run do.
 */
export function compareDocuments(before: BenchDocument, after: BenchDocument, tolerance: number): Comparison {
  const moves: Move[] = [];
  const lost: { name: string; outcome: string }[] = [];
  let same = 0;
  let uncompared = 0;
  for (const [name, old] of before.figures) {
    const now = after.figures.get(name);
    if (!now || !old.spread || now.unit !== old.unit) uncompared++;
    else if (!now.spread) lost.push({ name, outcome: now.outcome });
    else {
      const move = {
        name,
        unit: old.unit,
        before: old.spread,
        after: now.spread,
        ratio: speedRatio(old.unit, old.spread, now.spread),
      };
      if (isApart(old.spread, now.spread) && Math.abs(move.ratio - 1) > tolerance) moves.push(move);
      else same++;
    }
  }
  for (const name of after.figures.keys()) if (!before.figures.has(name)) uncompared++;
  const byRatio = moves.sort((a, b) => a.ratio - b.ratio);
  return {
    slower: byRatio.filter(({ ratio }) => ratio < 1),
    faster: byRatio.filter(({ ratio }) => ratio > 1).reverse(),
    lost,
    same,
    uncompared,
    machines: changedMachines(before, after),
  };
}

function speedRatio(unit: Figure['unit'], before: Spread, after: Spread): number {
  return unit === 'ms' ? before.median / after.median : after.median / before.median;
}

const isApart = (a: Spread, b: Spread): boolean => a.min > b.max || a.max < b.min;

function changedMachines({ adapters: old }: BenchDocument, { adapters: now }: BenchDocument): Comparison['machines'] {
  return [...old].flatMap(([name, before]) => {
    const after = now.get(name);
    return after === undefined || after === before ? [] : [{ name, before, after }];
  });
}
