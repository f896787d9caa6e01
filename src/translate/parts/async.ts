// Asynchronous copies, mbarriers and clusters: a part of the compiler that a page loads on use.

import { asyncRows } from '../build/async-rows.ts';
import { bulkPart } from '../build/bulk-part.ts';
import { clusterShape } from '../build/cluster-shape.ts';
import { expandBulkCopies } from '../build/expand-bulk.ts';
import { asyncPart } from '../build/parts.ts';
import { checkRanks } from '../cluster/check-ranks.ts';
import { endMissingLanes } from '../cluster/end-missing.ts';
import { clusterObstacle, planCluster } from '../cluster/plan-cluster.ts';
import { mbarrierPart } from '../emit/memory/mbarrier-part.ts';
import { writeMbarrier } from '../emit/memory/mbarriers.ts';
import { copyPassPart } from '../pass-parts.ts';
import { splitMbarriers } from '../passes/memory/split-mbarriers.ts';
import { overlapCopies } from '../passes/overlap-copies.ts';
import { lowerTensors } from '../tensor/lower-tensors.ts';

export function provideAsync(): void {
  asyncPart.provide({ asyncRows });
  bulkPart.provide({
    clusterObstacle,
    checkRanks,
    clusterShape,
    endMissingLanes,
    planCluster,
    expandBulkCopies,
    lowerTensors,
  });
  mbarrierPart.provide({ writeMbarrier });
  copyPassPart.provide({ overlapCopies, splitMbarriers });
}
