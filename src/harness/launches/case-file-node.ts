// Case files on disk.
import { realpathSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { Launch } from '../../base/launch.ts';
import { FileError, reasonOf } from '../files/file-error.ts';
import { maxDocumentBytes, maxPtxBytes, readBytes, readText } from '../files/read-text.ts';
import { CaseError, checkId, describeCase, writeCase } from './case-file.ts';
import type { ReadCaseFile } from './case-values.ts';
import { originsBeside } from './origin-files.ts';

/**
 * Reads a case file, its PTX file, the files with the contents of its buffers, and CUDA sources
 * next to it. Throws `CaseError`.
 */
export function readCase(path: string): Launch {
  const { json, ptx, ptxFile, read } = readCaseFiles(path);
  const origins = originsBeside(ptx, ptxFile);
  const { launch } = inFile(path, () => describeCase(json, read));
  return { ...launch, ptx, ptxFile, ...(origins.length === 0 ? {} : { origins }) };
}

export interface CaseFiles {
  readonly json: string;
  readonly ptx: string;
  readonly ptxFile: string;
  /** Reads a file beside the case. */
  readonly read: ReadCaseFile;
}

/**
 * The texts of a case and of its PTX. A case is somebody else's: it may name regular files beside it or below, after links are
 * followed, and no others, whose lines would come back in diagnostics. Throws `CaseError`, which names the file.
 */
export function readCaseFiles(path: string): CaseFiles {
  // `JSON.parse` takes no byte order mark.
  const json = readCaseText(path, path, maxDocumentBytes).replace(/^\ufeff/, '');
  const read: ReadCaseFile = (name) => readBeside(path, name);
  // Contents are read with the case: here, only the name of the PTX counts.
  const { ptxPath } = inFile(path, () => describeCase(json, read));
  const ptxFile = join(dirname(path), ptxPath);
  const real = inFile(path, () => insideOf(dirname(path), ptxPath, 'ptx'));
  return { json, ptx: readCaseText(real, ptxFile, maxPtxBytes), ptxFile, read };
}

function readBeside(path: string, name: string): Uint8Array {
  try {
    return readBytes(insideOf(dirname(path), name, ''), maxDocumentBytes);
  } catch (error) {
    if (error instanceof FileError) throw new CaseError('', `${name}: cannot be read: ${error.message}`);
    throw error;
  }
}

/**
 * Writes a case to `<dir>/<id>.json` and its PTX to `<dir>/<id>.ptx`, and returns the path of the
 * JSON. Throws `CaseError` for an id that is not a valid file name.
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

/** The real path of `name`, which the case has at `path`, in `folder`. Throws `CaseError` if that leads out of the folder. */
function insideOf(folder: string, name: string, path: string): string {
  const problem = 'must name a file beside the case or below it';
  if (isAbsolute(name) || name.includes('\0')) throw new CaseError(path, problem);
  let real: string;
  let from: string;
  try {
    real = realpathSync(join(folder, name));
    from = relative(realpathSync(folder), real);
  } catch (error) {
    // Whether something is there is told of the folder only.
    const isInside = !join('.', name).startsWith('..');
    throw new CaseError(path, isInside ? `${name}: cannot be read: ${reasonOf(error)}` : problem);
  }
  if (from === '..' || from.startsWith(`..${sep}`) || isAbsolute(from)) throw new CaseError(path, problem);
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
