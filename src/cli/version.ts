// Of the package, for --version and for reports.
import { readFileSync } from 'node:fs';

/// From the package.json two folders above, in a checkout and in an install.
export function packageVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  const { version }: { version: string } = JSON.parse(readFileSync(file, 'utf8'));
  return version;
}
