// Checks the values of a case file. Each error names the place of the value.

import { isObject, type JsonObject } from '../../base/json-value.ts';
import type { ElementKind } from '../../base/launch.ts';
import { oneLine } from '../../base/printable.ts';
import { encodeScalar, scalarFormats } from '../../base/scalars.ts';
import { fileContents, filled, fills, isFill } from './contents.ts';

/** The error for an invalid case file. */
export class CaseError extends Error {
  /** The place in the file, such as `params[2].data`. */
  readonly path: string;
  /** The problem at that place. */
  readonly problem: string;

  /** Creates an error for a place, and for a file if its name is known. */
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

/** Returns a value as messages show it. Any value is allowed. Long values are shortened. */
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

/** Reads a file that a case names. Throws a `CaseError` without a path. */
export type ReadCaseFile = (name: string) => Uint8Array;

const noFiles: ReadCaseFile = () => {
  throw new RangeError('names a file, which only the command line can read');
};

/** The buffer to which contents belong. */
export interface ContentsPlace {
  readonly path: string;
  readonly type: ElementKind;
  readonly bytes: number;
  readonly read: ReadCaseFile | undefined;
}

export function contents(
  object: JsonObject,
  key: 'data' | 'expect',
  { path, type, bytes, read = noFiles }: ContentsPlace,
): Uint8Array | undefined {
  const value = object[key];
  if (value === undefined) return undefined;
  const at = `${path}.${key}`;
  const { bytes: width } = scalarFormats[type];
  if (Array.isArray(value)) {
    if (value.length * width !== bytes) {
      throw new CaseError(at, `has ${value.length} numbers, but the buffer has ${bytes / width} elements of ${type}`);
    }
    const data = new Uint8Array(bytes);
    for (const [index, element] of value.entries()) {
      data.set(encodeScalar(type, scalarValue(type, element, `${at}[${index}]`)), index * width);
    }
    return data;
  }
  if (isObject(value) && value.fill !== undefined) {
    const { fill, seed } = value;
    if (!isFill(fill))
      throw new CaseError(`${at}.fill`, `unknown fill ${shown(fill)}: expected one of ${fills.join(', ')}`);
    return filled(type, bytes, fill, seed === undefined ? 1 : count(seed, `${at}.seed`, 0xffff_ffff));
  }
  const data = isObject(value) ? fromFile(text(value, 'file', at), type, at, read) : base64(value, at);
  if (data.length !== bytes) throw new CaseError(at, `contains ${data.length} bytes, but the buffer has ${bytes}`);
  return data;
}

function fromFile(name: string, type: ElementKind, at: string, read: ReadCaseFile): Uint8Array {
  if (!/\.(bin|npy)$/.test(name)) throw new CaseError(`${at}.file`, `${shown(name)} must end in .bin or .npy`);
  try {
    return fileContents(name, read(name), type);
  } catch (error) {
    if (error instanceof RangeError) throw new CaseError(`${at}.file`, `${shown(name)} ${error.message}`);
    throw error instanceof CaseError && error.path === '' ? new CaseError(`${at}.file`, error.problem) : error;
  }
}

/**
 * Returns the contents that a buffer must have after the launch; `any` if all contents are allowed.
 */
export const expectation = (object: JsonObject, place: ContentsPlace): Uint8Array | 'any' | undefined =>
  object.expect === 'any' ? 'any' : contents(object, 'expect', place);

/** Returns the word if it is one of `words`. */
export function oneOf<const Word extends string>(value: unknown, words: readonly Word[], path: string): Word {
  const found = words.find((word) => word === value);
  if (found === undefined) throw new CaseError(path, `must be one of ${words.join(', ')}, not ${shown(value)}`);
  return found;
}

export function flag(value: unknown, path: string): boolean {
  if (typeof value !== 'boolean') throw new CaseError(path, 'must be true or false');
  return value;
}

export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let i = 0; i < bytes.length; i += 4096) binary += String.fromCharCode(...bytes.subarray(i, i + 4096));
  return btoa(binary);
}

/**
 * Returns a scalar's value from a number, or from a string for values that JSON numbers cannot
 * represent (64-bit integers, hexadecimal, NaN, infinities).
 */
export function scalarValue(type: ElementKind, value: unknown, path: string): number | bigint {
  const { float, min, max, bytes } = scalarFormats[type];
  if (typeof value !== 'number' && typeof value !== 'string') {
    throw new CaseError(path, value === undefined ? 'is missing' : 'must be a number or a string');
  }
  if (typeof value === 'string' && value.length > 400) throw new CaseError(path, 'has more than 400 characters');
  if (float) {
    const number = Number(value);
    if (Number.isNaN(number) && value !== 'NaN') throw new CaseError(path, `${shown(value)} is not a number`);
    return number;
  }
  let integer: bigint;
  try {
    integer = BigInt(value);
  } catch {
    throw new CaseError(path, `${shown(value)} is not an integer`);
  }
  if (integer < min || integer > max) throw new CaseError(path, `${integer} does not fit in ${type}`);
  return bytes === 8 ? integer : Number(integer);
}
