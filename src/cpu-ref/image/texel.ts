// The components of texels: their bits, and the words that lookups return for them.
import { bytesOfTexelType, type Image, texelBytes } from '../../base/image.ts';
import { f16, f32, roundTo, valueIn } from '../lane/half-format.ts';

/** Returns the bits of the four components of the texel at a position inside the texture. */
export type TexelBits = (x: number, y: number, z: number, layer: number) => readonly number[];

const signedOf = (bits: number, width: number): number => (bits << (32 - width)) >> (32 - width);

/** Returns `value / greatest`, but at least -1, as f32 bits. */
const fraction = (value: number, greatest: number): number => roundTo(f32, Math.max(value / greatest, -1), 'rn');

const isNanOfHalf = (bits: number): boolean => (bits & 0x7fff) > 0x7c00;

/**
 * Widens an f16 NaN to f32 bits. As on an H200, the sign and the payload are preserved, and the
 * quiet bit is not set.
 */
const widenedNan = (bits: number): number => (((bits & 0x8000) << 16) | 0x7f800000 | ((bits & 0x3ff) << 13)) >>> 0;

/**
 * Returns a component as a word: f16 becomes f32, and integers are extended or converted to
 * fractions.
 */
export function componentWord({ texel, sampling }: Image, bits: number): number {
  if (texel === 'f16') return isNanOfHalf(bits) ? widenedNan(bits) : roundTo(f32, valueIn(f16, bits), 'rn');
  const width = 8 * bytesOfTexelType(texel);
  if (width === 32) return bits >>> 0;
  const isSigned = texel.startsWith('s');
  const value = isSigned ? signedOf(bits, width) : bits;
  if (sampling?.normalizedReads !== true) return value >>> 0;
  return fraction(value, 2 ** (isSigned ? width - 1 : width) - 1);
}

/** The bits of components that the texture does not have. */
const missing = [0, 0, 0, 0];

/**
 * Returns a function that reads the image's texels. `load` returns 1, 2 or 4 bytes at an offset
 * from the first texel.
 */
export function texelBits(image: Image, load: (offset: number, bytes: number) => number): TexelBits {
  const [width, height = 1, depth = 1] = image.size;
  const size = bytesOfTexelType(image.texel);
  const whole = texelBytes(image);
  // Absent: rows have no gaps.
  const { pitch = width * whole } = image;
  return (x, y, z, layer) => {
    const texel = ((layer * depth + z) * height + y) * pitch + x * whole;
    return missing.map((value, index) => (index < image.channels ? load(texel + index * size, size) : value));
  };
}

/**
 * Returns the bits of a border component in the texture's type. As in CUDA's driver, fractions are
 * rounded to nearest, and f16 is rounded toward zero.
 */
export function borderBits({ texel, sampling }: Image, value: number): number {
  if (texel === 'f32') return roundTo(f32, value, 'rn');
  if (texel === 'f16') return roundTo(f16, value, 'rz');
  const width = 8 * bytesOfTexelType(texel);
  if (sampling?.normalizedReads !== true) return value >>> 0;
  const most = 2 ** (texel.startsWith('s') ? width - 1 : width) - 1;
  const size = Math.ceil(Math.fround(Math.min(Math.abs(value), 1) * most) - 0.5);
  return (value > 0 ? size : texel.startsWith('s') ? -size : 0) & (2 ** width - 1);
}
