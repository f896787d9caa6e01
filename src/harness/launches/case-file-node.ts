// Case files on disk.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Launch } from '../../base/launch.ts';
import { CaseError, describeCase, writeCase } from './case-file.ts';

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CaseError('', `cannot be read: ${error instanceof Error ? error.message : String(error)}`, path);
  }
}

/// Reads a case and the PTX file beside it that it names. Throws `CaseError`, which names the file.
export function readCase(path: string): Launch {
  const json = read(path);
  try {
    const { launch, ptxPath } = describeCase(json);
    const ptxFile = join(dirname(path), ptxPath);
    return { ...launch, ptx: read(ptxFile), ptxFile };
  } catch (error) {
    if (error instanceof CaseError && !error.message.startsWith(path)) {
      throw new CaseError('', error.message, path);
    }
    throw error;
  }
}

/// Writes a case as `<dir>/<id>.json` with its PTX as `<dir>/<id>.ptx`; returns the path of the JSON.
export function saveCase(launch: Launch, dir: string): string {
  const path = join(dir, `${launch.id}.json`);
  writeFileSync(join(dir, `${launch.id}.ptx`), launch.ptx);
  writeFileSync(path, writeCase(launch, `${launch.id}.ptx`));
  return path;
}
