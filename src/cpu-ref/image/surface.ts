// Surfaces: computes the offset of an access, and converts words to components of texels.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#surface-instructions
import { bytesOfTexelType, type Image, texelBytes } from '../../base/image.ts';
import { f16, f32, isNaNIn, roundTo, valueIn } from '../lane/half-format.ts';

/** The effect of an access outside of the surface. */
export type Clamp = 'trap' | 'clamp' | 'zero';

interface Axis {
  readonly at: number;
  readonly last: number;
}

/**
 * Returns the coordinate and the last valid coordinate along each axis. The unit of x is bytes or
 * texels, depending on the instruction.
 */
function axesOf(image: Image, geom: string, coordinates: readonly number[], lastX: number): Axis[] {
  const [, height = 1, depth = 1] = image.size;
  const isArray = geom.startsWith('a');
  const [layer = 0] = coordinates;
  const [x = 0, y = 0, z = 0] = isArray ? coordinates.slice(1) : coordinates;
  const along = [
    { at: x | 0, last: lastX },
    { at: y | 0, last: height - 1 },
    { at: z | 0, last: depth - 1 },
  ].slice(0, Number(geom.at(isArray ? 1 : 0)));
  // An H200 ignores the upper 16 bits of the layer.
  return isArray ? [...along, { at: layer & 0xffff, last: (image.layers ?? 1) - 1 }] : along;
}

/**
 * Returns the offset in bytes of an access of `bytes` bytes, or undefined if the access is outside
 * of the surface and is not clamped. The unit of x is `unit` bytes.
 */
export function surfaceOffset(
  image: Image,
  {
    geom,
    clamp,
    bytes,
    unit,
  }: { readonly geom: string; readonly clamp: Clamp; readonly bytes: number; readonly unit: number },
  coordinates: readonly number[],
): number | undefined {
  const [width, height = 1, depth = 1] = image.size;
  const row = width * texelBytes(image);
  const axes = axesOf(image, geom, coordinates, Math.floor((row - bytes) / unit));
  const isInside = axes.every(({ at, last }) => at >= 0 && at <= last);
  if (!isInside && clamp !== 'clamp') return undefined;
  const places = axes.map(({ at, last }) => Math.max(0, Math.min(at, last)));
  // The number of bytes from one coordinate to the next, along each axis.
  const strides = geom.startsWith('a')
    ? [unit, ...(geom === 'a2d' ? [row] : []), row * height]
    : [unit, row, row * height].slice(0, axes.length);
  const offset = places.reduce((sum, place, index) => sum + place * (strides[index] ?? 0), 0);
  return offset + bytes <= row * height * depth * (image.layers ?? 1) ? offset : undefined;
}

const halfNaN = (word: number): number => ((word >>> 16) & 0x8000) | 0x7c00 | ((word >>> 13) & 0x3ff || 1);

/**
 * Returns the bits of the component that `sust.p` stores for a word. Integers saturate to the range
 * of the surface's type. Floats round toward zero to f16, as on an H200. A NaN keeps its sign and
 * the upper part of its payload; if that part is 0, the payload is 1.
 */
export function storedComponent({ texel }: Image, word: number): number {
  if (texel === 'f16') return isNaNIn(f32, word) ? halfNaN(word) : roundTo(f16, valueIn(f32, word), 'rz');
  const width = 8 * bytesOfTexelType(texel);
  if (width === 32) return word >>> 0;
  const [least, greatest] = texel.startsWith('s') ? [-(2 ** (width - 1)), 2 ** (width - 1) - 1] : [0, 2 ** width - 1];
  const value = texel.startsWith('s') ? word | 0 : word >>> 0;
  return Math.max(least, Math.min(value, greatest)) & (2 ** width - 1);
}
