// Sparse matrices A: in each group of four units along a row, two are stored. Metadata contain their
// positions in the group. A unit is an element of 8 or 16 bits, a pair of elements of 4 bits, or
// half an element of tf32.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#warp-level-matrix-instructions-for-sparse-mma
import type { MatrixForm } from './fragments.ts';
import { lanesOfFour, metadataBits, unitBits } from './sparsity-selectors.ts';

/** The lane and the bit in its word at which the metadata of a register of A begin. */
export interface MetadataPlace {
  readonly lane: number;
  readonly shift: number;
}

/**
 * Returns the place of the metadata for a register along a row of A. Register 0 has the first
 * columns. The selector names the lanes of each four that hold metadata, if not all do. With units
 * of 16 bits, a word has metadata for rows r and r + 8, in its two halves. With units of 8 bits, two
 * adjacent lanes have the words of rows r and r + 8.
 */
export function metadataPlace({ k, types, selector = 0 }: MatrixForm, row: number, register: number): MetadataPlace {
  const bit = metadataBits(types.a) * register;
  const [first, eights] = [4 * (row % 8), Math.floor(row / 8)];
  if (unitBits(types.a) === 8) return { lane: first + 2 * (selector + Math.floor(bit / 32)) + eights, shift: bit % 32 };
  return { lane: first + lanesOfFour(k, types.a) * selector + Math.floor(bit / 16), shift: 16 * eights + (bit % 16) };
}
