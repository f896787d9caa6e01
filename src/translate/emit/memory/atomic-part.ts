// Atomic operations in WGSL, which a page loads on use.

import { Part } from '../../../base/part.ts';
import type { writeAtomic, writeHalf } from './atomics.ts';
import type { writeCell } from './cells.ts';

/**
 * The part of the writer that only kernels with atomic operations, or with stores of less than a
 * word, need.
 */
export const atomicWriterPart = new Part<{
  readonly writeAtomic: typeof writeAtomic;
  readonly writeHalf: typeof writeHalf;
  readonly writeCell: typeof writeCell;
}>('atomics');
