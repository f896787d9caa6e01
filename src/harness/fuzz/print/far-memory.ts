// The cells and tiles of kernels with much shared memory, far from its start.
import { alignUp } from '../../../base/align.ts';
import type { FuzzKernel } from '../kernels/tree.ts';
import { tilesBytes } from './tile.ts';
import type { Writer } from './writer.ts';

/** Where the cells and tiles are in dynamic shared memory, and its size. */
export interface FarMemory {
  readonly cells: number;
  readonly tiles: number;
  readonly bytes: number;
}

/** `cellBytes`: the size of all cells. Returns undefined if the cells and tiles are variables. */
export function farMemory({ farBytes }: FuzzKernel, { provided }: Writer, cellBytes: number): FarMemory | undefined {
  if (farBytes === undefined || !(provided.has('cell') || provided.has('tiles'))) return undefined;
  const tiles = alignUp(farBytes + cellBytes, 1024);
  return { cells: farBytes, tiles, bytes: tiles + tilesBytes };
}

/** Returns lines that set a register to the address of a variable, or of a place in dynamic memory. */
export const addressOf = (register: string, name: string, far: number | undefined): string[] =>
  far === undefined
    ? [`mov.u32 ${register}, ${name}`]
    : [`mov.u32 ${register}, far`, `add.u32 ${register}, ${register}, ${far}`];
