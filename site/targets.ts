// Maps the links of a Markdown file to addresses on the site.
import { existsSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { outputOf } from './pages.ts';
import type { Project } from './project.ts';

export interface Target {
  readonly address: string;
  /** A file of the repository that the site must contain for this link. */
  readonly file?: string;
}

export interface TargetOptions {
  readonly root: string;
  readonly project: Project;
  /** The source paths of all pages. */
  readonly sources: ReadonlySet<string>;
}

/**
 * Resolves a link. Links to pages and to files in `docs` stay on the site. Links to other files of
 * the repository lead to the repository's page, and a link to the published site becomes a relative
 * one.
 */
export function resolveTarget(
  from: { source: string; output: string },
  target: string,
  options: TargetOptions,
): Target {
  const { source, output } = from;
  const { root, project, sources } = options;
  const folder = posix.dirname(output);
  const onSite = (path: string): string => posix.relative(folder, path) || posix.basename(path);
  if (target.startsWith(project.homepage)) {
    const [path = '', rest = ''] = split(target.slice(project.homepage.length));
    return { address: `${onSite(path === '' || path.endsWith('/') ? `${path}index.html` : path)}${rest}` };
  }
  if (/^([a-z]+:|#)/i.test(target)) return { address: target };
  const [path = '', rest = ''] = split(target);
  const file = posix.join(posix.dirname(source), path).replace(/\/$/, '');
  if (!existsSync(join(root, file))) throw new Error(`${source}: '${target}' is missing`);
  const isFolder = statSync(join(root, file)).isDirectory();
  const page = isFolder ? posix.join(file, 'README.md') : file;
  if (sources.has(page)) return { address: `${onSite(outputOf(page))}${rest}` };
  if (!isFolder && file.startsWith('docs/')) return { address: `${onSite(file)}${rest}`, file };
  return { address: `${project.repository}/${isFolder ? 'tree' : 'blob'}/main/${file}${rest}` };
}

/** Splits a target into the path, and the query and anchor after it. */
function split(target: string): readonly string[] {
  const at = target.search(/[?#]/);
  return at === -1 ? [target, ''] : [target.slice(0, at), target.slice(at)];
}
