// All pages of the documentation and the files that they show. The demo is built beside them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { escapeHtml } from './html.ts';
import { docsPage, homePage, type SiteFiles, toRoot } from './layout.ts';
import { parseMarkdown, renderMarkdown, sectionsOf } from './markdown.ts';
import { readSections, type SiteSection } from './pages.ts';
import { readProject } from './project.ts';
import type { SearchEntry } from './search.ts';
import { resolveTarget } from './targets.ts';

export type SiteOutput = ReadonlyMap<string, string | Uint8Array>;

/** The list of all pages. */
const docsIndex = 'docs/index.html';

/** Returns every file by its path on the site. Throws if a link leads to a file that is missing. */
export function renderSite(root: string, files: SiteFiles): SiteOutput {
  const project = readProject(root);
  const sections = readSections(root);
  const pages = sections.flatMap((section) => section.pages);
  const sources = new Set(pages.map(({ source }) => source));
  const output = new Map<string, string | Uint8Array>();
  const linkFrom = (source: string, path: string) => (target: string) => {
    const { address, file } = resolveTarget({ source, output: path }, target, { root, project, sources });
    if (file !== undefined) output.set(file, readFileSync(join(root, file)));
    return address;
  };

  for (const { source, output: path, document } of pages)
    output.set(
      path,
      docsPage({
        output: path,
        title: document.title,
        headings: [...document.headings.values()],
        content: renderMarkdown(document, { link: linkFrom(source, path) }),
        sections,
        files,
        source: `${project.repository}/blob/main/${source}`,
      }),
    );
  if (!output.has(docsIndex)) output.set(docsIndex, indexPage(sections, files));

  const home = parseMarkdown(readFileSync(join(root, 'site/home.md'), 'utf8'));
  output.set(
    'index.html',
    homePage({
      title: `Lanewise: ${home.title}`,
      description: project.description,
      content: renderMarkdown(home, { link: linkFrom('site/home.md', 'index.html') }),
      repository: project.repository,
      files,
    }),
  );

  const entries = pages.flatMap(({ output: path, document }) =>
    sectionsOf(document).map(
      ({ heading, text }): SearchEntry => [`${path}#${heading.anchor}`, document.title, heading.text, text],
    ),
  );
  // A script, since a page that is opened as a file cannot fetch.
  output.set(files.searchIndex, `globalThis.lanewiseSearch=${JSON.stringify(entries)};`);
  return output;
}

function indexPage(sections: readonly SiteSection[], files: SiteFiles): string {
  const up = toRoot(docsIndex);
  const lists = sections.map(({ title, pages }) => {
    const items = pages.map(
      ({ output, document }) => `<li><a href="${up}${output}">${escapeHtml(document.title)}</a></li>`,
    );
    return `<section><h2>${escapeHtml(title)}</h2><ul>${items.join('\n')}</ul></section>`;
  });
  return docsPage({
    output: docsIndex,
    title: 'Documentation',
    headings: [],
    content: `<h1>Documentation</h1>\n<div class="index">${lists.join('\n')}</div>`,
    sections,
    files,
  });
}
