// The helpers of f64, f16, bf16 and smaller floats, and of products of matrices. A page loads them
// only for modules with these types.

import { doubleApproxHelpers } from './double-approx.ts';
import { doubleArithmeticHelpers } from './double-arithmetic.ts';
import { doubleBitHelpers } from './double-bits.ts';
import { doubleChainHelpers } from './double-chains.ts';
import { doubleConvertHelpers } from './double-convert.ts';
import { doubleDivideHelpers } from './double-divide.ts';
import { doubleOrdinaryHelpers } from './double-ordinary.ts';
import { doubleRoundHelpers } from './double-round.ts';
import { halfHelpers } from './half.ts';
import { halfApproxHelpers } from './half-approx.ts';
import { halfBitHelpers } from './half-bits.ts';
import { halfSoftHelpers } from './half-soft.ts';
import { interpolatorHelpers } from './interpolator.ts';
import { matrixHelpers } from './matrix.ts';
import { smallFloatHelpers } from './small-float.ts';
import { tensorCoreHelpers } from './tensor-core.ts';

export const rareHelpers = {
  ...interpolatorHelpers,
  ...doubleBitHelpers,
  ...doubleRoundHelpers,
  ...doubleArithmeticHelpers,
  ...doubleDivideHelpers,
  ...doubleChainHelpers,
  ...doubleOrdinaryHelpers,
  ...doubleConvertHelpers,
  ...doubleApproxHelpers,
  ...halfApproxHelpers,
  ...halfHelpers,
  ...halfBitHelpers,
  ...halfSoftHelpers,
  ...matrixHelpers,
  ...tensorCoreHelpers,
  ...smallFloatHelpers,
};
