// The expansion of bulk copies and of tensor copies, which a page loads on use.

import { Part } from '../../base/part.ts';
import type { lowerTensors } from '../tensor/lower-tensors.ts';
import type { expandBulkCopies } from './expand-bulk.ts';

export const bulkPart = new Part<{
  readonly expandBulkCopies: typeof expandBulkCopies;
  readonly lowerTensors: typeof lowerTensors;
}>('async');
