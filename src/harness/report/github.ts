// Writes failures as GitHub annotations, for a run inside GitHub Actions.

import { printable } from '../../base/printable.ts';
import { hasFailed, type Result } from '../runs/results.ts';
import { describeFirst } from './text.ts';

/** The maximum number of annotations, because GitHub shows at most ten per step. */
const most = 10;

/**
 * Returns an `::error` line for each of the first ten failed results, with the escapes of workflow
 * commands.
 */
export function githubAnnotations(results: readonly Result[]): string[] {
  return results
    .filter(hasFailed)
    .slice(0, most)
    .map((result) => {
      const text = result.first ? describeFirst(result.first) : result.message;
      return `::error title=${escapeProperty(`${result.id} on ${result.executor.name}`)}::${escapeText(text || result.status)}`;
    });
}

function escapeText(text: string): string {
  return printable(text).replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
}

function escapeProperty(text: string): string {
  return escapeText(text).replace(/:/g, '%3A').replace(/,/g, '%2C');
}
