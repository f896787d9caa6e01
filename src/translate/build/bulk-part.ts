// The expansion of bulk copies, which a page loads on use.

import { Part } from '../../base/part.ts';
import type { expandBulkCopies } from './expand-bulk.ts';

export const bulkPart = new Part<{ readonly expandBulkCopies: typeof expandBulkCopies }>('async');
