// The parts of the compiler that few kernels need. The modules in `parts` have their contents.

import { Part } from '../base/part.ts';
import type { rareLaneRows } from './build/lane/rare.ts';
import type { matrixRow } from './build/matrix.ts';
import type { wmmaMemory } from './build/wmma.ts';
import type { wmmaProduct } from './build/wmma-product.ts';
import type { joinDoubleChains } from './legalize/doubles/double-chains.ts';
import type { guardDoubles } from './legalize/doubles/double-guards.ts';
import type { legalizeDoubles } from './legalize/doubles/f64.ts';
import type { hideMatrixWords } from './legalize/matrix-words.ts';
import type { joinProducts } from './passes/join-products.ts';
import type { useMatrices } from './passes/use-matrices.ts';

/** Products of matrices. Building a matrix instruction requires the part; its passes change no other kernel. */
export const matrixPart = new Part<{
  readonly matrixRow: typeof matrixRow;
  readonly wmmaMemory: typeof wmmaMemory;
  readonly wmmaProduct: typeof wmmaProduct;
  readonly useMatrices: typeof useMatrices;
  readonly joinProducts: typeof joinProducts;
  readonly hideMatrixWords: typeof hideMatrixWords;
}>('matrices');

/** The builders of instructions on 16-bit and smaller floats, and of video instructions. */
export const lanePart = new Part<typeof rareLaneRows>('lanes');

/** f64 as pairs of words. */
export const doublePart = new Part<{
  readonly legalizeDoubles: typeof legalizeDoubles;
  readonly guardDoubles: typeof guardDoubles;
  readonly joinDoubleChains: typeof joinDoubleChains;
}>('doubles');
