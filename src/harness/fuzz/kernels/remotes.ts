// The ways in which the threads of a cluster access the shared memory of other blocks.

/**
 * - `load`, `generic`: threads load words of another block's cells.
 * - `store`: each thread stores into a cell of another block.
 * - `reduce`: each thread changes a cell of another block.
 * - `arrive`: each thread stores into a cell of another block, and arrives at that block's mbarrier.
 * - `send`, `copy`, `update`: asynchronous stores, copies and updates, with a transaction count in
 * the other block.
 * - `multicast`: the first thread of the cluster copies words of a buffer to several blocks.
 * - `rank`: each thread computes the rank of an address.
 */
export const remotes = [
  'load',
  'generic',
  'store',
  'reduce',
  'arrive',
  'send',
  'copy',
  'update',
  'multicast',
  'rank',
] as const;
export type Remote = (typeof remotes)[number];
