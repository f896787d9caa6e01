// Repeated sequences in lists of numbers, compared with a search of all pairs of places.
import { describe, expect, it } from 'vitest';
import { repeatedSequences } from '../../../../src/translate/passes/outline-repeats/repeats.ts';
import { seeded } from '../../../seed.ts';

/** Returns the starts of each sequence that occurs at least twice, by its text. */
function allRepeats(tokens: readonly number[]): Map<string, number[]> {
  const starts = new Map<string, number[]>();
  for (let from = 0; from < tokens.length; from++)
    for (let to = from + 1; to <= tokens.length; to++) {
      const key = tokens.slice(from, to).join();
      starts.set(key, [...(starts.get(key) ?? []), from]);
    }
  return new Map([...starts].filter(([, places]) => places.length > 1));
}

/** Removes the sequences that a longer sequence with the same number of occurrences begins with. */
function longest(repeats: Map<string, number[]>): Map<string, number[]> {
  const entries = [...repeats];
  return new Map(
    entries.filter(
      ([key, starts]) => !entries.some(([other, same]) => other.startsWith(`${key},`) && same.length === starts.length),
    ),
  );
}

const found = (tokens: readonly number[]): Map<string, number[]> =>
  new Map(
    repeatedSequences(tokens).map(({ length, starts }) => [
      tokens.slice(starts[0], (starts[0] ?? 0) + length).join(),
      [...starts],
    ]),
  );

const sorted = (repeats: Map<string, number[]>) => [...repeats].sort(([a], [b]) => (a < b ? -1 : 1));

describe('repeated sequences', () => {
  it.each<readonly [string, readonly number[], readonly (readonly [string, readonly number[]])[]]>([
    ['none in an empty list', [], []],
    ['none without repetition', [1, 2, 3], []],
    [
      'the longest sequence',
      [1, 2, 3, 9, 1, 2, 3],
      [
        ['1,2,3', [0, 4]],
        ['2,3', [1, 5]],
        ['3', [2, 6]],
      ],
    ],
    [
      'shorter sequences that occur more often',
      [1, 2, 8, 1, 2, 9, 1],
      [
        ['1', [0, 3, 6]],
        ['1,2', [0, 3]],
        ['2', [1, 4]],
      ],
    ],
    [
      'places that overlap',
      [5, 5, 5],
      [
        ['5', [0, 1, 2]],
        ['5,5', [0, 1]],
      ],
    ],
  ])('%s', (_, tokens, expected) => {
    expect(sorted(found(tokens))).toEqual(expected);
  });

  it('equal those of a search of all pairs', () => {
    for (let round = 0; round < 50; round++) {
      const random = seeded('repeated sequences', round);
      const tokens = Array.from({ length: random.below(30) }, () => random.below(3));
      expect(sorted(found(tokens)), tokens.join()).toEqual(sorted(longest(allRepeats(tokens))));
    }
  });
});
