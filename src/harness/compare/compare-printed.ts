// Compares the lines that kernels print. Threads print in any order, so the expected and the
// printed lines are sorted.
import type { Printed } from '../../base/printed.ts';

export interface PrintedMismatch {
  readonly expected: string;
  readonly got: string;
}

export interface PrintedComparison {
  /** The number of printed lines that were compared. */
  readonly compared: number;
  readonly mismatches: number;
  readonly first: PrintedMismatch | undefined;
}

/**
 * Splits texts into sorted lines. The texts are sorted before they are joined. So texts without a
 * line end form the same lines in both lists.
 */
const linesOf = (texts: readonly string[]): readonly string[] =>
  [...texts]
    .sort()
    .join('')
    .split(/(?<=\n)/)
    .filter((line) => line !== '')
    .sort();

/**
 * Splits a text into the expected texts, in any order, as far as possible. Prefers the longest
 * match.
 */
function takenApart(expected: readonly string[], whole: string): readonly string[] {
  const left = new Map<string, number>();
  for (const text of expected) if (text !== '') left.set(text, (left.get(text) ?? 0) + 1);
  const lengths = [...new Set([...left.keys()].map((text) => text.length))].sort((a, b) => b - a);
  const parts: string[] = [];
  let at = 0;
  while (at < whole.length) {
    const length = lengths.find((each) => left.has(whole.slice(at, at + each)));
    if (length === undefined) break;
    const next = whole.slice(at, at + length);
    parts.push(next);
    const count = (left.get(next) ?? 0) - 1;
    if (count > 0) left.set(next, count);
    else left.delete(next);
    at += next.length;
  }
  return at < whole.length ? [...parts, whole.slice(at)] : parts;
}

/**
 * Compares the printed lines with the expected lines. If output was dropped, lines may be missing,
 * but every printed line must be an expected line.
 */
export function comparePrinted(expected: readonly string[], printed: Printed): PrintedComparison {
  const { dropped } = printed;
  const texts = printed.isJoined ? takenApart(expected, printed.texts.join('')) : printed.texts;
  const [wanted, got] = [linesOf(expected), linesOf(texts)];
  const [missing, extra]: string[][] = [[], []];
  let [w, g] = [0, 0];
  while (w < wanted.length || g < got.length) {
    const [a, b] = [wanted[w], got[g]];
    if (a === b) {
      w += 1;
      g += 1;
    } else if (b === undefined || (a !== undefined && a < b)) {
      missing?.push(a ?? '');
      w += 1;
    } else {
      extra?.push(b);
      g += 1;
    }
  }
  const lacks = dropped > 0 ? [] : (missing ?? []);
  const mismatches = Math.max(lacks.length, extra?.length ?? 0);
  const first =
    mismatches === 0 ? undefined : { expected: lacks[0] ?? 'no such line', got: extra?.[0] ?? 'no such line' };
  return { compared: Math.max(wanted.length, got.length), mismatches, first };
}

/** Describes the first difference between printed lines. */
export const describeLine = ({ expected, got }: PrintedMismatch): string =>
  `printed line: expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`;
