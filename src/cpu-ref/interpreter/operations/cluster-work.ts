// Which instructions are of a cluster's barrier, and what they do there.
import type { Instruction } from '../../../ptx/ast.ts';
import type { ClusterBarrierWork } from '../state/state.ts';

export const clusterBarrier = ({ row, mods }: Instruction): ClusterBarrierWork => ({
  waits: row.name === 'barrier.cluster.wait',
  releases: mods.sem !== 'relaxed',
});

export const isClusterBarrier = ({ row }: Instruction): boolean => row.name.startsWith('barrier.cluster.');
