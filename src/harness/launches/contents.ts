// The contents of a buffer as a person writes them: numbers, a pattern, or a file.
import type { ElementKind } from '../../base/launch.ts';
import { encodeScalar, readScalar, scalarFormats } from '../../base/scalars.ts';
import { parseNpy } from './npy.ts';

/**
 * - `zeros`, `ones`
 * - `iota`: each element is its index
 * - `random`: floats are uniform from 0 up to, not including, 1; of integers and bits, every bit is random
 */
export const fills = ['zeros', 'ones', 'iota', 'random'] as const;
export type Fill = (typeof fills)[number];

export const isFill = (text: unknown): text is Fill => fills.some((fill) => fill === text);

/** `bytes` bytes of a pattern; the last element may be cut. Equal arguments give equal bytes. */
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

/** Down to the digits that the type has, so that no number is rounded up to 1. */
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

/** splitmix32: 32 random bits at each call. */
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

/** The elements of a file: raw bytes, or an array of NumPy whose elements have the type. Throws `RangeError`. */
export function fileContents(name: string, bytes: Uint8Array, type: ElementKind): Uint8Array {
  if (!name.endsWith('.npy')) return bytes;
  const array = parseNpy(bytes);
  const { bytes: width, float } = scalarFormats[type];
  const isOf = array.bytes === width && (array.float === float || type.startsWith('b'));
  if (!isOf || (array.float && type === 'bf16')) throw new RangeError(`holds elements of ${array.type}, not ${type}`);
  return array.data;
}

/** Few enough to be read. */
const maxListed = 64;

/**
 * What a case file says of a buffer's contents so that a person can read it: a pattern, or a list of numbers. Undefined if that would be longer
 * than base64, or not have the same bits.
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

/** A number as JSON holds it without loss; a string for what JSON's numbers cannot hold. */
const jsonNumber = (value: number | bigint): number | string => {
  if (typeof value === 'bigint') return value >= -(2n ** 53n) && value <= 2n ** 53n ? Number(value) : String(value);
  if (Object.is(value, -0)) return '-0';
  return Number.isFinite(value) ? value : String(value);
};

const sameBytes = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, at) => byte === other[at]);
