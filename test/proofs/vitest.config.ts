import { defineConfig } from 'vitest/config';

// The configuration of `npm run prove`. Each file has its own process, because Z3 keeps its memory.
export default defineConfig({
  test: {
    include: ['test/proofs/runs/*.prove.ts'],
    setupFiles: ['test/provide-parts.ts'],
    testTimeout: 3_600_000,
    hookTimeout: 60_000,
  },
});
