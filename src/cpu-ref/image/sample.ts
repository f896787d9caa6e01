// Texture lookups: converts coordinates to texels and filters them.
// https://docs.nvidia.com/cuda/cuda-c-programming-guide/#texture-fetching
import type { AddressMode, Image, Sampling } from '../../base/image.ts';
import { f32, valueIn } from '../lane/half-format.ts';
import { blend, cornersOf } from './filter.ts';
import { borderBits, componentWord, type TexelBits } from './texel.ts';

/** The default sampling state, also used for textures in linear memory. */
const plain: Sampling = {
  filter: 'point',
  address: ['clamp', 'clamp', 'clamp'],
  normalizedCoordinates: false,
  normalizedReads: false,
  border: [0, 0, 0, 0],
};
const outside: Sampling = { ...plain, address: ['border', 'border', 'border'] };

/**
 * Returns the effective address mode. Without normalized coordinates, `wrap` and `mirror` have the
 * effect of `clamp`.
 */
const modeOf = ({ normalizedCoordinates }: Sampling, mode: AddressMode): AddressMode =>
  normalizedCoordinates || mode === 'border' ? mode : 'clamp';

function samplingOf({ linear, sampling = plain }: Image): Sampling {
  if (linear) return { ...outside, normalizedReads: sampling.normalizedReads };
  const [x, y, z] = sampling.address;
  return { ...sampling, address: [modeOf(sampling, x), modeOf(sampling, y), modeOf(sampling, z)] };
}

/**
 * Returns the index of the texel for an index along an axis, after the address mode has been
 * applied; undefined if the border color applies.
 */
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

/**
 * The position of a lookup along an axis: two texels, and the weight of the right one in 256ths.
 */
interface Place {
  readonly left: number | undefined;
  readonly right: number | undefined;
  readonly weight: number;
}

/**
 * Returns the number of fraction bits of a normalized coordinate before it is scaled by `extent`.
 * This rounding, like all others in this file, was measured on an H200.
 */
const fractionBits = (extent: number): number => (extent > 65_536 ? 23 : extent > 8192 ? 22 : 21);

/**
 * Returns a finite coordinate. NaNs and subnormals become 0, and large coordinates are limited to a
 * value outside of every texture.
 */
function usable(coordinate: number): number {
  if (Number.isNaN(coordinate) || Math.abs(coordinate) < 2 ** -126) return 0;
  return Math.max(-(2 ** 40), Math.min(coordinate, 2 ** 40));
}

/**
 * Returns a coordinate in 256ths of a texel. For linear filtering, the coordinate is rounded to
 * nearest, with ties up; for point sampling, it is rounded down to a whole texel.
 */
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
  /** Whether the lookup reads the surrounding texels, whose centers are at halves. */
  readonly centred: boolean;
}

function placeOf(coordinate: number, extent: number, mode: AddressMode, normalized: boolean, centred: boolean): Place {
  const parts = fixed(coordinate, extent, { mode, normalized, centred });
  const index = Math.floor(parts / 256);
  const left = addressed(index, extent, mode);
  const right = addressed(index + 1, extent, mode);
  // Outside of the last center, the left and the right index clamp to the same texel, which then
  // has the whole weight.
  return { left, right, weight: mode === 'clamp' && left === right ? 0 : parts - 256 * index };
}

interface Split {
  /** The layer as an unsigned word, before clamping; 0 if the texture does not have layers. */
  readonly layer: number;
  readonly along: readonly number[];
}

function split(geom: string, coordinates: readonly number[]): Split {
  if (!geom.startsWith('a')) return { layer: 0, along: coordinates };
  const [layer = 0, ...along] = coordinates;
  return { layer: layer >>> 0, along };
}

/** Returns the layer, limited to the last layer, as in lookups with float coordinates. */
const layerWithin = ({ layers = 1 }: Image, layer: number): number => Math.min(layer, layers - 1);

/**
 * Returns the bits of the components of the texel at these indices. An undefined index selects the
 * border color.
 */
function componentsAt(
  image: Image,
  texels: TexelBits,
  at: readonly (number | undefined)[],
  layer: number,
): readonly number[] {
  const [x = 0, y = 0, z = 0] = at.map((index) => index ?? -1);
  return at.includes(undefined)
    ? samplingOf(image).border.map((part) => borderBits(image, part))
    : texels(x, y, z, layer);
}

/** Returns the components as result words. Components that the texture does not have are 0. */
const wordsAt = (image: Image, texels: TexelBits, at: readonly (number | undefined)[], layer: number) =>
  componentsAt(image, texels, at, layer).map((bits, index) =>
    index < image.channels ? componentWord(image, bits) : 0,
  );

/**
 * Whether linear filtering supports the image's texel type: floats, and integers that are read as
 * fractions.
 */
const isFiltered = ({ texel, sampling }: Image): boolean =>
  texel.startsWith('f') || (sampling?.normalizedReads === true && !texel.endsWith('32'));

/** Returns the four components, blended from the surrounding texels. */
function filtered(image: Image, texels: TexelBits, places: readonly Place[], layer: number): readonly number[] {
  const corners = cornersOf(places.map(({ weight }) => weight)).map(({ sides, weight }) => {
    const at = places.map(({ left, right }, axis) => (sides[axis] === 1 ? right : left));
    return { slice: sides[2] ?? 0, weight, components: componentsAt(image, texels, at, layer) };
  });
  return [0, 1, 2, 3].map((index) => {
    if (index >= image.channels) return 0;
    const slices = [0, 1].map((slice) =>
      corners
        .filter((corner) => corner.slice === slice)
        .map(({ components, weight }) => ({ bits: components[index] ?? 0, weight })),
    );
    return blend(image.texel, slices);
  });
}

/**
 * Fetches the texel at integer coordinates, for which the address mode changes nothing. The result
 * is 0 outside of the texture and after its last layer. An H200 also returns zeros for every
 * one-dimensional texture without layers that is not in linear memory.
 */
function fetch(image: Image, texels: TexelBits, geom: string, coordinates: readonly number[]): readonly number[] {
  const { layer, along } = split(geom, coordinates);
  const at = along.map((word, axis) => addressed(word | 0, image.size[axis] ?? 1, 'border'));
  const { size, layers, linear = false } = image;
  const isThere = layers === undefined ? size.length > 1 || linear : layer < layers;
  return isThere && !at.includes(undefined) ? wordsAt(image, texels, at, layer) : [0, 0, 0, 0];
}

/**
 * Fetches the texel at integer coordinates and a mipmap level, as measured on an H200. Coordinates
 * and layers clamp to the nearest texel in every address mode. Levels that a CUDA array does not
 * have read as zeros. Linear memory accepts every level.
 */
function fetchLevel(
  image: Image,
  texels: TexelBits,
  geom: string,
  coordinates: readonly number[],
  level: number,
): readonly number[] {
  const { size, layers, linear = false } = image;
  const isThere = linear || (level === 0 && (size.length > 1 || layers !== undefined));
  if (!isThere) return [0, 0, 0, 0];
  const { layer, along } = split(geom, coordinates);
  const at = along.map((word, axis) => addressed(word | 0, size[axis] ?? 1, 'clamp'));
  return wordsAt(image, texels, at, layerWithin(image, layer));
}

export interface LookUp {
  readonly geom: string;
  readonly isInteger: boolean;
  /** The mipmap level, if a lookup with integer coordinates specifies a level. */
  readonly level?: number | undefined;
}

/** Returns the four components of a lookup as words. The coordinates are words too. */
export function lookUp(
  image: Image,
  bits: TexelBits,
  { geom, isInteger, level }: LookUp,
  coordinates: readonly number[],
): readonly number[] {
  if (isInteger && level !== undefined) return fetchLevel(image, bits, geom, coordinates, level);
  if (isInteger) return fetch(image, bits, geom, coordinates);
  const sampling = samplingOf(image);
  const { along, layer: given } = split(geom, coordinates);
  const layer = layerWithin(image, given);
  const extents = along.map((_, axis) => image.size[axis] ?? 1);
  const modes = along.map((_, axis) => sampling.address[axis] ?? 'clamp');
  const isLinear = sampling.filter === 'linear';
  const places = along.map((word, axis) =>
    placeOf(valueIn(f32, word), extents[axis] ?? 1, modes[axis] ?? 'clamp', sampling.normalizedCoordinates, isLinear),
  );
  if (isLinear) return filtered(image, bits, places, layer);
  return wordsAt(
    image,
    bits,
    places.map(({ left }) => left),
    layer,
  );
}

/**
 * Returns one component of the four texels that a linear filter would blend, counterclockwise from
 * the left texel of the next row (`tld4`). The filter is applied to each texel separately, because
 * it also converts fractions and NaNs.
 */
export function gather(
  image: Image,
  bits: TexelBits,
  geom: string,
  coordinates: readonly number[],
  component: number,
): readonly number[] {
  const sampling = samplingOf(image);
  const { along, layer } = split(geom, coordinates);
  const [x, y] = along.map((word, axis) =>
    placeOf(
      valueIn(f32, word),
      image.size[axis] ?? 1,
      sampling.address[axis] ?? 'clamp',
      sampling.normalizedCoordinates,
      true,
    ),
  );
  const corners = [[x?.left, y?.right], [x?.right, y?.right], [x?.right, y?.left], [x?.left, y?.left]]; // biome-ignore format: counterclockwise
  return corners.map((at) => {
    if (component >= image.channels) return 0;
    const found = componentsAt(image, bits, at, layerWithin(image, layer))[component] ?? 0;
    return isFiltered(image) ? blend(image.texel, [[{ bits: found, weight: 256 }]]) : componentWord(image, found);
  });
}
