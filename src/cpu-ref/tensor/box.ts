// The layout of a box of a tensor in shared memory.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#tensor-tiled-mode
// https://docs.nvidia.com/cuda/parallel-thread-execution/#tensor-im2col-mode
// https://docs.nvidia.com/cuda/parallel-thread-execution/#tensor-interleaved-layout
import { at } from '../../base/invariants.ts';
import { elementBytes, sliceBytes } from '../../base/tensor-map-fields.ts';
import type { PixelShape, TensorMapFields, TileShape } from './tensor-map.ts';

/** The size of a chunk in bytes. Swizzling exchanges chunks; a row of all banks contains eight. */
export const chunkBytes = 16;
const bankBytes = 128;

/** The number of chunks in a span. Swizzling exchanges only chunks of the same span. */
const spanChunks = { none: 1, '32B': 2, '64B': 4, '128B': 8 } as const;

/** Returns the place of a byte in shared memory. The row of banks selects the exchanged chunks. */
export function swizzled(address: number, swizzle: TensorMapFields['swizzle']): number {
  const row = Math.floor(address / bankBytes) % spanChunks[swizzle];
  return address ^ (row * chunkBytes);
}

/** A row of a box: bytes that are adjacent in the tensor. */
export interface BoxRow {
  /** The place of the row in the box, in bytes, before swizzling. */
  readonly shared: number;
  /** The address of the first byte of the row, which may be outside of the tensor. */
  readonly global: number;
  /** The bytes of the row that are in the tensor: `from` to `to`, without `to`. */
  readonly from: number;
  readonly to: number;
}

/** The shape of a box: the number of its rows, and the bytes of a row in the tensor and in shared memory. */
export interface BoxShape {
  readonly rows: number;
  readonly rowBytes: number;
  readonly pitch: number;
}

export function boxShape(map: TensorMapFields): BoxShape {
  const { type, shape, interleave, swizzle } = map;
  const counts = shape.mode === 'tile' ? tileCounts(map, shape) : [shape.pixels];
  const rows = counts.reduce((product, count) => product * count, 1);
  // A row of an interleaved tensor is a slice.
  if (interleave !== 'none') return { rows, rowBytes: sliceBytes[interleave], pitch: sliceBytes[interleave] };
  const count = shape.mode === 'tile' ? at(shape.box, 0, 'the first size of a box') : shape.channels;
  const rowBytes = count * elementBytes[type];
  const span = swizzle === 'none' ? 0 : spanChunks[swizzle] * chunkBytes;
  return { rows, rowBytes, pitch: Math.max(rowBytes, span) };
}

/**
 * Returns the spatial dimensions. The first dimension contains the channels, and the last one the
 * images. Interleaved channels are slices, which the dimension before the last one contains.
 */
export function spatialDimensions({ sizes, interleave }: TensorMapFields): readonly number[] {
  const first = interleave === 'none' ? 1 : 0;
  return sizes.slice(2).map((_, index) => first + index);
}

/**
 * Returns the number of rows of a tile in each dimension: one in the first dimension or, with
 * interleaved channels, in the dimension of slices.
 */
function tileCounts({ elementStrides, interleave }: TensorMapFields, { box }: TileShape): readonly number[] {
  const single = interleave === 'none' ? 0 : box.length - 2;
  return box.map((size, d) => (d === single ? 1 : Math.ceil(size / at(elementStrides, d, 'an element stride'))));
}

/** Yields the coordinates of the rows of a tile, the innermost dimension first. */
function* tileRows(map: TensorMapFields, shape: TileShape, start: readonly number[]): Generator<readonly number[]> {
  const counts = tileCounts(map, shape);
  const all = counts.reduce((product, count) => product * count, 1);
  for (let row = 0; row < all; row++) {
    let rest = row;
    yield counts.map((count, d) => {
      const index = rest % count;
      rest = Math.floor(rest / count);
      return at(start, d, 'a coordinate') + index * at(map.elementStrides, d, 'an element stride');
    });
  }
}

/** The first and the last coordinate of the bounding box of the pixels, in each spatial dimension. */
export function pixelBounds(
  map: TensorMapFields,
  { lower, upper }: PixelShape,
): readonly (readonly [number, number])[] {
  return spatialDimensions(map).map((d, index) => [
    at(lower, index, 'a corner'),
    at(map.sizes, d, 'a size') - 1 + at(upper, index, 'a corner'),
  ]);
}

/**
 * Yields the coordinates of the loaded elements. The pixels follow one another in the bounding box,
 * then in that of the next image.
 */
function* pixelRows(
  map: TensorMapFields,
  shape: PixelShape,
  start: readonly number[],
  offsets: readonly number[],
): Generator<readonly number[]> {
  const spatial = spatialDimensions(map);
  const bounds = pixelBounds(map, shape);
  const images = map.sizes.length - 1;
  const offsetOf = (d: number) => (spatial.includes(d) ? at(offsets, spatial.indexOf(d), 'an offset') : 0);
  let pixel = start;
  for (let count = 0; count < shape.pixels; count++) {
    yield offsets.length === 0 ? pixel : pixel.map((place, d) => place + offsetOf(d));
    const next = [...pixel];
    let isNext = false;
    for (const [index, d] of spatial.entries()) {
      const [least, most] = at(bounds, index, 'a bound');
      const place = at(pixel, d, 'a coordinate') + at(map.elementStrides, d, 'an element stride');
      isNext = place <= most;
      next[d] = isNext ? place : least;
      if (isNext) break;
    }
    if (!isNext) next[images] = at(pixel, images, 'a coordinate') + at(map.elementStrides, images, 'an element stride');
    pixel = next;
  }
}

/** Yields the rows of the box at some coordinates. Only loads in im2col mode have offsets. */
export function* boxRows(
  map: TensorMapFields,
  coordinates: readonly number[],
  offsets: readonly number[],
): Generator<BoxRow> {
  const { interleave, shape, sizes, strides } = map;
  const { rowBytes, pitch } = boxShape(map);
  const isSliced = interleave !== 'none';
  const size = isSliced ? sliceBytes[interleave] : elementBytes[map.type];
  const rows = shape.mode === 'tile' ? tileRows(map, shape, coordinates) : pixelRows(map, shape, coordinates, offsets);
  let shared = 0;
  for (const row of rows) {
    const global = row.reduce(
      (sum, place, d) => sum + place * (d === 0 ? size : at(strides, d - 1, 'a stride')),
      map.address,
    );
    const isInside = row.every(
      (place, d) => (d === 0 && !isSliced) || (place >= 0 && place < at(sizes, d, 'a size of a tensor')),
    );
    // A row that is not a slice may be partly outside.
    const first = isSliced ? 0 : at(row, 0, 'the first coordinate') * size;
    const end = isSliced ? rowBytes : at(sizes, 0, 'the first size of a tensor') * size;
    const from = isInside ? Math.min(Math.max(0, -first), rowBytes) : 0;
    const to = isInside ? Math.max(from, Math.min(rowBytes, end - first)) : 0;
    yield { shared, global, from, to };
    shared += pitch;
  }
}
