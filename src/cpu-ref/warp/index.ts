// The functions of all warp rows.
import type { MatrixMode } from '../../base/matrix-mode.ts';
import { eachMma, eachWmmaProduct, type WarpRowName } from '../../isa/index.ts';
import type { WarpFunction } from '../types.ts';
import { activeFunctions } from './active.ts';
import { matchFunctions } from './match.ts';
import { multiplyMatrices } from './mma.ts';
import { transposeMatrix } from './movmatrix.ts';
import { reduxFunctions } from './redux.ts';
import { shflFunctions } from './shfl.ts';
import type { CollectiveRowName } from './undefined.ts';
import { voteFunctions } from './vote.ts';

/** The warp instructions as pure functions, by row name, such as `shfl.sync`. */
export const warpFunctions: Readonly<Record<WarpRowName, WarpFunction>> = {
  ...shflFunctions,
  ...voteFunctions,
  ...matchFunctions,
  ...reduxFunctions,
  ...activeFunctions,
};

export type { CollectiveRowName } from './undefined.ts';

/**
 * `warpFunctions` and the matrix instructions, whose operands are registers of fragments: `a.0`,
 * `a.1`, … The matrix mode determines how products are added.
 */
export const collectiveFunctions: Readonly<Record<MatrixMode, Readonly<Record<CollectiveRowName, WarpFunction>>>> = {
  hopper: functionsWith(multiplyMatrices.hopper),
  ieee: functionsWith(multiplyMatrices.ieee),
};

function functionsWith(multiply: WarpFunction): Readonly<Record<CollectiveRowName, WarpFunction>> {
  return { ...warpFunctions, ...eachMma(multiply), ...eachWmmaProduct(multiply), movmatrix: transposeMatrix };
}
