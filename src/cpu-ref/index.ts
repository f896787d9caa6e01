// The executable specification: computes the result of each instruction, in the terms of the PTX
// manual.
export { type ApproximateRowName, approximate, type ErrorBound, isAllowedResult } from './lane/float-approx.ts';
export { laneFunctions } from './lane/index.ts';
export { compareWords, type WordsFunction } from './lane/words-compare.ts';
export { isAllowedElement, otherAnswers, type Slack, slackOf } from './matrix/error-bound.ts';
export { type MultiplyRules, multiplyElement } from './matrix/multiply.ts';
export type { Bits, LaneFunction, WarpFunction, WarpResult, WarpState } from './types.ts';
export { collectiveFunctions, warpFunctions } from './warp/index.ts';
export { type BoundedElement, elementBounds, multiplyMatrices, multiplyRules } from './warp/mma.ts';
export { inRange, type ShflMode, shflInto, shflModes, shflSource } from './warp/shfl.ts';
