import { defineConfig } from 'vitest/config';
import { native } from '../native-pattern.ts';

// The configuration of `npm run prove`. Each file has its own process, because Z3 keeps its memory.
export default defineConfig({
  test: {
    include: ['test/proofs/runs/*.prove.ts'],
    setupFiles: ['test/native-modules.ts', 'test/provide-parts.ts'],
    sequence: { setupFiles: 'list' },
    server: { deps: { external: [native] } },
    maxWorkers: 2,
    testTimeout: 3_600_000,
    hookTimeout: 60_000,
  },
});
