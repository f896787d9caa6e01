// Atomic operations on words and on several words, which a page loads on use.

import { Part } from '../../../base/part.ts';
import type { legalizeAtomic } from './atomics.ts';
import type { loadCells, storeCells } from './cells.ts';

/**
 * The part of the legalization that only kernels with atomic operations, or with strong accesses to
 * several words, need.
 */
export const atomicPart = new Part<{
  readonly legalizeAtomic: typeof legalizeAtomic;
  readonly loadCells: typeof loadCells;
  readonly storeCells: typeof storeCells;
}>('atomics');
