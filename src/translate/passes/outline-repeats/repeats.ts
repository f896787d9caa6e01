// Finds sequences that occur several times in a list of tokens, with a suffix array.
import { at } from '../../../base/invariants.ts';

/** A sequence of tokens that starts at each of the places. The places may overlap. */
export interface RepeatedSequence {
  readonly length: number;
  readonly starts: readonly number[];
}

/**
 * Returns the repeated sequences that cannot be longer without fewer occurrences. A token that
 * occurs once ends every sequence.
 */
export function repeatedSequences(tokens: readonly number[]): readonly RepeatedSequence[] {
  const suffixes = suffixArray(tokens);
  const common = commonPrefixes(tokens, suffixes);
  const found: RepeatedSequence[] = [];
  // Intervals of adjacent suffixes with a common prefix, from the outermost to the innermost.
  const open: { readonly length: number; readonly from: number }[] = [];
  for (let index = 1; index <= suffixes.length; index++) {
    // Absent: after the last suffix, all intervals end.
    const length = common[index] ?? 0;
    let from = index - 1;
    for (let top = open.at(-1); top !== undefined && top.length > length; top = open.at(-1)) {
      open.pop();
      from = top.from;
      found.push({ length: top.length, starts: suffixes.slice(from, index).sort((a, b) => a - b) });
    }
    if (length > 0 && open.at(-1)?.length !== length) open.push({ length, from });
  }
  return found;
}

/** Returns the starts of all suffixes, in the order of the suffixes. Doubles the compared length. */
function suffixArray(tokens: readonly number[]): number[] {
  const suffixes = tokens.map((_, index) => index);
  let ranks = [...tokens];
  const rankAt = (index: number): number => (index < ranks.length ? at(ranks, index, 'a rank') : -1);
  for (let length = 1; ; length *= 2) {
    const compare = (a: number, b: number): number => rankAt(a) - rankAt(b) || rankAt(a + length) - rankAt(b + length);
    suffixes.sort(compare);
    const next = new Array<number>(tokens.length).fill(0);
    let rank = 0;
    suffixes.forEach((suffix, index) => {
      if (index > 0 && compare(at(suffixes, index - 1, 'a suffix'), suffix) !== 0) rank += 1;
      next[suffix] = rank;
    });
    ranks = next;
    if (rank === tokens.length - 1 || tokens.length === 0) return suffixes;
  }
}

/** Returns, for each suffix but the first, the length of the prefix that it shares with the one before it. */
function commonPrefixes(tokens: readonly number[], suffixes: readonly number[]): readonly number[] {
  const places = new Array<number>(tokens.length).fill(0);
  suffixes.forEach((suffix, index) => {
    places[suffix] = index;
  });
  const common = new Array<number>(tokens.length).fill(0);
  let length = 0;
  for (let start = 0; start < tokens.length; start++) {
    const place = at(places, start, 'the place of a suffix');
    if (place === 0) {
      length = 0;
      continue;
    }
    const other = at(suffixes, place - 1, 'a suffix');
    while (
      start + length < tokens.length &&
      other + length < tokens.length &&
      tokens[start + length] === tokens[other + length]
    )
      length += 1;
    common[place] = length;
    if (length > 0) length -= 1;
  }
  return common;
}
