// Selectors: the parts of registers that video instructions specify after an operand, as in `a.b0`,
// `a.h32`, `d.b310`.

/**
 * The kinds of selectors:
 * - `part`: one byte or half.
 * - `halves`, `bytes`: parts of `b:a`, one for each part of the result, ordered from the highest.
 * - `halfMask`, `byteMask`: parts of the result, in descending order.
 * - `sign`: a minus before the operand.
 */
export type SelectorKind = 'part' | 'halves' | 'bytes' | 'halfMask' | 'byteMask' | 'sign';

interface Selector {
  readonly pattern: RegExp;
  /** The notation of the selector, for messages. */
  readonly shape: string;
  /** Returns a selector for a number below 2^16. These numbers yield all selectors of the kind. */
  readonly nth: (n: number) => string;
}

const parts = ['b0', 'b1', 'b2', 'b3', 'h0', 'h1'] as const;
const halfMasks = ['h0', 'h1', 'h10'] as const;
const byteMasks = Array.from({ length: 15 }, (_, index) => `b${[3, 2, 1, 0].filter((place) => ((index + 1) >> place) & 1).join('')}`);
const among =
  (list: readonly string[]) =>
  (n: number): string =>
    list[n % list.length] ?? '';
const digits = (letter: string, places: number, base: number, n: number): string => letter + Array.from({ length: places }, (_, place) => Math.floor(n / base ** place) % base).join('');

export const selectors: Readonly<Record<SelectorKind, Selector>> = {
  part: { pattern: /^(b[0-3]|h[01])$/, shape: '`.b0` to `.b3`, `.h0` or `.h1`', nth: among(parts) },
  halves: { pattern: /^h[0-3]{2}$/, shape: '`.h` and two digits of 0 to 3', nth: (n) => digits('h', 2, 4, n) },
  bytes: { pattern: /^b[0-7]{4}$/, shape: '`.b` and four digits of 0 to 7', nth: (n) => digits('b', 4, 8, n) },
  halfMask: { pattern: /^h(0|1|10)$/, shape: '`.h0`, `.h1` or `.h10`', nth: among(halfMasks) },
  byteMask: { pattern: /^b(?=.)3?2?1?0?$/, shape: '`.b` and digits of 3 to 0, descending', nth: among(byteMasks) },
  sign: { pattern: /^-$/, shape: '`-`', nth: () => '-' },
};
