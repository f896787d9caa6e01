// The expansion of bulk copies and of tensor copies, and the checks of block ranks, which a page loads on use.

import { Part } from '../../base/part.ts';
import type { checkRanks } from '../cluster/check-ranks.ts';
import type { lowerTensors } from '../tensor/lower-tensors.ts';
import type { expandBulkCopies } from './expand-bulk.ts';

export const bulkPart = new Part<{
  readonly checkRanks: typeof checkRanks;
  readonly expandBulkCopies: typeof expandBulkCopies;
  readonly lowerTensors: typeof lowerTensors;
}>('async');
