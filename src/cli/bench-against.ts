// `lanewise bench --against`: compares two documents, or this run with a document.
import { oneLine } from '../base/printable.ts';
import { rateText } from '../base/rate.ts';
import { type Comparison, compareDocuments, type Move } from '../harness/bench/compare-documents.ts';
import { type BenchDocument, DocumentError, readDocument } from '../harness/bench/document.ts';
import { maxDocumentBytes, readText } from '../harness/files/read-text.ts';
import { exitCodes } from '../harness/runs/results.ts';
import { UsageError } from './console.ts';

/** Reads a document that `bench` wrote. Throws `UsageError` if the file is not such a document. */
export function readBenchFile(file: string): BenchDocument {
  try {
    return readDocument(JSON.parse(readText(file, maxDocumentBytes)));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(error instanceof DocumentError ? `${file} ${reason}` : `cannot read ${file}: ${reason}`);
  }
}

/**
 * Compares a document with an earlier one. Throws `UsageError` if they have no entry in common,
 * because such a comparison would always pass.
 */
export function compareWith(file: string, before: BenchDocument, after: BenchDocument, percent: number): Comparison {
  const found = compareDocuments(before, after, percent / 100);
  if (found.same + found.slower.length + found.faster.length + found.lost.length === 0) {
    throw new UsageError(`no entry of ${file} was measured`);
  }
  return found;
}

/**
 * Returns the exit code of a comparison: 1 if an entry is slower, or was measured before and is not
 * measured now, and otherwise 0.
 */
export function comparisonExit({ slower, lost }: Comparison): number {
  return slower.length + lost.length > 0 ? exitCodes.mismatch : exitCodes.ok;
}

/** Returns the comparison as lines for a terminal. */
export function comparisonText(file: string, comparison: Comparison): string {
  const { slower, faster, lost, same, uncompared, machines } = comparison;
  const counts = `${slower.length} slower, ${faster.length} faster, ${lost.length} lost, ${same} the same, ${uncompared} not compared`;
  return [
    `against ${oneLine(file)}: ${counts}`,
    ...machines.map(
      ({ name, before, after }) => `  ${oneLine(name)} is another: ${oneLine(before)} → ${oneLine(after)}`,
    ),
    ...lost.map(({ name, outcome }) => `  ${oneLine(name)}: measured → ${oneLine(outcome)}`),
    ...[...slower, ...faster].map(moveLine),
    '',
  ].join('\n');
}

function moveLine({ name, unit, before, after, ratio }: Move): string {
  const change = `${ratio < 1 ? 'slower' : 'faster'}, ${(ratio * 100).toFixed(1)}% of the speed`;
  return `  ${oneLine(name)}: ${figureText(before.median, unit)} → ${figureText(after.median, unit)} (${change})`;
}

function figureText(value: number, unit: Move['unit']): string {
  if (unit === 'ms') return `${value.toFixed(1)} ms`;
  return unit === 'lane results a second' ? `${(value / 1e6).toFixed(0)} M/s` : rateText(value, unit);
}
