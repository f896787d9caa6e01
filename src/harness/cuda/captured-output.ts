// What kernels print. The driver writes it to the process's standard output when it waits for a kernel: in the child that is a file, which
// nothing else writes to. The child's messages go another way.
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const standardOutput = 1;

/** The file, for the parent: to be closed once the child has it. It has no name by then; undefined where a file that is open keeps its name. */
export function openOutput(): number | undefined {
  if (process.platform === 'win32') return undefined;
  const path = join(tmpdir(), `lanewise-output-${process.pid}-${Math.random().toString(36).slice(2)}`);
  const file = openSync(path, 'ax+', 0o600);
  rmSync(path);
  return file;
}

export const closeOutput = (file: number): void => closeSync(file);

/**
 * Of the child: takes what has been written since the last time. `flush` empties the buffers of C's streams. Undefined where standard output is no
 * such file.
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
