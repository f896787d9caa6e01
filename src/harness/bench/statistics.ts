// Statistics of samples.

export interface Spread {
  readonly samples: number;
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Returns the median, minimum and maximum. Throws RangeError for an empty list. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [min, max, upper] = [sorted[0], sorted.at(-1), sorted[middle]];
  if (min === undefined || max === undefined || upper === undefined) throw new RangeError('no samples');
  const lower = sorted[sorted.length % 2 === 0 ? middle - 1 : middle] ?? upper;
  return { samples: sorted.length, median: (lower + upper) / 2, min, max };
}

/**
 * Returns the resolution of a clock: the greatest common divisor of the differences between stamps.
 * Returns undefined for fewer than two distinct stamps.
 */
export function granularityOf(stamps: readonly number[]): number | undefined {
  const [first] = stamps;
  if (first === undefined) return undefined;
  let divisor = 0;
  for (const stamp of stamps) divisor = greatestDivisor(divisor, Math.abs(Math.round(stamp - first)));
  return divisor === 0 ? undefined : divisor;
}

function greatestDivisor(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}
