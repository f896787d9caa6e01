// Reads the CUDA sources that a PTX text names, so that messages can quote them.
import { realpathSync } from 'node:fs';
import { basename, dirname, extname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { OriginFile } from '../../base/launch.ts';
import { originPaths } from '../../ptx/index.ts';
import { FileError } from '../files/file-error.ts';
import { readText } from '../files/read-text.ts';

const maxSourceBytes = 4 * 2 ** 20;
const maxSources = 64;
const extensions: ReadonlySet<string> = new Set(['.cu', '.cuh', '.h', '.hpp', '.c', '.cc', '.cpp', '.cl', '.py']);

/**
 * Returns the sources in or below the folder of the `.cu` file from which `ptx` was just compiled.
 * Other sources, such as the toolkit's headers, are not read, so messages can only name them.
 */
export function originsBelow(ptx: string, file: string): OriginFile[] {
  const folder = dirname(file);
  return read(ptx, (path) => {
    const from = relative(resolve(folder), resolve(path));
    const isBelow = from !== '' && from !== '..' && !from.startsWith(`..${sep}`) && !isAbsolute(from);
    return isBelow ? join(folder, from) : undefined;
  });
}

/**
 * Returns the sources in the folder of a PTX file. The PTX may come from an untrusted source, so
 * only the last part of each path is used.
 */
export function originsBeside(ptx: string, file: string): OriginFile[] {
  const folder = dirname(file);
  return read(ptx, (path) => join(folder, basename(path.replaceAll('\\', '/')))).filter(({ name }) => {
    // Rejects a link that leads outside the folder.
    return dirname(realpathSync(name)) === realpathSync(folder);
  });
}

function read(ptx: string, nameOf: (path: string) => string | undefined): OriginFile[] {
  const files: OriginFile[] = [];
  for (const path of originPaths(ptx)) {
    const name = nameOf(path);
    if (name === undefined || !extensions.has(extname(name)) || files.length >= maxSources) continue;
    try {
      files.push({ path, name, text: readText(name, maxSourceBytes) });
    } catch (error) {
      // The file cannot be read, so messages do not quote it.
      if (!(error instanceof FileError)) throw error;
    }
  }
  return files;
}
