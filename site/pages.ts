// The pages of the site: every Markdown file of `docs` and of the repository's root. The folders
// determine the sections, so that a new file needs no entry here.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { groupBy } from '../src/base/group-by.ts';
import { type Document, parseMarkdown } from './markdown.ts';

export interface SourcePage {
  /** Path in the repository, with `/`. */
  readonly source: string;
  /** Path on the site. */
  readonly output: string;
  readonly document: Document;
}

export interface SiteSection {
  readonly title: string;
  readonly folder: string;
  readonly pages: readonly SourcePage[];
}

/** In the order of the sidebar. A folder that is missing here comes before the last two. */
const knownSections: readonly (readonly [folder: string, title: string])[] = [
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

/** First of their folders: the others follow by title. */
const first = ['README.md', 'index.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];

export const outputOf = (source: string): string => source.replace(/\.md$/, '.html');

/** Every Markdown file of the project, with its path from the root. */
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
  const byFolder = groupBy(pages, ({ source }) => folderOf(source));
  const others = [...byFolder.keys()].filter((folder) => !knownSections.some(([known]) => known === folder));
  const sections = [
    ...knownSections.slice(0, -2),
    ...others.map((folder) => [folder, titleOf(folder)] as const),
    ...knownSections.slice(-2),
  ];
  return sections.flatMap(([folder, title]) => {
    const own = byFolder.get(folder);
    return own ? [{ title, folder, pages: own.sort(inOrder) }] : [];
  });
}

const folderOf = (source: string): string => (dirname(source) === '.' ? '' : dirname(source));

function titleOf(folder: string): string {
  const name = basename(folder).replaceAll('-', ' ');
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function inOrder(a: SourcePage, b: SourcePage): number {
  return rank(a) - rank(b) || a.document.title.localeCompare(b.document.title, 'en');
}

function rank({ source }: SourcePage): number {
  const index = first.indexOf(basename(source));
  return index === -1 ? first.length : index;
}
