// Reads and writes case files on disk.
import { realpathSync, writeFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { Launch } from '../../base/launch.ts';
import { FileError, reasonOf } from '../files/file-error.ts';
import { makeFolder } from '../files/make-folder.ts';
import { maxDocumentBytes, maxPtxBytes, readBytes, readText } from '../files/read-text.ts';
import { CaseError, checkId, describeCase, writeCase } from './case-file.ts';
import { type ReadCaseFile, shown } from './case-values.ts';
import { originsBeside } from './origin-files.ts';

/**
 * Reads a case file, its PTX file, the files with the contents of its buffers, and CUDA sources in
 * the same folder. Throws `CaseError`.
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
  /** Reads a file that the case names. */
  readonly read: ReadCaseFile;
}

/**
 * Reads the texts of a case and of its PTX. A case may come from an untrusted source, and
 * diagnostics quote lines of its files. So a case may name only regular files in its folder or
 * below, after links are resolved. Throws a `CaseError` that names the file.
 */
export function readCaseFiles(path: string): CaseFiles {
  // Remove a byte order mark, which `JSON.parse` rejects.
  const json = readCaseText(path, path, maxDocumentBytes).replace(/^\ufeff/, '');
  const read: ReadCaseFile = (name) => readBeside(path, name);
  // Only the name of the PTX is needed here. Its contents are read with the case.
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
 * Writes a case to `<dir>/<id>.json` and its PTX to `<dir>/<id>.ptx`. Returns the path of the JSON.
 * Throws `CaseError` for an id that is not a valid file name.
 */
export function saveCase(launch: Launch, dir: string): string {
  checkId(launch.id);
  const path = join(dir, `${launch.id}.json`);
  writeFileSync(join(dir, `${launch.id}.ptx`), launch.ptx);
  writeFileSync(path, writeCase(launch, `${launch.id}.ptx`));
  return path;
}

/**
 * A case as texts, with the names of its files. `Capture.end` of `lanewise/runtime` resolves with
 * such cases.
 */
export interface CaseTexts {
  /** The name of the case file. */
  readonly file: string;
  /** The contents of the case file. */
  readonly json: string;
  /** The name of the PTX file. */
  readonly ptxFile: string;
  /** The contents of the PTX file. */
  readonly ptx: string;
}

/**
 * Writes cases and their PTX into a folder, and returns the paths of the case files. Creates the
 * folder if necessary. Replaces existing files of the same names.
 */
export function saveCases(cases: readonly CaseTexts[], dir: string): string[] {
  makeFolder(dir);
  return cases.map(({ file, json, ptxFile, ptx }) => {
    for (const name of [file, ptxFile])
      if (basename(name) !== name) throw new CaseError('', `${shown(name)} is not a file name`);
    writeFileSync(join(dir, ptxFile), ptx);
    writeFileSync(join(dir, file), json);
    return join(dir, file);
  });
}

/** Runs `work`. If it throws a `CaseError`, adds the file name to the error. */
function inFile<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof CaseError ? new CaseError(error.path, error.problem, file) : error;
  }
}

/**
 * Returns the real path of `name` in `folder`. `path` is the place of the name in the case. Throws
 * `CaseError` if the file is outside the folder.
 */
function insideOf(folder: string, name: string, path: string): string {
  const problem = 'must name a file in the folder of the case or below it';
  if (isAbsolute(name) || name.includes('\0')) throw new CaseError(path, problem);
  let real: string;
  let from: string;
  try {
    real = realpathSync(join(folder, name));
    from = relative(realpathSync(folder), real);
  } catch (error) {
    // Only for names inside the folder does the message report whether a file exists, so that a
    // case cannot probe for other files.
    const isInside = !join('.', name).startsWith('..');
    throw new CaseError(path, isInside ? `${name}: cannot be read: ${reasonOf(error)}` : problem);
  }
  if (from === '..' || from.startsWith(`..${sep}`) || isAbsolute(from)) throw new CaseError(path, problem);
  return real;
}

/** Reads the text of a case. `name` is its name in messages. */
function readCaseText(path: string, name: string, maxBytes: number): string {
  try {
    return readText(path, maxBytes);
  } catch (error) {
    if (error instanceof FileError) throw new CaseError('', `cannot be read: ${error.message}`, name);
    throw error;
  }
}
