// Converts offsets to lines and columns.

import { getOrInsert } from '../../base/maps.ts';
import type { Source, Span } from '../ast.ts';

const startsBySource = new WeakMap<Source, Uint32Array>();

function findLineStarts(text: string): readonly number[] {
  const starts = [0];
  let carriage = text.indexOf('\r');
  let feed = text.indexOf('\n');
  while (carriage >= 0 || feed >= 0) {
    const isFeed = carriage < 0 || (feed >= 0 && feed < carriage);
    // CR and LF together are one line end.
    const end = isFeed || feed === carriage + 1 ? feed : carriage;
    starts.push(end + 1);
    if (end === feed) feed = text.indexOf('\n', end + 1);
    if (carriage >= 0 && carriage <= end) carriage = text.indexOf('\r', end + 1);
  }
  return starts;
}

/** Returns the offsets at which lines start. Lines end with LF, CRLF or CR. */
function lineStarts(source: Source): Uint32Array {
  return getOrInsert(startsBySource, source, () => Uint32Array.from(findLineStarts(source.text)));
}

/** Returns the line of an offset, counted from 1. */
export function lineOf(source: Source, offset: number): number {
  const starts = lineStarts(source);
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return low + 1;
}

/**
 * Returns the line and column of an offset, both counted from 1. The column counts UTF-16 units.
 */
export function positionOf(source: Source, offset: number): { readonly line: number; readonly column: number } {
  const line = lineOf(source, offset);
  return { line, column: offset - (lineStarts(source)[line - 1] ?? 0) + 1 };
}

/**
 * Returns the offset of a line and column, both counted from 1. Returns undefined for a line after
 * the last one. For a column after the end of its line, returns the offset of the line's end.
 */
export function offsetOf(source: Source, line: number, column: number): number | undefined {
  const start = lineStarts(source)[line - 1];
  return start === undefined ? undefined : start + Math.min(column - 1, lineText(source, line).length);
}

/** Returns the text of a line (counted from 1) without its line end. */
export function lineText(source: Source, line: number): string {
  const starts = lineStarts(source);
  return source.text.slice(starts[line - 1] ?? 0, starts[line] ?? source.text.length).replace(/[\r\n]+$/, '');
}

/** Returns the smallest span that contains both spans. */
export function join(first: Span, last: Span): Span {
  return { start: Math.min(first.start, last.start), end: Math.max(first.end, last.end) };
}
