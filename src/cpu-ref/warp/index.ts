// Every warp row's function.
import type { WarpRowName } from '../../isa/index.ts';
import type { WarpFunction } from '../types.ts';
import { activeFunctions } from './active.ts';
import { matchFunctions } from './match.ts';
import { reduxFunctions } from './redux.ts';
import { shflFunctions } from './shfl.ts';
import { voteFunctions } from './vote.ts';

/// What each warp instruction gives its lanes, by row name.
export const warpFunctions: Readonly<Record<WarpRowName, WarpFunction>> = {
  ...shflFunctions,
  ...voteFunctions,
  ...matchFunctions,
  ...reduxFunctions,
  ...activeFunctions,
};
