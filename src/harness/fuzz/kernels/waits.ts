// How threads and warps of a block wait for each other by flags in memory.

/**
 * - `turns`: each thread waits for its turn and changes what the thread before it left
 * - `tree`: each thread waits for the one above it in a tree
 * - `pairs`: each thread gives a value to another thread and waits for one from it
 * - `toAndFro`: two threads hand a value over to each other, several times
 * - `lock`: each thread takes a lock and adds to a sum
 * - `tickets`: the same with a ticket lock
 * - `warps`: each warp waits for the one before it; then all lanes load the word that the warps change, and a branch on it
 *   leads to one of two barriers
 * - `lockWarps`: the first lane of each warp takes a lock for all of them
 */
export const waits = ['turns', 'tree', 'pairs', 'toAndFro', 'lock', 'tickets', 'warps', 'lockWarps'] as const;
export type Wait = (typeof waits)[number];

/** How flags are accessed: relaxed and volatile accesses come with fences. */
export const flagAccesses = ['volatile', 'relaxed', 'acquire'] as const;
export type FlagAccess = (typeof flagAccesses)[number];

/** Generic addresses point to shared memory in even blocks and to a buffer in odd ones. */
export const flagSpaces = ['shared', 'global', 'generic'] as const;
export type FlagSpace = (typeof flagSpaces)[number];
