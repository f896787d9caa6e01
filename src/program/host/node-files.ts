// The files of the current folder, in Node.
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmdirSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { FileFailure, type Files, type OpenFile } from './files.ts';

/** Calls `work`, and converts errors of the system to `FileFailure`. */
function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && 'code' in error && typeof error.code === 'string') throw new FileFailure(error.code);
    throw error;
  }
}

function openFile(descriptor: number): OpenFile {
  return {
    size: () => attempt(() => fstatSync(descriptor).size),
    read: (offset, to) => attempt(() => readSync(descriptor, to, 0, to.length, offset)),
    write: (offset, from) =>
      attempt(() => {
        for (let done = 0; done < from.length; )
          done += writeSync(descriptor, from, done, from.length - done, offset + done);
      }),
    resize: (bytes) => attempt(() => ftruncateSync(descriptor, bytes)),
    close: () => attempt(() => closeSync(descriptor)),
  };
}

/**
 * Returns the files of a folder. The C library removes the `/` from absolute paths. So a path is
 * absolute if the folder does not contain its parent folder.
 */
export function nodeFiles(folder: string): Files {
  const placeOf = (path: string): string => {
    const local = resolve(folder, path);
    return existsSync(dirname(local)) ? local : resolve('/', path);
  };
  return {
    facts: (path) =>
      attempt(() => {
        const facts = statSync(placeOf(path));
        return { kind: facts.isDirectory() ? 'folder' : 'file', bytes: facts.size };
      }),
    open: (path, { create, exclusive, truncate, writes }) =>
      attempt(() => {
        const flags =
          (writes ? constants.O_RDWR : constants.O_RDONLY) |
          (create ? constants.O_CREAT : 0) |
          (exclusive ? constants.O_EXCL : 0) |
          (truncate ? constants.O_TRUNC : 0);
        return openFile(openSync(placeOf(path), flags));
      }),
    list: (path) => attempt(() => readdirSync(placeOf(path))),
    makeFolder: (path) => attempt(() => mkdirSync(placeOf(path))),
    remove: (path) => attempt(() => unlinkSync(placeOf(path))),
    removeFolder: (path) => attempt(() => rmdirSync(placeOf(path))),
    rename: (from, to) => attempt(() => renameSync(placeOf(from), placeOf(to))),
  };
}
