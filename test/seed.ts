// The seed of what tests draw. A run has one: `LANEWISE_SEED`, or a number that vitest.config.ts draws. A test that fails prints it.

import { inject } from 'vitest';
import { type Random, random } from '../src/harness/suites/random.ts';

declare module 'vitest' {
  interface ProvidedContext {
    seed: number;
  }
}

export const seed: number = inject('seed');

/** The stream of random numbers that a test draws from: the same for equal keys in a run with the same seed. */
export const seeded = (...keys: readonly (string | number)[]): Random => random(seed, ...keys);
