// Renders all pages of the documentation, and collects the files that they show. Another build
// creates the demo.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { docsPage, homePage, type SiteFiles } from './layout.ts';
import { parseMarkdown, renderMarkdown, sectionsOf } from './markdown.ts';
import { readSections } from './pages.ts';
import { readProject } from './project.ts';
import type { SearchEntry } from './search.ts';
import { resolveTarget } from './targets.ts';

export type SiteOutput = ReadonlyMap<string, string | Uint8Array>;

/**
 * Returns every file by its path on the site. Throws an error if the target of a link is missing.
 */
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
  // Write the index as a script, because a page that is opened as a file cannot fetch.
  output.set(files.searchIndex, `globalThis.lanewiseSearch=${JSON.stringify(entries)};`);
  return output;
}
