// The elements of a buffer as numbers, for plots and pictures.
import type { ElementKind } from '../../src/base/launch.ts';
import { isScalarKind, readScalar, scalarFormats } from '../../src/base/scalars.ts';
import type { PtxType } from '../../src/isa/index.ts';

/**
 * Reads the elements of a buffer as numbers of the type `type`. If the width of `type` differs from
 * that of the buffer's own type, `stored`, the elements are read as `stored`.
 */
export function elementNumbers(bytes: Uint8Array, type: PtxType, stored: ElementKind): number[] {
  const kind = isScalarKind(type) && scalarFormats[type].bytes === scalarFormats[stored].bytes ? type : stored;
  const count = Math.floor(bytes.length / scalarFormats[kind].bytes);
  return Array.from({ length: count }, (_, index) => Number(readScalar(kind, bytes, index)));
}

/** Returns the smallest and the largest finite number, or 0 and 0 if there is none. */
export function finiteRange(numbers: readonly number[]): readonly [least: number, most: number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const number of numbers) {
    if (!Number.isFinite(number)) continue;
    if (number < least) least = number;
    if (number > most) most = number;
  }
  return least <= most ? [least, most] : [0, 0];
}

/**
 * Reduces numbers to at most `columns` pairs. A pair contains the least and the largest finite
 * number of consecutive elements, or is undefined if there is no finite number.
 */
export function columnRanges(
  numbers: readonly number[],
  columns: number,
): readonly (readonly [least: number, most: number] | undefined)[] {
  const count = Math.min(columns, numbers.length);
  return Array.from({ length: count }, (_, column) => {
    const from = Math.floor((column * numbers.length) / count);
    const part = numbers.slice(from, Math.floor(((column + 1) * numbers.length) / count));
    return part.some(Number.isFinite) ? finiteRange(part) : undefined;
  });
}

/**
 * Returns the gray level, from 0 to 255, of a number in a range. Returns undefined for infinities
 * and NaN.
 */
export function grey(number: number, [least, most]: readonly [number, number]): number | undefined {
  if (!Number.isFinite(number)) return undefined;
  return most === least ? 128 : Math.round(((number - least) / (most - least)) * 255);
}
