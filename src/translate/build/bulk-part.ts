// The expansion of bulk copies and of tensor copies, and clusters of several blocks. A page loads
// the part on use.

import { Part } from '../../base/part.ts';
import type { checkRanks } from '../cluster/check-ranks.ts';
import type { endMissingLanes } from '../cluster/end-missing.ts';
import type { clusterObstacle, planCluster } from '../cluster/plan-cluster.ts';
import type { lowerTensors } from '../tensor/lower-tensors.ts';
import type { clusterShape } from './cluster-shape.ts';
import type { expandBulkCopies } from './expand-bulk.ts';

export const bulkPart = new Part<{
  readonly clusterObstacle: typeof clusterObstacle;
  readonly checkRanks: typeof checkRanks;
  readonly clusterShape: typeof clusterShape;
  readonly endMissingLanes: typeof endMissingLanes;
  readonly planCluster: typeof planCluster;
  readonly expandBulkCopies: typeof expandBulkCopies;
  readonly lowerTensors: typeof lowerTensors;
}>('async');
