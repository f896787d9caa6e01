// The contents of a buffer as a user writes them: numbers, a pattern, or a file.
import type { ElementKind } from '../../base/launch.ts';
import { encodeScalar, readScalar, scalarFormats } from '../../base/scalars.ts';
import { parseNpy } from './npy.ts';

/**
 * The patterns.
 * - `zeros`, `ones`: each element is 0, or 1
 * - `iota`: each element is its index
 * - `random`: floats are uniform in [0, 1); integers have random bits
 */
export const fills = ['zeros', 'ones', 'iota', 'random'] as const;
export type Fill = (typeof fills)[number];

export const isFill = (text: unknown): text is Fill => fills.some((fill) => fill === text);

/**
 * Returns `bytes` bytes of a pattern. The last element may be incomplete. Equal arguments always
 * return equal bytes.
 */
export function filled(type: ElementKind, bytes: number, fill: Fill, seed = 1): Uint8Array {
  const data = new Uint8Array(bytes);
  if (fill === 'zeros') return data;
  const { bytes: width, float } = scalarFormats[type];
  if (fill === 'random' && !float) return randomBytes(data, seed);
  const words = randomWords(seed);
  const isBig = width === 8 && !float;
  for (let index = 0; index * width < bytes; index++) {
    const value = fill === 'iota' ? index : fill === 'ones' ? 1 : words() / 2 ** 32;
    const element = encodeScalar(type, isBig ? BigInt(value) : fill === 'random' ? rounded(type, value) : value);
    data.set(element.subarray(0, bytes - index * width), index * width);
  }
  return data;
}

/** Truncates a number to the precision of the type, so that no number is rounded up to 1. */
function rounded(type: ElementKind, value: number): number {
  const digits = type === 'f16' ? 11 : type === 'bf16' ? 8 : type === 'f32' ? 24 : 32;
  return Math.floor(value * 2 ** digits) / 2 ** digits;
}

function randomBytes(data: Uint8Array, seed: number): Uint8Array {
  const words = randomWords(seed);
  for (let at = 0; at < data.length; at += 4) {
    const word = words();
    for (let byte = 0; byte < 4 && at + byte < data.length; byte++) data[at + byte] = (word >>> (8 * byte)) & 0xff;
  }
  return data;
}

/** Returns a splitmix32 generator: each call returns 32 random bits. */
function randomWords(seed: number): () => number {
  let state = Math.imul(seed, 0x9e3779b1) | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let z = state;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return (z ^ (z >>> 15)) >>> 0;
  };
}

/**
 * Returns the elements of a file. The file contains raw bytes, or a NumPy array whose elements have
 * the type. Throws `RangeError` for an array of another type.
 */
export function fileContents(name: string, bytes: Uint8Array, type: ElementKind): Uint8Array {
  if (!name.endsWith('.npy')) return bytes;
  const array = parseNpy(bytes);
  const { bytes: width, float } = scalarFormats[type];
  const isOf = array.bytes === width && (array.float === float || type.startsWith('b'));
  if (!isOf || (array.float && type === 'bf16'))
    throw new RangeError(`contains elements of ${array.type}, not ${type}`);
  return array.data;
}

/** The maximum number of listed elements. Longer lists would be hard to read. */
const maxListed = 64;

/**
 * Returns readable JSON for a buffer's contents: a pattern, or a list of numbers. Returns undefined
 * if the JSON is longer than base64, or does not restore the same bits.
 */
export function readableContents(type: ElementKind, bytes: Uint8Array): object | undefined {
  for (const fill of ['zeros', 'ones', 'iota'] as const) {
    if (sameBytes(filled(type, bytes.length, fill), bytes)) return { fill };
  }
  const { bytes: width } = scalarFormats[type];
  const count = bytes.length / width;
  if (count > maxListed || !Number.isInteger(count)) return undefined;
  const list = Array.from({ length: count }, (_, index) => jsonNumber(readScalar(type, bytes, index)));
  const read = list.map((value) =>
    encodeScalar(type, typeof value === 'string' && width === 8 ? BigInt(value) : Number(value)),
  );
  return read.every((element, index) => sameBytes(element, bytes.subarray(index * width, (index + 1) * width)))
    ? list
    : undefined;
}

/** Returns a JSON number if it is exact, and otherwise a string. */
const jsonNumber = (value: number | bigint): number | string => {
  if (typeof value === 'bigint') return value >= -(2n ** 53n) && value <= 2n ** 53n ? Number(value) : String(value);
  if (Object.is(value, -0)) return '-0';
  return Number.isFinite(value) ? value : String(value);
};

const sameBytes = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, at) => byte === other[at]);
