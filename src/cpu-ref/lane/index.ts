// The functions of all lane rows.
import type { LaneRowName } from '../../isa/index.ts';
import type { LaneFunction } from '../types.ts';
import { bitFunctions } from './bits.ts';
import { byteFunctions } from './bytes.ts';
import { carryFunctions } from './carry.ts';
import { compareFunctions } from './compare.ts';
import { convertFunctions } from './convert.ts';
import { doubleFunctions } from './double.ts';
import { doubleApproximations } from './double-approx.ts';
import { doubleConversions } from './double-convert.ts';
import { floatFunctions } from './float.ts';
import { interpolatedFunctions } from './float-interpolated.ts';
import { halfFunctions } from './half.ts';
import { approximateHalfFunctions } from './half-approx.ts';
import { halfCompareFunctions } from './half-compare.ts';
import { halfConvertFunctions, mixedFunctions } from './half-convert.ts';
import { integerFunctions } from './integer.ts';
import { logicFunctions } from './logic.ts';
import { floatPairFunctions, smallFloatFunctions } from './small-float.ts';
import { scalarVideoFunctions } from './video.ts';
import { packedIntegerFunctions, simdVideoFunctions } from './video-simd.ts';

/**
 * The instructions of a single lane as pure functions, by row name. The sources have the order of
 * the syntax without destinations: omitted optional operands are not included, immediates are
 * included, and the carry-in is last. Negated predicates are already negated. The results have the
 * order of the destinations: `setp` always returns p and q, and the carry-out is last. Results of 8
 * and 16 bits are zero-extended. Each function throws an error for modifiers that the row does not
 * have, and for missing sources.
 */
export const laneFunctions: Readonly<Record<LaneRowName, LaneFunction>> = {
  ...integerFunctions,
  ...carryFunctions,
  ...bitFunctions,
  ...byteFunctions,
  ...logicFunctions,
  ...floatFunctions,
  ...interpolatedFunctions,
  ...doubleFunctions,
  ...doubleApproximations,
  ...doubleConversions,
  ...compareFunctions,
  ...convertFunctions,
  ...halfFunctions,
  ...approximateHalfFunctions,
  ...halfCompareFunctions,
  ...halfConvertFunctions,
  ...mixedFunctions,
  ...packedIntegerFunctions,
  ...scalarVideoFunctions,
  ...simdVideoFunctions,
  ...smallFloatFunctions,
  ...floatPairFunctions,
};
