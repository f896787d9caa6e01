// Compares what kernels print. Threads print in any order, so lines are compared in an order of their own.
import type { Printed } from '../../base/printed.ts';

export interface PrintedMismatch {
  readonly expected: string;
  readonly got: string;
}

export interface PrintedComparison {
  /// Lines.
  readonly compared: number;
  readonly mismatches: number;
  readonly first: PrintedMismatch | undefined;
}

/// What is printed without the end of a line stands behind what sorts before it, so that the same texts are the same lines.
const linesOf = (texts: readonly string[]): readonly string[] =>
  [...texts]
    .sort()
    .join('')
    .split(/(?<=\n)/)
    .filter((line) => line !== '')
    .sort();

/// Lines that one side has and the other lacks. What was dropped tells nothing: then the lines that are there must be expected ones.
export function comparePrinted(expected: readonly string[], { texts, dropped }: Printed): PrintedComparison {
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
