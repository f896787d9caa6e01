import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

const root = resolve(import.meta.dirname, '../..').replaceAll('\\', '/');

/** Matches the modules that Node itself loads (test/native-modules.ts). Vite loads the others. */
const native = new RegExp(
  `^${root.replace(/[^\w/]/g, '\\$&')}/(src|test(?!/\\w+-(modules|parts)\\.))/.*(?<!\\.prove)\\.ts$`,
);

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
