// Reads files that the user names. Only regular files up to a maximum size are read, because a
// device (`/dev/zero`) may never end and a pipe may never begin.

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { FileError, reasonOf } from './file-error.ts';

/**
 * The maximum size of JSON documents: case files, results, campaigns. A JavaScript string can hold
 * 512 MiB.
 */
export const maxDocumentBytes = 384 * 2 ** 20;
/** The maximum size of PTX. The largest modules of CUDA's own libraries have about 20 MB. */
export const maxPtxBytes = 64 * 2 ** 20;

const chunkBytes = 1 << 20;

/** Returns the text of a regular file of at most `maxBytes` bytes. Throws `FileError`. */
export const readText = (path: string, maxBytes: number): string => readBytes(path, maxBytes).toString('utf8');

/** Returns the contents of a regular file of at most `maxBytes` bytes. Throws `FileError`. */
export function readBytes(path: string, maxBytes: number): Buffer {
  let file: number | undefined;
  try {
    // Without O_NONBLOCK, opening a pipe waits for its writer.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    if (!fstatSync(file).isFile()) throw new FileError('not a regular file: write the contents to a file first');
    // Files in /proc always report the size 0, so count the bytes that are read.
    const bytes = readUpTo(file, maxBytes + 1);
    if (bytes.length > maxBytes) throw new FileError(`larger than the limit of ${maxBytes} bytes for such a file`);
    return bytes;
  } catch (error) {
    throw error instanceof FileError ? error : new FileError(reasonOf(error));
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/**
 * Returns the text of a stream of at most `maxBytes` bytes, such as standard input. Rejects with
 * `FileError`.
 */
export async function readStream(stream: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBytes) throw new FileError(`longer than the limit of ${maxBytes} bytes for such a text`);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function readUpTo(file: number, maxBytes: number): Buffer {
  const chunks: Buffer[] = [];
  let length = 0;
  while (length < maxBytes) {
    const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, maxBytes - length));
    const read = readSync(file, chunk, 0, chunk.length, null);
    if (read === 0) break;
    chunks.push(chunk.subarray(0, read));
    length += read;
  }
  return Buffer.concat(chunks);
}
