// Encodes, decodes and prints scalars of each type, in little-endian order.
import type { ElementKind, ScalarKind } from './launch.ts';
import { shortFloat, shortFloatBits } from './short-floats.ts';

interface ScalarFormat {
  readonly bytes: 1 | 2 | 4 | 8;
  readonly float: boolean;
  /** The least and the greatest integer of the type, for integers. Floats accept any number. */
  readonly min: bigint;
  readonly max: bigint;
}

const unsigned = (bytes: 1 | 2 | 4 | 8): ScalarFormat => ({
  bytes,
  float: false,
  min: 0n,
  max: (1n << BigInt(bytes * 8)) - 1n,
});
const signed = (bytes: 1 | 2 | 4 | 8): ScalarFormat => ({
  bytes,
  float: false,
  min: -(1n << BigInt(bytes * 8 - 1)),
  max: (1n << BigInt(bytes * 8 - 1)) - 1n,
});
const float = (bytes: 2 | 4 | 8): ScalarFormat => ({ bytes, float: true, min: 0n, max: 0n });

export const scalarFormats: Readonly<Record<ElementKind, ScalarFormat>> = {
  u8: unsigned(1),
  s8: signed(1),
  u16: unsigned(2),
  s16: signed(2),
  u32: unsigned(4),
  s32: signed(4),
  u64: unsigned(8),
  s64: signed(8),
  f16: float(2),
  bf16: float(2),
  f32: float(4),
  f64: float(8),
  b8: unsigned(1),
  b16: unsigned(2),
  b32: unsigned(4),
  b64: unsigned(8),
};

export const isElementKind = (text: string): text is ElementKind => Object.hasOwn(scalarFormats, text);

/** Whether elements of the type are bits, without a numeric value. */
export const areBits = (type: ElementKind): boolean => type.startsWith('b') && type !== 'bf16';

/** Whether `text` names the type of a scalar parameter. */
export function isScalarKind(text: string): text is ScalarKind {
  return isElementKind(text) && !areBits(text);
}

/**
 * Returns a scalar as little-endian bytes. Integers wrap to the width of `type`; for case files,
 * the reader has already checked their range.
 */
export function encodeScalar(type: ElementKind, value: number | bigint): Uint8Array {
  const format = scalarFormats[type];
  const bytes = new Uint8Array(format.bytes);
  const view = new DataView(bytes.buffer);
  if (type === 'f16' || type === 'bf16') {
    view.setUint16(0, shortFloatBits(type, Number(value)), true);
    return bytes;
  }
  if (format.float) {
    if (format.bytes === 4) view.setFloat32(0, Number(value), true);
    else view.setFloat64(0, Number(value), true);
    return bytes;
  }
  let bits = BigInt.asUintN(64, typeof value === 'bigint' ? value : BigInt(Math.trunc(value)));
  for (let i = 0; i < bytes.length; i++) {
    bytes[i] = Number(bits & 0xffn);
    bits >>= 8n;
  }
  return bytes;
}

/** Returns element `index` of a buffer as a number, or as a bigint for 64-bit integers. */
export function readScalar(type: ElementKind, bytes: Uint8Array, index: number): number | bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const at = index * scalarFormats[type].bytes;
  switch (type) {
    case 'u8':
    case 'b8':
      return view.getUint8(at);
    case 's8':
      return view.getInt8(at);
    case 'u16':
    case 'b16':
      return view.getUint16(at, true);
    case 's16':
      return view.getInt16(at, true);
    case 'u32':
    case 'b32':
      return view.getUint32(at, true);
    case 's32':
      return view.getInt32(at, true);
    case 'u64':
    case 'b64':
      return view.getBigUint64(at, true);
    case 's64':
      return view.getBigInt64(at, true);
    case 'f16':
    case 'bf16':
      return shortFloat(type, view.getUint16(at, true));
    case 'f32':
      return view.getFloat32(at, true);
    case 'f64':
      return view.getFloat64(at, true);
  }
}

/**
 * Returns the bits of `size` bytes at `at` in hexadecimal, such as `0x3f800000`. The most
 * significant digit is first. Bytes after the end of the buffer are omitted.
 */
export function hexAt(bytes: Uint8Array, at: number, size: number): string {
  let text = '';
  for (let i = Math.min(at + size, bytes.length) - 1; i >= at; i--) {
    text += (bytes[i] ?? 0).toString(16).padStart(2, '0');
  }
  return `0x${text}`;
}
