// Files in memory, for programs in a page.
import { FileFailure, type Files, type OpenFile } from './files.ts';

interface StoredFile {
  /** The contents, with room for more at the end. */
  bytes: Uint8Array;
  size: number;
}

const textOf = (path: string): string => {
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return names.join('/');
};
const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

function resize(file: StoredFile, size: number): void {
  if (size > file.bytes.length) {
    const larger = new Uint8Array(Math.max(size, 2 * file.bytes.length));
    larger.set(file.bytes.subarray(0, file.size));
    file.bytes = larger;
  }
  if (size < file.size) file.bytes.fill(0, size, file.size);
  file.size = size;
}

const opened = (file: StoredFile): OpenFile => ({
  size: () => file.size,
  read(offset, to) {
    const from = file.bytes.subarray(Math.min(offset, file.size), Math.min(offset + to.length, file.size));
    to.set(from);
    return from.length;
  },
  write(offset, from) {
    if (offset + from.length > file.size) resize(file, offset + from.length);
    file.bytes.set(from, offset);
  },
  resize: (bytes) => resize(file, bytes),
  close: () => undefined,
});

/** Returns files in memory, which begin with copies of `initial`: contents by their relative path. */
export function memoryFiles(initial: Iterable<readonly [path: string, bytes: Uint8Array]>): Files {
  const files = new Map<string, StoredFile>();
  const folders = new Set(['']);
  const addParents = (path: string): void => {
    for (let folder = parentOf(path); !folders.has(folder); folder = parentOf(folder)) folders.add(folder);
  };
  for (const [path, bytes] of initial) {
    addParents(textOf(path));
    files.set(textOf(path), { bytes: bytes.slice(), size: bytes.length });
  }
  const fileAt = (path: string): StoredFile => {
    const found = files.get(path);
    if (found === undefined) throw new FileFailure(folders.has(path) ? 'EISDIR' : 'ENOENT');
    return found;
  };
  const requireFolder = (path: string): void => {
    if (!folders.has(path)) throw new FileFailure(files.has(path) ? 'ENOTDIR' : 'ENOENT');
  };
  const exists = (path: string): boolean => files.has(path) || folders.has(path);
  const namesIn = (folder: string): string[] =>
    [...files.keys(), ...folders]
      .filter((path) => path !== '' && parentOf(path) === folder)
      .map((path) => path.slice(path.lastIndexOf('/') + 1))
      .sort();

  return {
    facts(given) {
      const path = textOf(given);
      return folders.has(path) ? { kind: 'folder', bytes: 0 } : { kind: 'file', bytes: fileAt(path).size };
    },
    open(given, { create, exclusive, truncate }) {
      const path = textOf(given);
      if (create && exclusive && exists(path)) throw new FileFailure('EEXIST');
      if (create && !exists(path)) {
        requireFolder(parentOf(path));
        files.set(path, { bytes: new Uint8Array(), size: 0 });
      }
      const file = fileAt(path);
      if (truncate) resize(file, 0);
      return opened(file);
    },
    list(given) {
      const path = textOf(given);
      requireFolder(path);
      return namesIn(path);
    },
    makeFolder(given) {
      const path = textOf(given);
      if (exists(path)) throw new FileFailure('EEXIST');
      requireFolder(parentOf(path));
      folders.add(path);
    },
    remove(given) {
      const path = textOf(given);
      fileAt(path);
      files.delete(path);
    },
    removeFolder(given) {
      const path = textOf(given);
      requireFolder(path);
      if (path === '' || namesIn(path).length > 0) throw new FileFailure('ENOTEMPTY');
      folders.delete(path);
    },
    rename(from, to) {
      const [source, target] = [textOf(from), textOf(to)];
      const file = fileAt(source);
      if (folders.has(target)) throw new FileFailure('EISDIR');
      requireFolder(parentOf(target));
      files.delete(source);
      files.set(target, file);
    },
  };
}
