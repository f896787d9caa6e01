// The ways in which threads and warps of a block wait for each other on flags in memory.

/**
 * - `turns`: each thread waits until the previous thread has finished, and changes its value.
 * - `tree`: each thread waits for its parent in a tree.
 * - `pairs`: each thread sends a value to another thread, and waits for a value from that thread.
 * - `toAndFro`: two threads exchange a value several times.
 * - `lock`: each thread acquires a lock and adds to a sum.
 * - `tickets`: like `lock`, but with a ticket lock.
 * - `warps`: each warp waits for the previous warp. Then all lanes load the word that the warps
 * change, and branch on it to one of two barriers.
 * - `lockWarps`: the first lane of each warp acquires a lock for its warp.
 */
export const waits = ['turns', 'tree', 'pairs', 'toAndFro', 'lock', 'tickets', 'warps', 'lockWarps'] as const;
export type Wait = (typeof waits)[number];

/** The kinds of accesses to flags. Relaxed and volatile accesses need fences. */
export const flagAccesses = ['volatile', 'relaxed', 'acquire'] as const;
export type FlagAccess = (typeof flagAccesses)[number];

/**
 * The space of flags. Generic addresses point to shared memory in even blocks, and to a buffer in
 * odd blocks.
 */
export const flagSpaces = ['shared', 'global', 'generic'] as const;
export type FlagSpace = (typeof flagSpaces)[number];
