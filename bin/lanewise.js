#!/usr/bin/env node
// The command line's entry. The program is src/cli.ts, compiled and bundled.

import { existsSync } from 'node:fs';

const program = new URL('../dist/bundle/cli.js', import.meta.url);
if (existsSync(program)) {
  try {
    await import(program.href);
  } catch (error) {
    // The program opens files when it is loaded. Exit code 3 means that the machine lacks a
    // resource.
    if (!['EMFILE', 'ENFILE', 'ENOMEM'].includes(error?.code)) throw error;
    process.stderr.write(`lanewise: the program cannot be loaded: ${error.message}\n`);
    process.exitCode = 3;
  }
} else {
  process.stderr.write(
    'lanewise: this checkout is not built yet; run `npm ci && npm run build` (`npm start` does both)\n',
  );
  process.exitCode = 2;
}
