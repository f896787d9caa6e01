// The subjects of generated kernels, in a file that loads quickly.

/**
 * - `all`: the instructions of all rows
 * - `hopper`: every kernel is for sm_90a, and contains instructions that sm_90 introduced or sparse
 * products
 */
export const subjects = ['all', 'hopper'] as const;
export type Subject = (typeof subjects)[number];
