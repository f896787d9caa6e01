// The families of types that a page loads on use.

import { Part } from '../../base/part.ts';
import type { joinDoubleChains } from './doubles/double-chains.ts';
import type { guardDoubles } from './doubles/double-guards.ts';
import type { legalizeDoubles } from './doubles/f64.ts';
import type { legalizeHalf } from './floats/half.ts';
import type { joinHalfPairs } from './floats/half-pairs.ts';
import type { hideMatrixWords } from './matrix-words.ts';

/** The lowering of f64 to pairs of words. */
export const doublePart = new Part<{
  readonly legalizeDoubles: typeof legalizeDoubles;
  readonly guardDoubles: typeof guardDoubles;
  readonly joinDoubleChains: typeof joinDoubleChains;
}>('doubles');

/** The lowering of f16 and bf16 to words. */
export const halfPart = new Part<{
  readonly joinHalfPairs: typeof joinHalfPairs;
  readonly legalizeHalf: typeof legalizeHalf;
}>('lanes');

/** A pass that changes only kernels with products of matrices. */
export const matrixWordPart = new Part<{ readonly hideMatrixWords: typeof hideMatrixWords }>('matrices');
