// Grids that are wider than a dispatch may be. Their blocks are numbered in rows.

import type { Dim3 } from '../../base/launch.ts';

/** The number of workgroups in each dimension that every adapter supports. */
export const maxWorkgroups = 65_535;

/** The maximum number of blocks of a grid. */
export const maxBlocks = maxWorkgroups ** 2;

/**
 * Returns the number of workgroups that run a grid in rows. It is at least the number of blocks,
 * and only slightly more.
 */
export function rowsOf([x, y, z]: Dim3): Dim3 {
  const blocks = x * y * z;
  const rows = Math.ceil(blocks / maxWorkgroups);
  return [Math.ceil(blocks / rows), rows, 1];
}
