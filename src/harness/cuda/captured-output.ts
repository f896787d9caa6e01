// Captures the text that kernels print. The driver writes this text to the process's standard
// output when it waits for a kernel. In the child process, standard output is a file to which only
// the driver writes. The child's messages use another channel.
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const standardOutput = 1;

/**
 * Opens the output file in the parent process. The file is already deleted, but stays open. The
 * parent must close it after the child has inherited it. Returns undefined on a platform that
 * cannot delete an open file.
 */
export function openOutput(): number | undefined {
  if (process.platform === 'win32') return undefined;
  const path = join(tmpdir(), `lanewise-output-${process.pid}-${Math.random().toString(36).slice(2)}`);
  const file = openSync(path, 'ax+', 0o600);
  rmSync(path);
  return file;
}

export const closeOutput = (file: number): void => closeSync(file);

/**
 * Called in the child process. Returns the text that was written since the last call. `flush`
 * empties the buffers of C's streams. Returns undefined if standard output is not the output file.
 */
export function takeOutput(flush: () => void): string | undefined {
  flush();
  const status = fstatSync(standardOutput);
  if (!status.isFile()) return undefined;
  const bytes = new Uint8Array(status.size);
  let filled = 0;
  while (filled < bytes.length) {
    const count = readSync(standardOutput, bytes, filled, bytes.length - filled, filled);
    if (count === 0) break;
    filled += count;
  }
  ftruncateSync(standardOutput, 0);
  return new TextDecoder().decode(bytes.subarray(0, filled));
}
