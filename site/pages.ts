// The pages of the site: every Markdown file of `docs` and of the repository's root. The folders
// determine the sections, and docs/README.md the order, so that a new file needs no entry here.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { groupBy } from '../src/base/group-by.ts';
import { type Document, parseMarkdown } from './markdown.ts';

export interface SourcePage {
  /** The path in the repository, with `/`. */
  readonly source: string;
  /** The path on the site. */
  readonly output: string;
  readonly document: Document;
}

export interface SiteSection {
  readonly title: string;
  readonly folder: string;
  readonly pages: readonly SourcePage[];
}

/**
 * The sections of the sidebar, in order. A folder that is not in this list comes before the last
 * two sections.
 */
const knownSections: readonly (readonly [folder: string, title: string])[] = [
  ['docs/README.md', 'Overview'],
  ['docs/tutorial', 'Tutorial'],
  ['docs/guides', 'Guides'],
  ['docs/reference', 'Reference'],
  ['docs/explanation', 'Explanation'],
  ['docs', 'Results'],
  ['docs/design', 'Design'],
  ['docs/lab-notes', 'Lab notes'],
  ['docs/results', 'Records'],
  ['', 'Project'],
];

/** Returns the path of a page on the site. A folder's README becomes the index of the folder. */
export const outputOf = (source: string): string =>
  source.replace(/\/README\.md$/, '/index.md').replace(/\.md$/, '.html');

/** Returns the paths, relative to `root`, of the Markdown files in `root` and below `folders`. */
export function markdownFiles(root: string, folders: readonly string[]): readonly string[] {
  const deep = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      `${folder}/${name}`.replaceAll('\\', '/'),
    ),
  );
  return [...readdirSync(root), ...deep].filter((name) => name.endsWith('.md')).sort();
}

export function readSections(root: string): readonly SiteSection[] {
  const pages = markdownFiles(root, ['docs']).map((source) => ({
    source,
    output: outputOf(source),
    document: parseMarkdown(readFileSync(join(root, source), 'utf8')),
  }));
  const order = overviewOrder(pages);
  const byFolder = groupBy(pages, ({ source }) => folderOf(source));
  const others = [...byFolder.keys()].filter((folder) => !knownSections.some(([known]) => known === folder));
  const sections = [
    ...knownSections.slice(0, -2),
    ...others.map((folder) => [folder, titleOf(folder)] as const),
    ...knownSections.slice(-2),
  ];
  return sections.flatMap(([folder, title]) => {
    const own = byFolder.get(folder);
    return own ? [{ title, folder, pages: own.sort((a, b) => compare(a, b, order)) }] : [];
  });
}

/** Returns the folder that determines a page's section. The overview has its own section. */
function folderOf(source: string): string {
  if (source === 'docs/README.md') return source;
  return dirname(source) === '.' ? '' : dirname(source);
}

function titleOf(folder: string): string {
  const name = basename(folder).replaceAll('-', ' ');
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Returns the sources in the order in which the overview links to them. */
function overviewOrder(pages: readonly SourcePage[]): readonly string[] {
  const overview = pages.find(({ source }) => source === 'docs/README.md');
  const targets = overview?.document.targets ?? [];
  return ['README.md', ...targets.map((target) => posix.join('docs', target))];
}

/**
 * Compares two pages for the sidebar. Pages to which the overview does not link are last, ordered
 * by title.
 */
function compare(a: SourcePage, b: SourcePage, order: readonly string[]): number {
  const rank = ({ source }: SourcePage): number => (order.includes(source) ? order.indexOf(source) : order.length);
  return rank(a) - rank(b) || a.document.title.localeCompare(b.document.title, 'en');
}
