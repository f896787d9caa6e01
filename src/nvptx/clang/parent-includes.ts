// `#include` with a path that contains `..`. The file system of `@yowasp/clang` ignores `..`, so the
// compiler receives the absolute paths of these files.
import type { Folder } from './folder.ts';

const parentInclude = /^([ \t]*#[ \t]*include[ \t]*)(["<])([^">\n]*\.\.\/[^">\n]*)[">]/gm;

/**
 * Returns a copy of the files in which the paths of such includes are absolute. `#include "…"`
 * searches the file's own folder first, and then `includes`. A path that names no file is not changed.
 */
export function withAbsoluteIncludes(root: Folder, includes: readonly string[]): Folder {
  const rewrite = (text: string, folder: string): string =>
    text.replace(parentInclude, (line: string, start: string, open: string, name: string) => {
      const folders = open === '"' ? [folder, ...includes] : includes;
      const found = folders.map((each) => normalized(`${each}/${name}`)).find((path) => isFile(root, path));
      return found === undefined ? line : `${start}"${found}"`;
    });
  const copy = (folder: Folder, path: string): Folder =>
    Object.fromEntries(
      Object.entries(folder).map(([name, entry]) => {
        if (entry instanceof Uint8Array) return [name, entry];
        return [name, typeof entry === 'string' ? rewrite(entry, path) : copy(entry, `${path}/${name}`)];
      }),
    );
  return copy(root, '');
}

/** Returns an absolute path without empty segments, `.` and `..`. */
function normalized(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return `/${segments.join('/')}`;
}

function isFile(root: Folder, path: string): boolean {
  let entry: Folder[string] | undefined = root;
  for (const segment of path.slice(1).split('/')) {
    if (typeof entry !== 'object' || entry instanceof Uint8Array) return false;
    entry = Object.hasOwn(entry, segment) ? entry[segment] : undefined;
  }
  return typeof entry === 'string' || entry instanceof Uint8Array;
}
