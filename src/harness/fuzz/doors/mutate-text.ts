// Mutates text: removes, duplicates, swaps or replaces pieces.
import type { Random } from '../../suites/random.ts';

/** Pieces that are likely to confuse parsers. */
const pieces = [
  '\u0000',
  '\ufeff',
  '\ud800',
  '\u202e',
  '\u2028',
  '\u001b[2J',
  '\n::error::x\n',
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  ';',
  '/*',
  '//',
  '-',
  '1e999',
  '0x',
  '99999999999999999999',
  '-1',
  'null',
  '__proto__',
  'constructor',
] as const;

/** Makes one to three edits. */
export function mutateText(text: string, other: string, rng: Random): string {
  let result = text;
  for (let rounds = 1 + rng.below(3); rounds > 0; rounds--) result = editOnce(result, other, rng);
  return result;
}

function editOnce(text: string, other: string, rng: Random): string {
  const at = rng.below(text.length + 1);
  const end = Math.min(text.length, at + rng.below(40));
  switch (rng.below(8)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return text.slice(0, at) + text.slice(end);
    case 2:
      return text.slice(0, end) + text.slice(at);
    case 3: {
      const from = rng.below(other.length + 1);
      return text.slice(0, at) + other.slice(from, from + rng.below(80)) + text.slice(end);
    }
    case 4:
      // Repeat one character many times, which produces deep nesting, long names or long numbers.
      return text.slice(0, at) + text.slice(at, at + 1 + rng.below(3)).repeat(1 << rng.below(13)) + text.slice(end);
    default:
      return text.slice(0, at) + rng.pick(pieces) + text.slice(rng.chance(0.5) ? at : end);
  }
}
