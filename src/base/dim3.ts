// Sizes of three dimensions: of grids, clusters and blocks.
import type { Dim3 } from './launch.ts';

/** The maximum size of a block's shared memory in CUDA, in bytes. */
export const maxSharedBytes = 227 * 1024;

/** The minimum of the size limits of all GPUs that support CUDA. */
export const largestSizes = {
  grid: [2 ** 31 - 1, 65_535, 65_535],
  block: [1024, 1024, 64],
  cluster: [16, 16, 16],
} as const satisfies Readonly<Record<string, Dim3>>;

/** Returns the number of blocks, or of threads, of a size. */
export const countOf = ([x, y, z]: Dim3): number => x * y * z;

/** Returns the position with number `index` in a box of `size`. x varies fastest. */
export const positionIn = ([x, y]: Dim3, index: number): Dim3 => [
  index % x,
  Math.floor(index / x) % y,
  Math.floor(index / (x * y)),
];
