// The helpers that are always loaded with the printer.

import { bitHelpers } from './bits.ts';
import { divideHelpers } from './divide.ts';
import { floatBitHelpers } from './float-bits.ts';
import { floatChainHelpers } from './float-chains.ts';
import { floatConvertHelpers } from './float-convert.ts';
import { floatHardHelpers } from './float-hard.ts';
import { floatSizeHelpers } from './float-sizes.ts';
import { floatSoftHelpers } from './float-soft.ts';
import { lockHelpers } from './lock.ts';
import { wideHelpers } from './wide.ts';
import { wordHelpers } from './word.ts';

export const commonHelpers = {
  ...wordHelpers,
  ...wideHelpers,
  ...lockHelpers,
  ...divideHelpers,
  ...bitHelpers,
  ...floatBitHelpers,
  ...floatSizeHelpers,
  ...floatSoftHelpers,
  ...floatHardHelpers,
  ...floatChainHelpers,
  ...floatConvertHelpers,
};
