// What kernels say to the host: text that they print, and the assertion that ends them.
import type { Dim3 } from './launch.ts';

/** Texts in the order in which they came, one for each call. Those of different threads may come in any order. */
export interface Printed {
  readonly texts: readonly string[];
  /** Texts that did not fit. */
  readonly dropped: number;
  /** All texts in one, where it is not known which call printed what. */
  readonly isJoined?: boolean;
}

export const nothingPrinted: Printed = { texts: [], dropped: 0 };

/** Words of texts that a launch may leave, each with a word of its own and its arguments: 1 MiB, as CUDA has it by default. */
export const printedWords = 2 ** 18;

/** Texts with bytes for characters as a person reads them: UTF-8, as far as it is. */
export const decodeText = (bytes: string): string =>
  new TextDecoder().decode(Uint8Array.from(bytes, (character) => character.charCodeAt(0)));

export interface Assertion {
  readonly block: Dim3;
  readonly thread: Dim3;
  readonly message: string;
  readonly file: string;
  readonly line: number;
  readonly fn: string;
}

/** As CUDA says it. */
export const assertionText = ({ block, thread, message, file, line, fn }: Assertion): string =>
  `${file}:${line}: ${fn}: block: [${block.join(',')}], thread: [${thread.join(',')}] Assertion \`${message}\` failed.`;
