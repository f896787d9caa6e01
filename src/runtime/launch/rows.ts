// Grids that are wider than a dispatch may be: their blocks are numbered in rows.

import type { Dim3 } from '../../base/launch.ts';

/** Every adapter supports this many workgroups in each dimension. */
export const maxWorkgroups = 65_535;

/** The maximum number of blocks of a grid. */
export const maxBlocks = maxWorkgroups ** 2;

/** Returns the number of workgroups that run a grid in rows: at least its blocks, and few more. */
export function rowsOf([x, y, z]: Dim3): Dim3 {
  const blocks = x * y * z;
  const rows = Math.ceil(blocks / maxWorkgroups);
  return [Math.ceil(blocks / rows), rows, 1];
}
