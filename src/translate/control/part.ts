// The control of lanes that act together, which a page loads on use.

import { Part } from '../../base/part.ts';
import type { dispatchKernel } from './dispatch.ts';
import type { keptValues } from './kept-values.ts';
import type { placeMasks } from './place-masks.ts';

/** The part of the control that only kernels with collectives or irreducible control flow need. */
export const controlPart = new Part<{
  readonly dispatchKernel: typeof dispatchKernel;
  readonly keptValues: typeof keptValues;
  readonly placeMasks: typeof placeMasks;
}>('collectives');
