// Report files.
import { closeSync, existsSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { reasonOf } from '../harness/files/file-error.ts';
import { makeFolder } from '../harness/files/make-folder.ts';
import type { ToolRecord } from '../harness/report/json.ts';
import type { Origin, SourcePlace } from '../ptx/index.ts';
import { UsageError } from './console.ts';
import { packageVersion } from './version.ts';

/**
 * Writes a report, and creates its folder if necessary. Throws `UsageError` if the report cannot be
 * written.
 */
export function writeReport(path: string, text: string): void {
  try {
    makeFolder(dirname(path));
    writeFileSync(path, text);
  } catch (error) {
    throw new UsageError(`cannot write ${path}: ${reasonOf(error)}`);
  }
}

/**
 * Checks that a report can be written to the path, so that a long run does not end with "no such
 * folder". Throws `UsageError` if it cannot.
 */
export function probeReport(path: string): void {
  try {
    makeFolder(dirname(path));
    const isNew = !existsSync(path);
    closeSync(openSync(path, 'a'));
    if (isNew) rmSync(path);
  } catch (error) {
    throw new UsageError(`cannot write ${path}: ${reasonOf(error)}`);
  }
}

export function toolRecord(): ToolRecord {
  return {
    name: 'lanewise',
    version: packageVersion(),
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
  };
}

/**
 * Returns JSON that terminals and logs show unchanged. Escapes control characters, and `##[`, which
 * GitHub Actions interprets as a command.
 */
export function toJson(document: object): string {
  const text = JSON.stringify(document, null, 2);
  return `${text.replace(unprintableInJson, jsonEscape).replaceAll('##[', '\\u0023#[')}\n`;
}

// JSON.stringify has already escaped C0 controls and lone surrogates.
const unprintableInJson = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/g;

function jsonEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Returns a CUDA line in the format of documents; null if there is no line information. */
export function jsonOrigin(origin: Origin | undefined): object | null {
  if (origin === undefined) return null;
  const calls = (list: Origin['inlined']) =>
    list.map(({ callee, at }) => ({ callee: callee ?? null, at: jsonPlace(at) }));
  return { ...jsonPlace(origin), within: calls(origin.within), inlined: calls(origin.inlined) };
}

const jsonPlace = ({ file, line, column }: SourcePlace): object => ({ file, line, column });
