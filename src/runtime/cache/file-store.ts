// Keeps translations, and other texts, in files of the user's cache folder. For Node.

import { lstatSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, isOwn, isOwnFolder, writeAtomically } from '../../harness/files/cache-folder.ts';
import { makeFolder } from '../../harness/files/make-folder.ts';
import { excess, type TranslationStore } from './store.ts';

/**
 * Returns a store in files, or undefined if the user has no cache folder. The store ignores files
 * that other users can write. The names of its files begin with `prefix`.
 */
export function fileStore(folder = cacheFolder(), prefix = 'translations-'): TranslationStore | undefined {
  if (folder === undefined) return undefined;
  const pathOf = (key: string): string => join(folder, `${prefix}${key}`);
  return {
    async get(key) {
      const path = pathOf(key);
      if (!isOwnFolder(folder) || !isOwn(lstatSync(path, { bigint: true }), 'file')) return undefined;
      const text = readFileSync(path, 'utf8');
      const now = new Date();
      utimesSync(path, now, now);
      return text;
    },
    async put(key, text) {
      makeFolder(folder, 0o700);
      if (!isOwnFolder(folder)) return;
      writeAtomically(pathOf(key), text);
      for (const name of excess(filesIn(folder, prefix))) rmSync(join(folder, name), { force: true });
    },
  };
}

const filesIn = (folder: string, prefix: string) =>
  readdirSync(folder)
    .filter((name) => name.startsWith(prefix))
    .map((name) => {
      const { size, mtimeMs } = lstatSync(join(folder, name));
      return { key: name, size, used: mtimeMs };
    });
