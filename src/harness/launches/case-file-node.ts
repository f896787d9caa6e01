// Case files on disk.
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { Launch } from '../../base/launch.ts';
import { CaseError, checkId, describeCase, writeCase } from './case-file.ts';

const maxCaseBytes = 384 * 2 ** 20;
/// The largest modules of CUDA's own libraries have some 20 MB.
const maxPtxBytes = 64 * 2 ** 20;

/// Reads a case and the PTX file that it names. Throws `CaseError`, which names the file.
export function readCase(path: string): Launch {
  const { json, ptx, ptxFile } = readCaseFiles(path);
  return { ...inFile(path, () => describeCase(json)).launch, ptx, ptxFile };
}

/// The texts of a case and of its PTX. A case is somebody else's: it may name regular files beside it or below, after links are
/// followed, and no others, whose lines would come back in diagnostics. Throws `CaseError`, which names the file.
export function readCaseFiles(path: string): { json: string; ptx: string; ptxFile: string } {
  // `JSON.parse` takes no byte order mark.
  const json = readText(path, path, maxCaseBytes).replace(/^\ufeff/, '');
  const { ptxPath } = inFile(path, () => describeCase(json));
  const ptxFile = join(dirname(path), ptxPath);
  const real = inFile(path, () => insideOf(dirname(path), ptxPath));
  return { json, ptx: readText(real, ptxFile, maxPtxBytes), ptxFile };
}

/// Writes a case as `<dir>/<id>.json` with its PTX as `<dir>/<id>.ptx`; returns the path of the JSON. Throws `CaseError` for an id
/// that is no name of a file.
export function saveCase(launch: Launch, dir: string): string {
  checkId(launch.id);
  const path = join(dir, `${launch.id}.json`);
  writeFileSync(join(dir, `${launch.id}.ptx`), launch.ptx);
  writeFileSync(path, writeCase(launch, `${launch.id}.ptx`));
  return path;
}

/// Runs `work`, whose `CaseError`s are told of that file.
function inFile<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof CaseError ? new CaseError(error.path, error.problem, file) : error;
  }
}

/// The real path of `name` in `folder`. Throws `CaseError` where that leads out of the folder.
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
    throw new CaseError('ptx', isInside ? `${name}: cannot be read: ${codeOf(error)}` : problem);
  }
  if (from === '..' || from.startsWith(`..${sep}`) || isAbsolute(from)) throw new CaseError('ptx', problem);
  return real;
}

/// A regular file, of at most `maxBytes`. Others may never end (`/dev/zero`) or never begin (a pipe). `name` is for messages.
function readText(path: string, name: string, maxBytes: number): string {
  let file: number | undefined;
  try {
    // Opening a pipe waits for its other end otherwise.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stat = fstatSync(file);
    if (!stat.isFile()) throw new CaseError('', 'is no regular file', name);
    // What the kernel makes up has size 0, whatever is in it: only what comes counts.
    const bytes = readUpTo(file, maxBytes + 1);
    if (bytes.length > maxBytes) throw new CaseError('', `has more than ${maxBytes} bytes`, name);
    return bytes.toString('utf8');
  } catch (error) {
    if (error instanceof CaseError) throw error;
    throw new CaseError('', `cannot be read: ${codeOf(error)}`, name);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function readUpTo(file: number, maxBytes: number): Buffer {
  const chunks: Buffer[] = [];
  let length = 0;
  while (length < maxBytes) {
    const chunk = Buffer.allocUnsafe(Math.min(1 << 20, maxBytes - length));
    const read = readSync(file, chunk, 0, chunk.length, null);
    if (read === 0) break;
    chunks.push(chunk.subarray(0, read));
    length += read;
  }
  return Buffer.concat(chunks);
}

function codeOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
