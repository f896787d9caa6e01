// Recognizes and decodes the instructions on a cluster's barrier.
import type { Instruction } from '../../../ptx/ast.ts';
import type { ClusterBarrierWork } from '../state/state.ts';

export const clusterBarrier = ({ row, mods }: Instruction): ClusterBarrierWork => ({
  waits: row.name === 'barrier.cluster.wait',
  releases: mods.sem !== 'relaxed',
});

export const isClusterBarrier = ({ row }: Instruction): boolean => row.name.startsWith('barrier.cluster.');
