// Texture lookups: coordinates to texels, and filtering.
// https://docs.nvidia.com/cuda/cuda-c-programming-guide/#texture-fetching
import type { AddressMode, Image, Sampling } from '../../base/image.ts';
import { f32, valueIn } from '../lane/half-format.ts';
import { blend, cornersOf } from './filter.ts';
import { borderBits, componentWord, type TexelBits, type TexelReader, texelReader } from './texel.ts';

/// Of a texture in linear memory, or where nothing is said.
const plain: Sampling = {
  filter: 'point',
  address: ['clamp', 'clamp', 'clamp'],
  normalizedCoordinates: false,
  normalizedReads: false,
  border: [0, 0, 0, 0],
};
const outside: Sampling = { ...plain, address: ['border', 'border', 'border'] };

/// Only coordinates from 0 to 1 wrap.
const modeOf = ({ normalizedCoordinates }: Sampling, mode: AddressMode): AddressMode =>
  normalizedCoordinates || mode === 'border' ? mode : 'clamp';

function samplingOf({ linear, sampling = plain }: Image): Sampling {
  if (linear) return { ...outside, normalizedReads: sampling.normalizedReads };
  const [x, y, z] = sampling.address;
  return { ...sampling, address: [modeOf(sampling, x), modeOf(sampling, y), modeOf(sampling, z)] };
}

/// The texel that an index along an axis stands for; undefined beside the border.
function addressed(index: number, extent: number, mode: AddressMode): number | undefined {
  if (index >= 0 && index < extent) return index;
  const turn = Math.floor(index / extent);
  const within = index - turn * extent;
  switch (mode) {
    case 'border':
      return undefined;
    case 'clamp':
      return index < 0 ? 0 : extent - 1;
    case 'wrap':
      return within;
    case 'mirror':
      return turn % 2 === 0 ? within : extent - 1 - within;
  }
}

/// Where a lookup falls along an axis: two texels, and the weight of the second in 256ths.
interface Place {
  readonly left: number | undefined;
  readonly right: number | undefined;
  readonly weight: number;
}

/// Fractional bits that a coordinate from 0 to 1 has before it is scaled. Measured on an H200, as are all roundings here.
const fractionBits = (extent: number): number => (extent > 65_536 ? 23 : extent > 8192 ? 22 : 21);

/// Subnormal coordinates are zeros, as are NaNs; beyond this every texture ends.
function usable(coordinate: number): number {
  if (Number.isNaN(coordinate) || Math.abs(coordinate) < 2 ** -126) return 0;
  return Math.max(-(2 ** 40), Math.min(coordinate, 2 ** 40));
}

/// A coordinate in 256ths of a texel: rounded to nearest, halves upwards, for filters, and down to a whole texel for points.
function fixed(coordinate: number, extent: number, { mode, normalized, centred }: AxisShape): number {
  const at = usable(coordinate);
  if (!normalized) return centred ? Math.floor(at * 256 + 0.5) - 128 : Math.floor(at) * 256;
  const unit = 2 ** fractionBits(extent);
  const parts = Math.floor(at * unit);
  const isPeriodic = mode === 'wrap' || mode === 'mirror';
  const within = isPeriodic ? parts - Math.floor(parts / (2 * unit)) * 2 * unit : parts;
  const scaled = BigInt(within) * BigInt(extent);
  const bits = BigInt(fractionBits(extent));
  if (!centred) return Number(scaled >> bits) * 256;
  return Number((scaled + (1n << (bits - 9n))) >> (bits - 8n)) - 128;
}

interface AxisShape {
  readonly mode: AddressMode;
  readonly normalized: boolean;
  /// Whether the texels around are wanted, whose centres lie at halves.
  readonly centred: boolean;
}

function placeOf(coordinate: number, extent: number, mode: AddressMode, normalized: boolean, centred: boolean): Place {
  const parts = fixed(coordinate, extent, { mode, normalized, centred });
  const index = Math.floor(parts / 256);
  const left = addressed(index, extent, mode);
  const right = addressed(index + 1, extent, mode);
  // Beyond the last centre there is one texel, which no other shares.
  return { left, right, weight: mode === 'clamp' && left === right ? 0 : parts - 256 * index };
}

interface Split {
  /// Of a layered texture, within its range.
  readonly layer: number;
  readonly along: readonly number[];
}

function split({ layers = 1 }: Image, geom: string, coordinates: readonly number[]): Split {
  if (!geom.startsWith('a')) return { layer: 0, along: coordinates };
  const [layer = 0, ...along] = coordinates;
  return { layer: Math.min(layer >>> 0, layers - 1), along };
}

/// The components at texels along each axis, or the border's.
function wordsAt(
  image: Image,
  texels: TexelReader,
  at: readonly (number | undefined)[],
  layer: number,
): readonly number[] {
  const [x = 0, y = 0, z = 0] = at.map((index) => index ?? -1);
  if (!at.includes(undefined)) return texels(x, y, z, layer);
  return samplingOf(image).border.map((part, index) =>
    index < image.channels ? componentWord(image, borderBits(image, part)) : 0,
  );
}

/// The texels around, each with its share.
function filtered(image: Image, texels: TexelBits, places: readonly Place[], layer: number): readonly number[] {
  const { border } = samplingOf(image);
  const corners = cornersOf(places.map(({ weight }) => weight)).map(({ sides, weight }) => {
    const at = places.map(({ left, right }, axis) => (sides[axis] === 1 ? right : left));
    const [x = 0, y = 0, z = 0] = at.map((index) => index ?? -1);
    const components = at.includes(undefined) ? border.map((part) => borderBits(image, part)) : texels(x, y, z, layer);
    return { slice: sides[2] ?? 0, weight, components };
  });
  return border.map((_, index) => {
    if (index >= image.channels) return 0;
    const slices = [0, 1].map((slice) =>
      corners
        .filter((corner) => corner.slice === slice)
        .map(({ components, weight }) => ({ bits: components[index] ?? 0, weight })),
    );
    return blend(image.texel, slices);
  });
}

/// The four components, as words, of a lookup at coordinates (words, too).
export function lookUp(
  image: Image,
  bits: TexelBits,
  { geom, isInteger }: { readonly geom: string; readonly isInteger: boolean },
  coordinates: readonly number[],
): readonly number[] {
  const texels = texelReader(image, bits);
  const sampling = samplingOf(image);
  const { layer, along } = split(image, geom, coordinates);
  const extents = along.map((_, axis) => image.size[axis] ?? 1);
  const modes = along.map((_, axis) => sampling.address[axis] ?? 'clamp');
  if (isInteger) {
    // Whatever the mode: beside the texture there are zeros.
    const at = along.map((word, axis) => addressed(word | 0, extents[axis] ?? 1, 'border'));
    return at.includes(undefined) ? [0, 0, 0, 0] : wordsAt(image, texels, at, layer);
  }
  const isLinear = sampling.filter === 'linear';
  const places = along.map((word, axis) =>
    placeOf(valueIn(f32, word), extents[axis] ?? 1, modes[axis] ?? 'clamp', sampling.normalizedCoordinates, isLinear),
  );
  if (isLinear) return filtered(image, bits, places, layer);
  return wordsAt(
    image,
    texels,
    places.map(({ left }) => left),
    layer,
  );
}

/// One component of the four texels that filtering would take: those of the next row first, against the clock.
export function gather(
  image: Image,
  bits: TexelBits,
  geom: string,
  coordinates: readonly number[],
  component: number,
): readonly number[] {
  const texels = texelReader(image, bits);
  const sampling = samplingOf(image);
  const { layer, along } = split(image, geom, coordinates);
  const [x, y] = along.map((word, axis) =>
    placeOf(
      valueIn(f32, word),
      image.size[axis] ?? 1,
      sampling.address[axis] ?? 'clamp',
      sampling.normalizedCoordinates,
      true,
    ),
  );
  const corners = [[x?.left, y?.right], [x?.right, y?.right], [x?.right, y?.left], [x?.left, y?.left]]; // biome-ignore format: against the clock
  return corners.map((at) => wordsAt(image, texels, at, layer)[component] ?? 0);
}
