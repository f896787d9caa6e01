// Counts and positions in boxes of three dimensions: grids, clusters and blocks.
import type { Dim3 } from './launch.ts';

/** Returns the number of blocks, or of threads, of a size. */
export const countOf = ([x, y, z]: Dim3): number => x * y * z;

/** Returns the position with number `index` in a box of `size`. x varies fastest. */
export const positionIn = ([x, y]: Dim3, index: number): Dim3 => [
  index % x,
  Math.floor(index / x) % y,
  Math.floor(index / (x * y)),
];
