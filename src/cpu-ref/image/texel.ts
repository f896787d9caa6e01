// Texels' components: their bits, and the words that a lookup gives for them.
import { bytesOfTexelType, type Image, texelBytes } from '../../base/image.ts';
import { f16, f32, roundTo, valueIn } from '../lane/half-format.ts';

/** Bits of the four components at a place inside the texture. */
export type TexelBits = (x: number, y: number, z: number, layer: number) => readonly number[];

const signedOf = (bits: number, width: number): number => (bits << (32 - width)) >> (32 - width);

/** A fraction as f32. */
const fraction = (value: number, greatest: number): number => roundTo(f32, Math.max(value / greatest, -1), 'rn');

const isNanOfHalf = (bits: number): boolean => (bits & 0x7fff) > 0x7c00;

/** The H200 leaves a NaN its sign and payload, and does not make it quiet. */
const widenedNan = (bits: number): number => (((bits & 0x8000) << 16) | 0x7f800000 | ((bits & 0x3ff) << 13)) >>> 0;

/** A component's bits as a word: integers extended or as fractions, halves as f32. */
export function componentWord({ texel, sampling }: Image, bits: number): number {
  if (texel === 'f16') return isNanOfHalf(bits) ? widenedNan(bits) : roundTo(f32, valueIn(f16, bits), 'rn');
  const width = 8 * bytesOfTexelType(texel);
  if (width === 32) return bits >>> 0;
  const isSigned = texel.startsWith('s');
  const value = isSigned ? signedOf(bits, width) : bits;
  if (sampling?.normalizedReads !== true) return value >>> 0;
  return fraction(value, 2 ** (isSigned ? width - 1 : width) - 1);
}

/** Of components that the texture lacks. */
const missing = [0, 0, 0, 0];

/** `load` gives the bits of 1, 2 or 4 bytes behind the first texel. */
export function texelBits(image: Image, load: (offset: number, bytes: number) => number): TexelBits {
  const [width, height = 1, depth = 1] = image.size;
  const size = bytesOfTexelType(image.texel);
  const whole = texelBytes(image);
  return (x, y, z, layer) => {
    const texel = ((layer * depth + z) * height + y) * width + x;
    return missing.map((value, index) => (index < image.channels ? load(texel * whole + index * size, size) : value));
  };
}

/** A component of the border as the texture's type has it: fractions to nearest, halves towards zero, as CUDA's driver makes them. */
export function borderBits({ texel, sampling }: Image, value: number): number {
  if (texel === 'f32') return roundTo(f32, value, 'rn');
  if (texel === 'f16') return roundTo(f16, value, 'rz');
  const width = 8 * bytesOfTexelType(texel);
  if (sampling?.normalizedReads !== true) return value >>> 0;
  const most = 2 ** (texel.startsWith('s') ? width - 1 : width) - 1;
  const size = Math.ceil(Math.fround(Math.min(Math.abs(value), 1) * most) - 0.5);
  return (value > 0 ? size : texel.startsWith('s') ? -size : 0) & (2 ** width - 1);
}
