// The control of lanes that act together, which a page loads on use.

import { Part } from '../../base/part.ts';
import type { dispatchKernel } from './dispatch.ts';
import type { keptValues } from './kept-values.ts';
import type { placeMasks } from './place-masks.ts';

/** Only kernels with collectives or with irreducible control flow need it. */
export const controlPart = new Part<{
  readonly dispatchKernel: typeof dispatchKernel;
  readonly keptValues: typeof keptValues;
  readonly placeMasks: typeof placeMasks;
}>('collectives');
