// "Did you mean": the nearest of some names.

/** Damerau-Levenshtein distance (adjacent swaps count one), or `limit + 1` when it is more than `limit`. */
function distance(from: string, to: string, limit: number): number {
  if (Math.abs(from.length - to.length) > limit) return limit + 1;
  let before: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const cost = from[row - 1] === to[column - 1] ? 0 : 1;
      let best = Math.min((last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, (last[column - 1] ?? 0) + cost);
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (swapped) best = Math.min(best, (before[column - 2] ?? 0) + 1);
      current.push(best);
    }
    before = last;
    last = current;
  }
  return last[to.length] ?? limit + 1;
}

/** Names longer than this, and lists longer than this, are not searched: a suggestion is not worth quadratic time. */
const maxLength = 40;
const maxNames = 4000;

/** The candidate nearest to `name`, if it is near enough to be a slip of the keyboard. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > maxLength) return undefined;
  // Two letters are near to everything.
  if (name.length <= 2) return undefined;
  const limit = name.length === 3 ? 1 : Math.min(3, Math.ceil(name.length / 3));
  let best: string | undefined;
  let bestDistance = limit + 1;
  let searched = 0;
  for (const candidate of candidates) {
    if (++searched > maxNames) break;
    if (candidate === name || candidate.length > maxLength) continue;
    const found = distance(name.toLowerCase(), candidate.toLowerCase(), limit);
    if (found < bestDistance) {
      best = candidate;
      bestDistance = found;
    }
  }
  return best;
}
