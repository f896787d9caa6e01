// The layout of a box of a tensor in shared memory.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#tensor-tiled-mode
import { at } from '../../base/invariants.ts';
import { elementBytes } from '../../base/tensor-map-fields.ts';
import type { TensorMapFields } from './tensor-map.ts';

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
  readonly counts: readonly number[];
  readonly rowBytes: number;
  readonly pitch: number;
}

export function boxShape({ type, box, elementStrides, swizzle }: TensorMapFields): BoxShape {
  const rowBytes = at(box, 0, 'the first size of a box') * elementBytes[type];
  const span = swizzle === 'none' ? 0 : spanChunks[swizzle] * chunkBytes;
  const counts = box
    .slice(1)
    .map((size, index) => Math.ceil(size / at(elementStrides, index + 1, 'an element stride')));
  return { counts, rowBytes, pitch: Math.max(rowBytes, span) };
}

/** Yields the rows of the box at some coordinates. */
export function* boxRows(map: TensorMapFields, coordinates: readonly number[]): Generator<BoxRow> {
  const { counts, rowBytes, pitch } = boxShape(map);
  const size = elementBytes[map.type];
  const first = at(coordinates, 0, 'the first coordinate') * size;
  const end = at(map.sizes, 0, 'the first size of a tensor') * size;
  const all = counts.reduce((product, count) => product * count, 1);
  for (let row = 0; row < all; row++) {
    let rest = row;
    let global = map.address + first;
    let isInside = true;
    for (const [index, count] of counts.entries()) {
      const step = at(map.elementStrides, index + 1, 'an element stride');
      const place = at(coordinates, index + 1, 'a coordinate') + (rest % count) * step;
      rest = Math.floor(rest / count);
      isInside &&= place >= 0 && place < at(map.sizes, index + 1, 'a size of a tensor');
      global += place * at(map.strides, index, 'a stride');
    }
    const from = isInside ? Math.min(Math.max(0, -first), rowBytes) : 0;
    const to = isInside ? Math.max(from, Math.min(rowBytes, end - first)) : 0;
    yield { shared: row * pitch, global, from, to };
  }
}
