// Finds the package and its compiled JavaScript, which pages and child processes load. This module
// may itself run from the TypeScript sources (in tests) or from the bundle.

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GpuError } from '../../runtime/device/gpu-error.ts';

/**
 * Returns the absolute path of the package, in a checkout or an installation. It is the nearest
 * folder above this module with a package.json.
 */
export function packageFolder(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (folder === dirname(folder)) throw new Error('no folder above this module has a package.json');
  }
}

/**
 * Returns the absolute path of `dist/`. Throws `GpuError` 'unavailable' if the project has not been
 * built.
 */
export function distFolder(): string {
  const dist = join(packageFolder(), 'dist');
  const probe = join(dist, 'runtime/device/runner.js');
  if (!existsSync(probe)) throw new GpuError('unavailable', `${probe} is missing; run \`npm run build\``);
  return dist;
}

/**
 * Returns the absolute path of a program that `scripts/bundle.mjs` builds. Throws `GpuError`
 * 'unavailable' if the project has not been built.
 */
export function bundledProgram(name: string): string {
  const path = join(packageFolder(), 'dist/bundle', `${name}.js`);
  if (!existsSync(path)) throw new GpuError('unavailable', `${path} is missing; run \`npm run build\``);
  return path;
}
