// Where the compiled JavaScript lies: a page and a child process load it from there, also when this module itself
// runs from the TypeScript sources (in tests).

import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GpuError } from './gpu-error.ts';

const HERE = dirname(fileURLToPath(import.meta.url));

/// The absolute path of `dist/`. Throws `GpuError` 'unavailable' before the first build.
export function distFolder(): string {
  const dist = resolve(HERE, '../../../dist');
  const probe = join(dist, 'harness/webgpu/runner.js');
  if (!existsSync(probe)) throw new GpuError('unavailable', `${probe} is missing; run \`npm run build\``);
  return dist;
}
