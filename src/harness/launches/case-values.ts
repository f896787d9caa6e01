// What values of a case file may be: each is checked, and an error says where it stands.

import type { JsonObject } from '../../base/json-value.ts';
import { oneLine } from '../../base/printable.ts';

/** What is wrong with a case file, and where in it (`params[2].data`). */
export class CaseError extends Error {
  readonly path: string;
  readonly problem: string;

  constructor(path: string, problem: string, file?: string) {
    super(oneLine(`${file === undefined ? '' : `${file}: `}${path === '' ? '' : `${path}: `}${problem}`));
    this.name = 'CaseError';
    this.path = path;
    this.problem = problem;
  }
}

const maxNameLength = 4096;

export function text(object: JsonObject, key: string, path: string): string {
  const value = object[key];
  const at = path === '' ? key : `${path}.${key}`;
  if (value === undefined) throw new CaseError(at, 'is missing');
  if (typeof value !== 'string' || value === '') throw new CaseError(at, 'must be a non-empty string');
  if (value.length > maxNameLength) throw new CaseError(at, `has more than ${maxNameLength} characters`);
  return value;
}

/** A value as messages show it, whatever it is and however large. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return `'${oneLine(value, 40)}'`;
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  return String(value);
}

export function count(value: unknown, path: string, most: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > most) {
    throw new CaseError(path, `must be an integer from 0 to ${most}, not ${shown(value)}`);
  }
  return value;
}

export function base64(value: unknown, path: string): Uint8Array {
  if (typeof value !== 'string') throw new CaseError(path, 'must be a base64 string');
  try {
    const binary = atob(value);
    const bytes = new Uint8Array(binary.length);
    for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at);
    return bytes;
  } catch {
    throw new CaseError(path, 'is not valid base64');
  }
}

export function contents(
  object: JsonObject,
  key: 'data' | 'expect',
  path: string,
  bytes: number,
): Uint8Array | undefined {
  if (object[key] === undefined) return undefined;
  const data = base64(object[key], `${path}.${key}`);
  if (data.length !== bytes) {
    throw new CaseError(`${path}.${key}`, `holds ${data.length} bytes, but the buffer has ${bytes}`);
  }
  return data;
}

/** What a buffer must hold after the launch. */
export const expectation = (object: JsonObject, path: string, bytes: number): Uint8Array | 'any' | undefined =>
  object.expect === 'any' ? 'any' : contents(object, 'expect', path, bytes);

export function flag(value: unknown, path: string): boolean {
  if (typeof value !== 'boolean') throw new CaseError(path, 'must be true or false');
  return value;
}

export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let i = 0; i < bytes.length; i += 4096) binary += String.fromCharCode(...bytes.subarray(i, i + 4096));
  return btoa(binary);
}
