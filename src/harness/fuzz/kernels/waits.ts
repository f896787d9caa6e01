// How threads and warps of a block wait for each other on flags in memory.

/**
 * - `turns`: each thread waits for its turn and changes the previous thread's value.
 * - `tree`: each thread waits for its parent in a tree.
 * - `pairs`: each thread sends a value to another thread and waits for one from it.
 * - `toAndFro`: two threads exchange a value several times.
 * - `lock`: each thread takes a lock and adds to a sum.
 * - `tickets`: the same with a ticket lock.
 * - `warps`: each warp waits for the previous one; then all lanes load the word that the warps
 *   change, and branch on it to one of two barriers.
 * - `lockWarps`: the first lane of each warp takes a lock for its warp.
 */
export const waits = ['turns', 'tree', 'pairs', 'toAndFro', 'lock', 'tickets', 'warps', 'lockWarps'] as const;
export type Wait = (typeof waits)[number];

/** How flags are accessed. Relaxed and volatile accesses need fences. */
export const flagAccesses = ['volatile', 'relaxed', 'acquire'] as const;
export type FlagAccess = (typeof flagAccesses)[number];

/** Generic addresses point to shared memory in even blocks and to a buffer in odd ones. */
export const flagSpaces = ['shared', 'global', 'generic'] as const;
export type FlagSpace = (typeof flagSpaces)[number];
