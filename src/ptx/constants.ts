// Constants: literals, and their conversion to the bits of an operand's type.
import type { PtxType } from '../isa/index.ts';
import { isFloat, isSigned, isUntyped, widthOf } from './types.ts';

/**
 * A constant before its conversion to an operand's type. As in PTX, integers have 64 bits: `value`
 * is in the range of s64, or of u64 if `unsigned` is set. `bits` contains a float in hexadecimal
 * notation (`0f7fc00001`), because a number would not preserve its bits.
 */
export type Constant =
  | { readonly kind: 'int'; readonly value: bigint; readonly unsigned: boolean }
  | {
      readonly kind: 'float';
      readonly value: number;
      readonly hex?: { readonly width: 32 | 64; readonly bits: bigint };
    };

const scratch = new DataView(new ArrayBuffer(8));

export function floatBits(value: number, width: 32 | 64): bigint {
  if (width === 32) {
    scratch.setFloat32(0, value);
    return BigInt(scratch.getUint32(0));
  }
  scratch.setFloat64(0, value);
  return scratch.getBigUint64(0);
}

function floatFromBits(bits: bigint, width: 32 | 64): number {
  if (width === 32) {
    scratch.setUint32(0, Number(bits));
    return scratch.getFloat32(0);
  }
  scratch.setBigUint64(0, bits);
  return scratch.getFloat64(0);
}

export function intConstant(value: bigint, unsigned: boolean): Constant {
  return { kind: 'int', value: unsigned ? BigInt.asUintN(64, value) : BigInt.asIntN(64, value), unsigned };
}

/**
 * Returns the value of at most nine decimal digits without a leading zero, which is the common
 * case, and -1 for other literals.
 */
function smallDecimal(text: string): number {
  if (text.length > 9 || (text.length > 1 && text.charCodeAt(0) === 48)) return -1;
  let value = 0;
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return -1;
    value = 10 * value + digit;
  }
  return text === '' ? -1 : value;
}

/**
 * Parses an integer literal (`0x1f`, `017`, `0b11`, `42U`). Returns undefined if the literal is
 * malformed or exceeds 64 bits.
 */
export function parseInteger(text: string): Constant | undefined {
  const small = smallDecimal(text);
  if (small >= 0) return { kind: 'int', value: BigInt(small), unsigned: false };
  // The largest integer has 64 binary digits.
  if (text.length > 80) return undefined;
  const suffixed = text.endsWith('U');
  const digits = suffixed ? text.slice(0, -1) : text;
  if (!/^(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)$/.test(digits)) return undefined;
  const octal = /^0[0-7]+$/.test(digits);
  if (/^0\d+$/.test(digits) && !octal) return undefined;
  const value = BigInt(octal ? `0o${digits.slice(1)}` : digits.toLowerCase());
  if (value >= 1n << 64n) return undefined;
  return intConstant(value, suffixed || value >= 1n << 63n);
}

const floatPattern = /^(0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}|(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)$/;

/**
 * Parses a floating-point literal: `1.5`, `0f3f800000`, `0d3ff0000000000000`. Returns undefined if
 * the literal is malformed.
 */
export function parseFloatLiteral(text: string): Constant | undefined {
  // The pattern needs quadratic time to reject very long strings of digits.
  if (text.length > 1000 || !floatPattern.test(text)) return undefined;
  const width = /^0[fF]/.test(text) ? 32 : /^0[dD]/.test(text) ? 64 : undefined;
  if (width === undefined) return { kind: 'float', value: Number(text) };
  const bits = BigInt(`0x${text.slice(2)}`);
  return { kind: 'float', value: floatFromBits(bits, width), hex: { width, bits } };
}

/**
 * The bits of a constant in a type, or the reason why the conversion is invalid. `truncated`: the
 * value did not fit, and as in ptxas only its low bits remain.
 */
export type Converted =
  | { readonly bits: bigint; readonly truncated: boolean }
  | { readonly mismatch: 'float for integer' | 'integer for float' };

/**
 * Converts a constant like ptxas. Integers wrap to the operand's width. An integer cannot become a
 * float, nor a float an integer. However, a hexadecimal float can be the value of untyped bits of
 * its width.
 */
export function convertConstant(constant: Constant, type: PtxType): Converted {
  const width = widthOf(type);
  if (type === 'pred') {
    if (constant.kind !== 'int') return { mismatch: 'float for integer' };
    return { bits: constant.value === 0n ? 0n : 1n, truncated: false };
  }
  if (constant.kind === 'int') {
    if (isFloat(type)) return { mismatch: 'integer for float' };
    const truncated = constant.value >= 1n << BigInt(width) || constant.value < -(1n << BigInt(width - 1));
    return { bits: BigInt.asUintN(width, constant.value), truncated };
  }
  if (type === 'f32' || type === 'f64') {
    const own = type === 'f32' ? 32 : 64;
    const bits = constant.hex?.width === own ? constant.hex.bits : floatBits(constant.value, own);
    return { bits, truncated: false };
  }
  if (isUntyped(type) && constant.hex?.width === width) return { bits: constant.hex.bits, truncated: false };
  return { mismatch: 'float for integer' };
}

/** Returns the range of a type as text, for messages. */
export function rangeOf(type: PtxType): string {
  const width = BigInt(widthOf(type));
  return isSigned(type) ? `${-(1n << (width - 1n))} to ${(1n << (width - 1n)) - 1n}` : `0 to ${(1n << width) - 1n}`;
}
