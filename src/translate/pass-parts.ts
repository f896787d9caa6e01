// The passes that a page loads on use.

import { Part } from '../base/part.ts';
import type { divideCopies } from './passes/divide-copies.ts';
import type { maxPairs } from './passes/encode/code-limits.ts';
import type { encode } from './passes/encode/index.ts';
import type { hideNegativeZeros } from './passes/hide-negative-zeros.ts';
import type { joinProducts } from './passes/join-products.ts';
import type { joinWaits } from './passes/join-waits.ts';
import type { checkShared } from './passes/memory/check-shared.ts';
import type { markRaces } from './passes/memory/mark-races.ts';
import type { placeArrays } from './passes/memory/place-arrays.ts';
import type { splitMbarriers } from './passes/memory/split-mbarriers.ts';
import type { overlapCopies } from './passes/overlap-copies.ts';
import type { partBitTests } from './passes/part-bit-tests.ts';
import type { promoteVariables } from './passes/promote-variables/index.ts';
import type { selectByVotes } from './passes/select-by-votes.ts';
import type { shareGuards } from './passes/share-guards/index.ts';
import type { unrollLoops } from './passes/unroll/index.ts';
import type { useMatrices } from './passes/use-matrices.ts';

/** Unrolling; changes only kernels with loops. */
export const loopPart = new Part<{ readonly unrollLoops: typeof unrollLoops }>('loops');

/** Passes that change only kernels with products of matrices, or their copies of boxes. */
export const matrixPassPart = new Part<{
  readonly useMatrices: typeof useMatrices;
  readonly joinProducts: typeof joinProducts;
  readonly divideCopies: typeof divideCopies;
}>('matrices');

/** Passes that change only kernels with asynchronous copies or mbarriers. */
export const copyPassPart = new Part<{
  readonly overlapCopies: typeof overlapCopies;
  readonly splitMbarriers: typeof splitMbarriers;
}>('async');

/** A pass that only kernels with yields need. */
export const waitPassPart = new Part<{
  readonly joinWaits: typeof joinWaits;
}>('collectives');

/** A pass that changes only large kernels. */
export const encodePart = new Part<{
  readonly maxPairs: typeof maxPairs;
  readonly encode: typeof encode;
}>('encode');

/** A step that only kernels with strong accesses need. */
export const racePart = new Part<{
  readonly markRaces: typeof markRaces;
}>('atomics');

/** Passes that only kernels with local or shared memory need. */
export const variablePart = new Part<{
  readonly checkShared: typeof checkShared;
  readonly placeArrays: typeof placeArrays;
  readonly promoteVariables: typeof promoteVariables;
}>('variables');

/** The pass that shares guards of exact f32, for adapters that flush subnormals. */
export const guardPart = new Part<{
  readonly shareGuards: typeof shareGuards;
}>('guards');

/** Passes that a workaround for a driver requires. */
export const workaroundPart = new Part<{
  readonly hideNegativeZeros: typeof hideNegativeZeros;
  readonly selectByVotes: typeof selectByVotes;
  readonly partBitTests: typeof partBitTests;
}>('workarounds');
