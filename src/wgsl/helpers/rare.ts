// The helpers of f64, and of the approximations of f16, bf16 and f64. A page loads them for a module with
// these types.

import { doubleApproxHelpers } from './double-approx.ts';
import { doubleArithmeticHelpers } from './double-arithmetic.ts';
import { doubleBitHelpers } from './double-bits.ts';
import { doubleChainHelpers } from './double-chains.ts';
import { doubleConvertHelpers } from './double-convert.ts';
import { doubleDivideHelpers } from './double-divide.ts';
import { doubleOrdinaryHelpers } from './double-ordinary.ts';
import { doubleRoundHelpers } from './double-round.ts';
import { halfApproxHelpers } from './half-approx.ts';
import { interpolatorHelpers } from './interpolator.ts';

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
};
