import { execFileSync } from 'node:child_process';
import { defineConfig } from 'vitest/config';
import { native } from '../native-pattern.ts';
import { LongestFirst } from './longest-first.ts';

const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();

// The configuration of `npm run prove`, and with the mode `faults` of `npm run prove:faults`. Each
// file has its own process, because Z3 keeps its memory.
export default defineConfig(({ mode }) => ({
  test: {
    include: [mode === 'faults' ? 'test/proofs/runs/*.faults.ts' : 'test/proofs/runs/*.prove.ts'],
    setupFiles: ['test/native-modules.ts', 'test/provide-parts.ts'],
    sequence: { setupFiles: 'list', sequencer: LongestFirst },
    server: { deps: { external: [native] } },
    env: { PROOFS_COMMIT: commit },
    maxWorkers: 2,
    // Terms live longer than the default space for new objects allows.
    execArgv: ['--max-semi-space-size=128'],
    testTimeout: 3_600_000,
    hookTimeout: 60_000,
  },
}));
