// The helpers of f32 division, roots and elementary functions. A page loads them for a module with
// these instructions.

import { floatApproxHelpers } from './float-approx.ts';
import { floatQuotientHelpers } from './float-quotients.ts';
import { floatSoftQuotientHelpers } from './float-soft-quotients.ts';

export const elementaryHelpers = {
  ...floatSoftQuotientHelpers,
  ...floatQuotientHelpers,
  ...floatApproxHelpers,
};
