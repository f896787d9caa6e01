// The seed of the tests' random choices. A run has one seed: `LANEWISE_SEED`, or a number that
// vitest.config.ts draws. A failing test prints it.

import { inject } from 'vitest';
import { type Random, random } from '../src/harness/suites/random.ts';

declare module 'vitest' {
  interface ProvidedContext {
    seed: number;
  }
}

export const seed: number = inject('seed');

/**
 * Returns the stream of random numbers for a test: the same for equal keys in a run with the same
 * seed.
 */
export const seeded = (...keys: readonly (string | number)[]): Random => random(seed, ...keys);
