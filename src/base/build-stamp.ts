// Identifies the code of the compiler, for caches of its results.

/**
 * A hash of the compiled code, which the build writes into this module. Undefined if the sources
 * run without a build: their code may change at any time, so nothing is cached.
 */
export const buildStamp: string | undefined = undefined;
