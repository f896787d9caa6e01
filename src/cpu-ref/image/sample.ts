// Texture lookups: coordinates to texels, and filtering.
// https://docs.nvidia.com/cuda/cuda-c-programming-guide/#texture-fetching
import type { AddressMode, Image, Sampling } from '../../base/image.ts';
import { f32, roundTo, valueIn } from '../lane/half-format.ts';
import { borderWords, type TexelReader } from './texel.ts';

/// Of a texture in linear memory, or where nothing is said.
const plain: Sampling = {
  filter: 'point',
  address: ['clamp', 'clamp', 'clamp'],
  normalizedCoordinates: false,
  normalizedReads: false,
  border: [0, 0, 0, 0],
};
const outside: Sampling = { ...plain, address: ['border', 'border', 'border'] };

const samplingOf = ({ linear, sampling = plain }: Image): Sampling =>
  linear ? { ...outside, normalizedReads: sampling.normalizedReads } : sampling;

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

/// A coordinate in 256ths of a texel.
function fixed(coordinate: number, extent: number, normalized: boolean): number {
  const scaled = normalized ? Math.fround(coordinate * extent) : coordinate;
  const parts = Math.fround(scaled * 256);
  if (Number.isNaN(parts)) return 0;
  const floor = Math.floor(parts);
  const rest = parts - floor;
  const rounded = rest > 0.5 || (rest === 0.5 && floor % 2 !== 0) ? floor + 1 : floor;
  return Math.max(-(2 ** 31), Math.min(rounded, 2 ** 31 - 1));
}

function placeOf(coordinate: number, extent: number, mode: AddressMode, normalized: boolean, centred: boolean): Place {
  const parts = fixed(coordinate, extent, normalized) - (centred ? 128 : 0);
  const index = Math.floor(parts / 256);
  return {
    left: addressed(index, extent, mode),
    right: addressed(index + 1, extent, mode),
    weight: parts - 256 * index,
  };
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
  if (at.includes(undefined)) return borderWords(image, samplingOf(image));
  return texels(x, y, z, layer);
}

const add = (a: number, b: number): number => Math.fround(a + b);

/// All corners with their weights, x first.
function filtered(image: Image, texels: TexelReader, places: readonly Place[], layer: number): readonly number[] {
  let sums: readonly number[] = [0, 0, 0, 0];
  for (let corner = 0; corner < 2 ** places.length; corner++) {
    const isRight = (axis: number): boolean => Math.floor(corner / 2 ** axis) % 2 === 1;
    const at = places.map(({ left, right }, axis) => (isRight(axis) ? right : left));
    const share = places.reduce((product, { weight }, axis) => product * (isRight(axis) ? weight : 256 - weight), 1);
    const words = wordsAt(image, texels, at, layer);
    sums = sums.map((sum, index) => add(sum, (share / 256 ** places.length) * valueIn(f32, words[index] ?? 0)));
  }
  return sums.map((sum) => roundTo(f32, sum, 'rn'));
}

/// The four components, as words, of a lookup at coordinates (words, too).
export function lookUp(
  image: Image,
  texels: TexelReader,
  { geom, isInteger }: { readonly geom: string; readonly isInteger: boolean },
  coordinates: readonly number[],
): readonly number[] {
  const sampling = samplingOf(image);
  const { layer, along } = split(image, geom, coordinates);
  const extents = along.map((_, axis) => image.size[axis] ?? 1);
  const modes = along.map((_, axis) => sampling.address[axis] ?? 'clamp');
  if (isInteger) {
    const at = along.map((word, axis) => addressed(word | 0, extents[axis] ?? 1, modes[axis] ?? 'clamp'));
    return wordsAt(image, texels, at, layer);
  }
  const isLinear = sampling.filter === 'linear';
  const places = along.map((word, axis) =>
    placeOf(valueIn(f32, word), extents[axis] ?? 1, modes[axis] ?? 'clamp', sampling.normalizedCoordinates, isLinear),
  );
  if (isLinear) return filtered(image, texels, places, layer);
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
  texels: TexelReader,
  geom: string,
  coordinates: readonly number[],
  component: number,
): readonly number[] {
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
