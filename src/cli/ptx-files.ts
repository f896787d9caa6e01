// The PTX files of a folder.
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { UsageError } from './console.ts';

export interface PtxFile {
  readonly path: string;
  /** The path within the folder. */
  readonly name: string;
}

/**
 * Returns the PTX files in a folder, at any depth, whose path contains `filter`, sorted. Throws
 * `UsageError` if there is none.
 */
export function ptxFilesIn(folder: string, filter = ''): PtxFile[] {
  let found: PtxFile[];
  try {
    found = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile() && file.name.endsWith('.ptx'))
      .map((file) => join(file.parentPath, file.name))
      .map((path) => ({ path, name: relative(folder, path) }));
  } catch (error) {
    throw new UsageError(`cannot read ${folder}: ${error instanceof Error ? error.message : String(error)}`);
  }
  const files = found.filter(({ name }) => name.includes(filter)).sort((a, b) => (a.name < b.name ? -1 : 1));
  if (files.length === 0) throw new UsageError(`no matching PTX files in ${folder}`);
  return files;
}
