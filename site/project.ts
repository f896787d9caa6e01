// The addresses of the project, from the package's manifest.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Project {
  readonly version: string;
  readonly description: string;
  /** The repository's page, without a slash at the end. */
  readonly repository: string;
  /** The published site, with a slash at the end. */
  readonly homepage: string;
}

export function readProject(root: string): Project {
  const { version, description, repository, homepage } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return { version, description, repository: repository.url.replace(/^git\+|\.git$/g, ''), homepage };
}
