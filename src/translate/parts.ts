// The parts of the compiler that few kernels need. The modules in `parts` have their contents.

import { Part } from '../base/part.ts';
import type { WaitFinder } from './analysis/wait-finder.ts';
import type { expandBulkCopies } from './build/expand-bulk.ts';
import type { rareLaneRows } from './build/lane/rare.ts';
import type { matrixRow } from './build/matrix.ts';
import type { wmmaMemory } from './build/wmma.ts';
import type { wmmaProduct } from './build/wmma-product.ts';
import type { asyncRows } from './build/async-rows.ts';
import type { dispatchKernel } from './control/dispatch.ts';
import type { keptValues } from './control/kept-values.ts';
import type { placeMasks } from './control/place-masks.ts';
import type { writeBarrier } from './emit/collectives/barrier.ts';
import type { anyInBlock, anyInSubgroup } from './emit/collectives/votes.ts';
import type { writeWarp } from './emit/collectives/warp.ts';
import type { DispatchWriter } from './emit/dispatch/dispatch-writer.ts';
import type { kernelFacts } from './emit/kernel-facts.ts';
import type { LiveMask } from './emit/live-mask.ts';
import type { writeMatrix } from './emit/matrices/matrices.ts';
import type { writeMbarrier } from './emit/memory/mbarriers.ts';
import type { joinDoubleChains } from './legalize/doubles/double-chains.ts';
import type { guardDoubles } from './legalize/doubles/double-guards.ts';
import type { legalizeDoubles } from './legalize/doubles/f64.ts';
import type { joinHalfPairs } from './legalize/floats/half-pairs.ts';
import type { legalizeHalf } from './legalize/floats/half.ts';
import type { hideMatrixWords } from './legalize/matrix-words.ts';
import type { joinProducts } from './passes/join-products.ts';
import type { joinWaits } from './passes/join-waits.ts';
import type { shareGuards } from './passes/share-guards/index.ts';
import type { useMatrices } from './passes/use-matrices.ts';

/** Products of matrices. Building a matrix instruction requires the part; its passes change no other kernel. */
export const matrixPart = new Part<{
  readonly matrixRow: typeof matrixRow;
  readonly wmmaMemory: typeof wmmaMemory;
  readonly wmmaProduct: typeof wmmaProduct;
  readonly useMatrices: typeof useMatrices;
  readonly joinProducts: typeof joinProducts;
  readonly hideMatrixWords: typeof hideMatrixWords;
  readonly writeMatrix: typeof writeMatrix;
}>('matrices');

/** The builders of instructions on 16-bit and smaller floats, and of video instructions. */
export const lanePart = new Part<typeof rareLaneRows>('lanes');

/** f16 and bf16 as words. */
export const halfPart = new Part<{
  readonly joinHalfPairs: typeof joinHalfPairs;
  readonly legalizeHalf: typeof legalizeHalf;
}>('lanes');

/** f64 as pairs of words. */
export const doublePart = new Part<{
  readonly legalizeDoubles: typeof legalizeDoubles;
  readonly guardDoubles: typeof guardDoubles;
  readonly joinDoubleChains: typeof joinDoubleChains;
}>('doubles');

/** Asynchronous copies, mbarriers and clusters. */
export const asyncPart = new Part<{
  readonly asyncRows: typeof asyncRows;
  readonly expandBulkCopies: typeof expandBulkCopies;
  readonly writeMbarrier: typeof writeMbarrier;
}>('async');

/**
 * The control of lanes that act together: warp instructions, barriers, waits, active masks, and the
 * dispatcher, which irreducible control flow also needs.
 */
export const collectivePart = new Part<{
  readonly WaitFinder: typeof WaitFinder;
  readonly joinWaits: typeof joinWaits;
  readonly kernelFacts: typeof kernelFacts;
  readonly dispatchKernel: typeof dispatchKernel;
  readonly keptValues: typeof keptValues;
  readonly placeMasks: typeof placeMasks;
  readonly writeBarrier: typeof writeBarrier;
  readonly writeWarp: typeof writeWarp;
  readonly anyInBlock: typeof anyInBlock;
  readonly anyInSubgroup: typeof anyInSubgroup;
  readonly DispatchWriter: typeof DispatchWriter;
  readonly LiveMask: typeof LiveMask;
}>('collectives');

/** Shared guards of exact f32, for adapters that flush subnormals. */
export const guardPart = new Part<{ readonly shareGuards: typeof shareGuards }>('guards');
