// Finds the candidate that is most similar to a name, for "Did you mean" hints.

/**
 * Returns the Damerau-Levenshtein distance, in which a swap of adjacent characters counts as one
 * change. Returns `limit + 1` if the distance exceeds `limit`.
 */
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

/**
 * The maximum length of a name, and the maximum number of candidates. There is no search beyond
 * these, because it takes quadratic time.
 */
const maxLength = 40;
const maxNames = 4000;

/**
 * Returns the candidate that `name` most probably means:
 * - a candidate that begins with `name` (`redux.sync` for `redux`);
 * - otherwise, one that contains `name` as a part (`bar.sync` for `sync`);
 * - otherwise, the nearest candidate, if the difference may be a typing error.
 *
 * Parts end at dots, colons, underscores and other punctuation.
 */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > maxLength) return undefined;
  // Names of at most two letters are similar to too many other names.
  if (name.length <= 2) return undefined;
  const limit = name.length === 3 ? 1 : Math.min(3, Math.ceil(name.length / 3));
  const asked = name.toLowerCase();
  let best: string | undefined;
  let bestRank = limit + 1;
  let searched = 0;
  for (const candidate of candidates) {
    if (++searched > maxNames) break;
    if (candidate === name || candidate.length > maxLength) continue;
    const other = candidate.toLowerCase();
    const found = rankOfPart(asked, other) ?? distance(asked, other, limit);
    if (found < bestRank) {
      best = candidate;
      bestRank = found;
    }
  }
  return best;
}

/**
 * Returns at most `count` candidates that `name` most probably means, ordered from the most
 * probable. For lists in which every entry is only a guess.
 */
export function nearestAll(name: string, candidates: Iterable<string>, count: number): string[] {
  const asked = name.toLowerCase().slice(0, maxLength);
  return [...candidates]
    .slice(0, maxNames)
    .map((candidate) => {
      const other = candidate.toLowerCase();
      return { candidate, rank: rankOfPart(asked, other) ?? distance(asked, other.slice(0, maxLength), maxLength) };
    })
    .sort((a, b) => a.rank - b.rank)
    .slice(0, count)
    .map(({ candidate }) => candidate);
}

/**
 * Returns a rank for a candidate that contains `name` as a part. The rank is below any distance,
 * and lower for shorter candidates. It is negative if `candidate` starts with `name`, and lowest if
 * another part follows. It is from 0 to 1 if a later part of `candidate` is `name`. Returns
 * undefined for all other candidates.
 */
function rankOfPart(name: string, candidate: string): number | undefined {
  const at = candidate.indexOf(name);
  if (at < 0 || name.length < 3) return undefined;
  const isPart = (index: number): boolean =>
    !isLetter(candidate[index - 1]) && !isLetter(candidate[index + name.length]);
  const shorter = candidate.length / (candidate.length + 1);
  if (at === 0 && isPart(0)) return shorter - 2;
  if (at === 0) return shorter - 1;
  for (let index = at; index >= 0; index = candidate.indexOf(name, index + 1)) if (isPart(index)) return shorter;
  return undefined;
}

const isLetter = (character: string | undefined): boolean => character !== undefined && /[a-z0-9]/.test(character);
