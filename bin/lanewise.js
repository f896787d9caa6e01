#!/usr/bin/env node
// The command line's entry. The program is src/cli.ts, compiled and bundled.

import { existsSync } from 'node:fs';

const program = new URL('../dist/bundle/cli.js', import.meta.url);
if (existsSync(program)) {
  await import(program.href);
} else {
  process.stderr.write(
    'lanewise: this checkout is not built yet; run `npm ci && npm run build` (`npm start` does both)\n',
  );
  process.exitCode = 2;
}
