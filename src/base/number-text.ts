// Formats numbers of narrow types with the fewest digits that distinguish them.
import type { ElementKind } from './launch.ts';
import { areBits, encodeScalar, hexAt, readScalar, scalarFormats } from './scalars.ts';

const digits: Partial<Record<ElementKind, number>> = { f32: 9, f16: 5, bf16: 4 };

/**
 * Returns a text for element `index` of a buffer: the shortest decimal number, such as `0.1`
 * instead of `0.10000000149011612`, or hexadecimal digits for bits.
 */
export function elementText(type: ElementKind, bytes: Uint8Array, index: number): string {
  const { bytes: width } = scalarFormats[type];
  if (areBits(type)) return hexAt(bytes, index * width, width);
  const value = readScalar(type, bytes, index);
  const most = digits[type];
  if (typeof value === 'bigint' || most === undefined || !Number.isFinite(value)) return String(value);
  if (Object.is(value, -0)) return '-0';
  const stored = hexAt(bytes, index * width, width);
  for (let precision = 1; precision < most; precision++) {
    const rounded = Number(value.toPrecision(precision));
    if (hexAt(encodeScalar(type, rounded), 0, width) === stored) return String(rounded);
  }
  return String(Number(value.toPrecision(most)));
}
