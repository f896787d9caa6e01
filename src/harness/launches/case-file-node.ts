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
  /** Reads a file next to the case. */
  readonly read: ReadCaseFile;
}

/**
 * Reads the texts of a case and of its PTX. A case may come from an untrusted source, so it may
 * name only regular files in its folder or below, after links are resolved: diagnostics would quote
 * the lines of any other file. Throws `CaseError`, which names the file.
 */
export function readCaseFiles(path: string): CaseFiles {
  // `JSON.parse` rejects a byte order mark.
  const json = readCaseText(path, path, maxDocumentBytes).replace(/^\ufeff/, '');
  const read: ReadCaseFile = (name) => readBeside(path, name);
  // This step requires only the name of the PTX; its contents are read with the case.
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

/** A case as texts, with the names of its files. `Capture.end` of `lanewise/runtime` returns them. */
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
 * Writes cases and their PTX into a folder, which it creates, and returns the paths of the case
 * files. Existing files of the same names are replaced.
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

/** Runs `work` and adds the file name to its `CaseError`s. */
function inFile<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof CaseError ? new CaseError(error.path, error.problem, file) : error;
  }
}

/**
 * Returns the real path of `name` in `folder`; `path` is its place in the case. Throws `CaseError`
 * if it is outside the folder.
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
    // The message reports whether a file exists only for names inside the folder, so that a case
    // cannot probe for other files.
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
