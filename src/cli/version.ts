// Returns the package's version, for --version and for reports.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../harness/sessions/dist-folder.ts';

/** Reads the version from package.json, in a checkout and in an installed package. */
export function packageVersion(): string {
  const file = join(packageFolder(), 'package.json');
  const { version }: { version: string } = JSON.parse(readFileSync(file, 'utf8'));
  return version;
}
