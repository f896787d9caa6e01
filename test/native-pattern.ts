import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..').replaceAll('\\', '/');

/**
 * Matches the modules that Node itself loads (native-modules.ts). Vite loads the tests and the
 * proofs, and the pages with their helpers.
 */
export const native = new RegExp(
  `^${root.replace(/[^\w/]/g, '\\$&')}/(src|test(?!/pages/|/unit/demo/|/gpt/|/\\w+-(modules|seed|parts)\\.))/.*(?<!\\.(test|prove|faults))\\.ts$`,
);
