// Case files on disk.
import { realpathSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { Launch } from '../../base/launch.ts';
import { FileError, reasonOf } from '../files/file-error.ts';
import { maxDocumentBytes, maxPtxBytes, readText } from '../files/read-text.ts';
import { CaseError, checkId, describeCase, writeCase } from './case-file.ts';

/** Reads a case and the PTX file that it names. Throws `CaseError`, which names the file. */
export function readCase(path: string): Launch {
  const { json, ptx, ptxFile } = readCaseFiles(path);
  return { ...inFile(path, () => describeCase(json)).launch, ptx, ptxFile };
}

/**
 * The texts of a case and of its PTX. A case is somebody else's: it may name regular files beside it or below, after links are
 * followed, and no others, whose lines would come back in diagnostics. Throws `CaseError`, which names the file.
 */
export function readCaseFiles(path: string): { json: string; ptx: string; ptxFile: string } {
  // `JSON.parse` takes no byte order mark.
  const json = readCaseText(path, path, maxDocumentBytes).replace(/^\ufeff/, '');
  const { ptxPath } = inFile(path, () => describeCase(json));
  const ptxFile = join(dirname(path), ptxPath);
  const real = inFile(path, () => insideOf(dirname(path), ptxPath));
  return { json, ptx: readCaseText(real, ptxFile, maxPtxBytes), ptxFile };
}

/**
 * Writes a case as `<dir>/<id>.json` with its PTX as `<dir>/<id>.ptx`; returns the path of the JSON. Throws `CaseError` for an id
 * that is no name of a file.
 */
export function saveCase(launch: Launch, dir: string): string {
  checkId(launch.id);
  const path = join(dir, `${launch.id}.json`);
  writeFileSync(join(dir, `${launch.id}.ptx`), launch.ptx);
  writeFileSync(path, writeCase(launch, `${launch.id}.ptx`));
  return path;
}

/** Runs `work`, whose `CaseError`s are told of that file. */
function inFile<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof CaseError ? new CaseError(error.path, error.problem, file) : error;
  }
}

/** The real path of `name` in `folder`. Throws `CaseError` where that leads out of the folder. */
function insideOf(folder: string, name: string): string {
  const problem = 'must name a file beside the case or below it';
  if (isAbsolute(name) || name.includes('\0')) throw new CaseError('ptx', problem);
  let real: string;
  let from: string;
  try {
    real = realpathSync(join(folder, name));
    from = relative(realpathSync(folder), real);
  } catch (error) {
    // Whether something is there is told of the folder only.
    const isInside = !join('.', name).startsWith('..');
    throw new CaseError('ptx', isInside ? `${name}: cannot be read: ${reasonOf(error)}` : problem);
  }
  if (from === '..' || from.startsWith(`..${sep}`) || isAbsolute(from)) throw new CaseError('ptx', problem);
  return real;
}

/** `name` is for messages. */
function readCaseText(path: string, name: string, maxBytes: number): string {
  try {
    return readText(path, maxBytes);
  } catch (error) {
    if (error instanceof FileError) throw new CaseError('', `cannot be read: ${error.message}`, name);
    throw error;
  }
}
