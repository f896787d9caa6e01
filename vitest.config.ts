import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['test/unit/**/*.test.ts'], testTimeout: 600_000 } },
      // Real adapters: one file at a time, so that browsers and Dawn do not fight for two cores.
      {
        test: {
          name: 'gpu',
          include: ['test/gpu/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
