// The addresses of shared memory in a cluster of several blocks. A thread reaches its own block's
// shared memory from address 0 on, and the memory of every block of the cluster, its own included,
// through a part of the window.

/** The distance between the parts of two blocks in bytes. All parts are within the shared window. */
export const clusterStride = 2 ** 19;

/** The place of a byte of shared memory: the rank of its block, undefined for the thread's own. */
export interface ClusterPlace {
  readonly rank: number | undefined;
  readonly offset: number;
}

/** Returns the address through which all threads of the cluster reach a byte of a block. */
export const clusterAddress = (rank: number, offset: number): number => (rank + 1) * clusterStride + offset;

/** Returns the place at an address of shared memory. */
export const placeAt = (address: number): ClusterPlace =>
  address < clusterStride
    ? { rank: undefined, offset: address }
    : { rank: Math.floor(address / clusterStride) - 1, offset: address % clusterStride };
