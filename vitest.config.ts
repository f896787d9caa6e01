import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/// Vitest would leave a processor free; of two that is half of them.
const maxWorkers = Math.max(2, availableParallelism() - 1);

// Time limits end what hangs; they are far from what a test takes, so that none fails because a machine is slow or busy.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 120_000,
          maxWorkers,
        },
      },
      // The page waits more than it computes: its files run beside the unit tests.
      {
        test: {
          name: 'page',
          include: ['test/gpu/demo*.test.ts'],
          testTimeout: 600_000,
          hookTimeout: 300_000,
          maxWorkers,
        },
      },
      // Real adapters, after the unit tests and one file at a time: browsers and Dawn have threads of their own for every processor.
      {
        test: {
          name: 'gpu',
          include: ['test/gpu/**/*.test.ts'],
          exclude: ['test/gpu/demo*.test.ts'],
          testTimeout: 600_000,
          hookTimeout: 300_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
