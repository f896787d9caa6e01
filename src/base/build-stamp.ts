// Identifies the code of the compiler, for caches of its results.

/**
 * A hash of the compiled code, which the build writes into this module. Undefined if the sources
 * run without a build: in this case, the code may change at any time, so no results are cached.
 */
export const buildStamp: string | undefined = undefined;
