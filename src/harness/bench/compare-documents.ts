// Compares two benchmark documents and finds figures that changed by more than their samples vary.
import type { BenchDocument, Figure } from './document.ts';
import type { Spread } from './statistics.ts';

export interface Move {
  readonly name: string;
  readonly unit: Figure['unit'];
  readonly before: Spread;
  readonly after: Spread;
  /**
   * The new speed divided by the old speed. The ratio is above 1 if the figure became faster, also
   * for times.
   */
  readonly ratio: number;
}

export interface Comparison {
  /** The figures that became slower, the slowest first. */
  readonly slower: readonly Move[];
  /** The figures that became faster, the fastest first. */
  readonly faster: readonly Move[];
  /** Figures that were measured before and are now wrong, refused or failed. */
  readonly lost: readonly { readonly name: string; readonly outcome: string }[];
  /** The number of figures in both documents that did not change. */
  readonly same: number;
  /**
   * The number of figures that are in only one document, or that were not measured in the old
   * document.
   */
  readonly uncompared: number;
  /** Machines whose adapter or browser differs between the documents. */
  readonly machines: readonly { readonly name: string; readonly before: string; readonly after: string }[];
}

/**
 * Compares two documents. A figure has changed if its two sample ranges do not overlap and the
 * medians differ by more than `tolerance`. The tolerance is needed because separate runs on one
 * machine differ by more than the samples of one run.
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
