// The status buffer of a shader. `messages.ts` reads its contents; a page loads that file when a
// kernel has written something.
import { printedWords } from '../../base/printed.ts';
import { statusPlaces } from '../../translate/emit/program/status.ts';
import type { WgslProgram } from '../../translate/index.ts';

/** The size of the message area in words if the only possible messages are failed assertions. */
const assertionWords = 2 ** 12;
/** Returns the bytes of a program's status buffer; 0 without one. */
export function statusBytes({ status }: WgslProgram): number {
  if (status === undefined) return 0;
  if (status.sites.length === 0) return 4;
  const messages = status.sites.some(({ kind }) => kind === 'print') ? printedWords : assertionWords;
  return 4 * (statusPlaces.messages + messages);
}

/**
 * Returns a copy of the part of a status buffer that the kernel has written; undefined if it has
 * written nothing.
 */
export function writtenStatus(mapped: Uint8Array): Uint8Array | undefined {
  const words = new Uint32Array(mapped.buffer, mapped.byteOffset, mapped.length / 4);
  // A kernel without messages has only the code.
  const used = words[statusPlaces.used] ?? 0;
  if (used === 0 && words[statusPlaces.code] === 0) return undefined;
  return mapped.slice(0, 4 * Math.min(words.length, statusPlaces.messages + used));
}
