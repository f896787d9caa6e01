// Conversions between register bits and text.

import { shortFloat, shortFloatBits } from '../src/base/short-floats.ts';
import type { PtxType } from '../src/isa/index.ts';
import { isFloat, widthOf } from '../src/ptx/types.ts';
import { bitsOfF32, f32FromBits } from '../src/runtime/preflight/exact-f32.ts';
import type { Format } from './state.ts';

/** Formats bits as a number of the type, or in the selected format. */
export function formatBits(bits: bigint, type: PtxType, format: Format): string {
  const width = widthOf(type);
  if (type === 'pred') return bits === 0n ? '0' : '1';
  if (format === 'hex') return `0x${bits.toString(16).padStart(width / 4, '0')}`;
  if (type === 'f16' || type === 'bf16') {
    if (format === 'auto' || format === 'float') return numberText(shortFloat(type, Number(bits)));
  } else if (format === 'float' || (format === 'auto' && isFloat(type))) return floatText(bits, width);
  if (format === 'signed' || (format === 'auto' && type.startsWith('s'))) return BigInt.asIntN(width, bits).toString();
  // 64-bit registers contain addresses and numbers. Only addresses are this large.
  if (format === 'auto' && width === 64 && bits >= firstAddress) return `0x${bits.toString(16)}`;
  return bits.toString();
}

/** A number that is less than every generic address of the reference in a 64-bit address space. */
const firstAddress = 2n ** 40n;

function floatText(bits: bigint, width: number): string {
  const value =
    width === 64 ? new Float64Array(BigUint64Array.of(bits).buffer)[0] : f32FromBits(Number(BigInt.asUintN(32, bits)));
  return value === undefined ? '' : numberText(value);
}

function numberText(value: number): string {
  if (Object.is(value, -0)) return '-0';
  return Number.isInteger(value) && Math.abs(value) < 1e9 ? String(value) : String(Number(value.toPrecision(7)));
}

/** Shortens a text to at most `length` characters, for a narrow cell. */
export function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  // Keep the last digits of an address, because they differ between lanes.
  if (text.startsWith('0x')) return `…${text.slice(1 - length)}`;
  const number = Number(text);
  if (Number.isFinite(number)) {
    for (let digits = 3; digits > 0; digits--) {
      const short = number.toPrecision(digits).replace('e+', 'e');
      if (short.length <= length) return short;
    }
  }
  return `${text.slice(0, length - 1)}…`;
}

/**
 * The maximum number of characters of a number that the user enters. This length suffices for any
 * f64 in decimal notation.
 */
const maxDigits = 1100;

/**
 * Parses a typed value, such as `-1`, `0x1f`, `1.5` or `true`, and returns its bits. Returns
 * undefined if the text is not a value of the type.
 */
export function parseBits(text: string, type: PtxType): bigint | undefined {
  const word = text.trim();
  // A 64-bit value needs fewer characters, and long numbers are slow to parse.
  if (word.length > maxDigits) return undefined;
  const width = widthOf(type);
  if (type === 'pred') {
    if (/^(1|true)$/i.test(word)) return 1n;
    return /^(0|false)$/i.test(word) ? 0n : undefined;
  }
  if (/^-?0[xb][\da-f]+$/i.test(word)) {
    const magnitude = BigInt(word.replace('-', ''));
    return BigInt.asUintN(width, word.startsWith('-') ? -magnitude : magnitude);
  }
  if (isFloat(type)) {
    const value = word === '' ? Number.NaN : Number(word.replace(/^([+-]?)inf$/i, '$1Infinity'));
    if (Number.isNaN(value) && !/^nan$/i.test(word)) return undefined;
    return numberBits(value, type);
  }
  return /^[+-]?\d+$/.test(word) ? BigInt.asUintN(width, BigInt(word)) : undefined;
}

/** Returns the bits of a whole number as a value of the type. For example, 3 is 3.0 for f32. */
export function numberBits(value: number, type: PtxType): bigint {
  if (type === 'pred') return value === 0 ? 0n : 1n;
  if (type === 'f64') return new BigUint64Array(Float64Array.of(value).buffer)[0] ?? 0n;
  if (type === 'f32') return BigInt(bitsOfF32(value));
  if (type === 'f16' || type === 'bf16') return BigInt(shortFloatBits(type, value));
  return BigInt.asUintN(widthOf(type), BigInt(Math.trunc(value)));
}

export const hexMask = (mask: number): string => `0x${(mask >>> 0).toString(16).padStart(8, '0')}`;

/** Formats a time of at most a few seconds, in microseconds or milliseconds. */
export const timeText = (ms: number): string =>
  ms < 1 ? `${(1000 * ms).toPrecision(3)} µs` : `${ms.toPrecision(3)} ms`;
