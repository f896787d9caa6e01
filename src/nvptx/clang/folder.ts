// Folders of files in memory, as clang in WebAssembly reads them.

/** A folder: files and folders by name. */
export interface Folder {
  [name: string]: Folder | string | Uint8Array;
}

/** Returns files, by path, as nested folders. */
export function folderOf(texts: Iterable<readonly [path: string, text: string]>): Folder {
  const root: Folder = {};
  for (const [path, text] of texts) {
    const names = path.split(/[\\/]/).filter((name) => name !== '');
    const name = names.pop() ?? path;
    let folder = root;
    for (const step of names) {
      const known = folder[step];
      const next: Folder = typeof known === 'object' && !(known instanceof Uint8Array) ? known : {};
      folder[step] = next;
      folder = next;
    }
    folder[name] = text;
  }
  return root;
}
