// The builders of rows that a page loads on use.

import { Part } from '../../base/part.ts';
import type { asyncRows } from './async-rows.ts';
import type { matrixRow } from './matrix.ts';
import type { buildFault, buildService } from './services.ts';
import type { hasRoom, pop, push, siteOf } from './stack-code.ts';
import type { wgmmaRow } from './wgmma.ts';
import type { wmmaMemory } from './wmma.ts';
import type { wmmaProduct } from './wmma-product.ts';

/** Asynchronous copies, mbarriers and clusters. */
export const asyncPart = new Part<{ readonly asyncRows: typeof asyncRows }>('async');

/** Products of matrices. */
export const matrixPart = new Part<{
  readonly matrixRow: typeof matrixRow;
  readonly wgmmaRow: typeof wgmmaRow;
  readonly wmmaMemory: typeof wmmaMemory;
  readonly wmmaProduct: typeof wmmaProduct;
}>('matrices');

/** Calls of run-time functions, and the stack of recursive functions. */
export const callPart = new Part<{
  readonly buildFault: typeof buildFault;
  readonly buildService: typeof buildService;
  readonly hasRoom: typeof hasRoom;
  readonly pop: typeof pop;
  readonly push: typeof push;
  readonly siteOf: typeof siteOf;
}>('calls');
