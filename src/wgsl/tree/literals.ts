// The text of WGSL literals, from their bits.
import { InternalError } from '../../base/invariants.ts';
import type { ScalarType } from './nodes.ts';

const smallestI32 = 0x8000_0000n;
const maxF32 = (2 - 2 ** -23) * 2 ** 127;
const bytes = new DataView(new ArrayBuffer(4));

/**
 * Returns the text of a constant. Throws an error for infinities and NaNs, for which WGSL does not
 * have literals.
 */
export function literalText(type: ScalarType, bits: bigint): string {
  switch (type) {
    case 'bool':
      return bits === 0n ? 'false' : 'true';
    case 'u32':
      return wordText(bits);
    case 'i32':
      // A literal for the smallest value would be the negation of a literal that is out of range.
      return bits === smallestI32 ? 'i32(-2147483648)' : `${BigInt.asIntN(32, bits)}i`;
    case 'f32':
      return floatText(bits);
  }
}

/** Whether the literal's text starts with a minus. */
export function isNegated(type: ScalarType, bits: bigint): boolean {
  if (type === 'f32') return bits >> 31n !== 0n;
  return type === 'i32' && bits > smallestI32;
}

function wordText(bits: bigint): string {
  // Write masks in hexadecimal, and counts and sizes in decimal.
  const word = Number(bits);
  const isMask = word === 0xff || word === 0xff00 || word === 0xffff;
  return word < 0x1_0000 && !isMask ? `${word}u` : `0x${word.toString(16)}u`;
}

/** Returns the number with these f32 bits. */
function floatOfBits(bits: bigint): number {
  bytes.setUint32(0, Number(bits));
  return bytes.getFloat32(0);
}

function floatText(bits: bigint): string {
  const value = floatOfBits(bits);
  if (!Number.isFinite(value)) throw new InternalError(`no f32 literal of 0x${bits.toString(16)}`);
  const magnitude = Math.abs(value);
  const text = decimal(magnitude) ?? hexadecimal(bits & 0x7fff_ffffn);
  return `${bits >> 31n === 0n ? '' : '-'}${text}f`;
}

/**
 * Returns the shortest decimal that, with any rounding, is parsed as the value. Returns undefined
 * if there is none.
 */
function decimal(value: number): string | undefined {
  if (value === 0) return '0.0';
  if (value < 2 ** -126) return undefined;
  for (let digits = 1; digits <= 9; digits++) {
    const shortest = Number(value.toPrecision(digits));
    // WGSL rejects a decimal above the largest f32, even if rounding it would yield the largest
    // f32.
    if (Math.fround(shortest) !== value || isMidway(shortest) || shortest > maxF32) continue;
    const text = String(shortest);
    return text.includes('.') || text.includes('e') ? text : `${text}.0`;
  }
  return undefined;
}

/**
 * Whether a double is midway between two f32 numbers. For such a double, rounding twice (first to a
 * double, then to f32) may yield a different f32 than rounding once.
 */
function isMidway(value: number): boolean {
  bytes.setFloat32(0, value);
  const near = bytes.getUint32(0);
  bytes.setUint32(0, bytes.getFloat32(0) > value ? near - 1 : near + 1);
  const other = bytes.getFloat32(0);
  return (Math.fround(value) + other) / 2 === value;
}

function hexadecimal(bits: bigint): string {
  const exponent = Number(bits >> 23n);
  const fraction = bits & 0x7f_ffffn;
  if (exponent === 0) return `0x${fraction.toString(16)}p-149`;
  return `0x1.${(fraction << 1n).toString(16).padStart(6, '0')}p${exponent - 127}`;
}
