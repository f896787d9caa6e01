// The files that a program in a page may read: copies of those in the current folder.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The maximum size of the copies in bytes, and their maximum number. */
const maxBytes = 64 << 20;
const maxFiles = 10_000;

/**
 * Returns the contents of the files in a folder and its subfolders, by their relative path. Leaves out
 * folders of packages, hidden files and folders, and files for which the limits leave no room.
 */
export function filesBelow(folder: string): (readonly [path: string, bytes: Uint8Array])[] {
  const found: (readonly [string, Uint8Array])[] = [];
  let bytes = 0;
  const visit = (path: string): void => {
    for (const entry of readdirSync(join(folder, path), { withFileTypes: true })) {
      const { name } = entry;
      if (name.startsWith('.') || name === 'node_modules') continue;
      if (found.length >= maxFiles) return;
      const inner = path === '' ? name : `${path}/${name}`;
      if (entry.isDirectory()) {
        visit(inner);
        continue;
      }
      // Links to folders could form cycles, so only those to files count.
      const facts = statSync(join(folder, inner), { throwIfNoEntry: false });
      if (!facts?.isFile() || bytes + facts.size > maxBytes) continue;
      bytes += facts.size;
      found.push([inner, readFileSync(join(folder, inner))]);
    }
  };
  visit('');
  return found;
}
