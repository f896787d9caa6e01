// The analysis of waits, which a page loads on use.

import { Part } from '../../base/part.ts';
import type { WaitFinder } from './wait-finder.ts';

/** The analysis of waits. Only kernels with strong reads in loops need it. */
export const waitPart = new Part<{
  readonly WaitFinder: typeof WaitFinder;
}>('collectives');
