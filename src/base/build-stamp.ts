// Identifies the code of the compiler, for caches of its results.

/**
 * A hash of the compiled code, which the build writes here. Undefined when the sources run
 * themselves: their code may change at any time, so nothing is cached.
 */
export const buildStamp: string | undefined = undefined;
