// Messages from kernels to the host: printed text, and the assertion that ended the kernel.
import type { Dim3 } from './launch.ts';

/** Printed texts in order of arrival, one per call. The order between threads is unspecified. */
export interface Printed {
  readonly texts: readonly string[];
  /** The number of texts that were lost because the buffer was full. */
  readonly dropped: number;
  /** Whether `texts` is a single joined text, because the executor cannot separate the calls. */
  readonly isJoined?: boolean;
}

export const nothingPrinted: Printed = { texts: [], dropped: 0 };

/**
 * The capacity of the buffer for printed texts in words, including one word per text for its
 * format. As in CUDA by default, this is 1 MiB.
 */
export const printedWords = 2 ** 18;

/** Decodes a text of bytes as UTF-8. Invalid sequences become replacement characters. */
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

/** Returns CUDA's message for an assertion. */
export const assertionText = ({ block, thread, message, file, line, fn }: Assertion): string =>
  `${file}:${line}: ${fn}: block: [${block.join(',')}], thread: [${thread.join(',')}] Assertion \`${message}\` failed.`;
