// Finds the part of a text that differs from another text.
import type { Edit } from '../program/edit-operands.ts';

/**
 * Returns an edit that changes `before` to `after`. The edit does not include the common beginning
 * and the common end.
 */
export function changedPart(before: string, after: string): Edit {
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before.charCodeAt(from) === after.charCodeAt(from)) from++;
  let end = 0;
  while (
    end < shorter - from &&
    before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)
  ) {
    end++;
  }
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}
