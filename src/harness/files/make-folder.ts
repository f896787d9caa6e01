// Creates folders, as `mkdir -p` does. `mkdirSync` with `recursive: true` never returns in Node 20
// if the file system reports ENOENT for a folder whose parent exists, as /proc does.

import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { FileError, reasonOf } from './file-error.ts';

/**
 * Creates the folder at `path` and its missing ancestors with `mode`. Keeps an existing folder.
 * Throws `FileError`.
 */
export function makeFolder(path: string, mode = 0o777): void {
  const missing: string[] = [];
  for (let at = resolve(path); !existsSync(at) && at !== dirname(at); at = dirname(at)) missing.push(at);
  try {
    for (const folder of missing.reverse()) makeOne(folder, mode);
    if (!statSync(path).isDirectory()) throw new FileError(`${path} is not a folder`);
  } catch (error) {
    throw error instanceof FileError ? error : new FileError(reasonOf(error));
  }
}

function makeOne(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process may have created the folder.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
