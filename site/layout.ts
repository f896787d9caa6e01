// The HTML around the content of a page.
import { escapeHtml } from './html.ts';
import type { Heading } from './markdown.ts';
import { navigation, type Place } from './navigation.ts';
import type { SiteSection, SourcePage } from './pages.ts';

/** The content security policy: a page may load only the site's own files. */
const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='3' fill='%23205bb8'/%3E%3Cpath d='M3 3v10M8 3v10M13 3v10M3 4l5 8M8 4l5 8' stroke='%23fff' fill='none'/%3E%3C/svg%3E";

export interface SiteFiles {
  /** Paths on the site. */
  readonly style: string;
  readonly script: string;
  readonly theme: string;
  readonly searchIndex: string;
}

interface FrameOptions {
  readonly output: string;
  readonly title: string;
  readonly description: string;
  readonly place: Place;
  readonly files: SiteFiles;
  readonly body: string;
}

/** Returns the path from a page to the root of the site, such as '' or '../../'. */
const toRoot = (output: string): string => '../'.repeat(output.split('/').length - 1);

function frame({ output, title, description, place, files, body }: FrameOptions): string {
  const up = toRoot(output);
  return `<!doctype html>
<html lang="en" data-root="${up}" data-search="${up}${files.searchIndex}">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${contentPolicy}">
    <meta name="referrer" content="no-referrer">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="description" content="${escapeHtml(description)}">
    <meta name="color-scheme" content="light dark">
    <link rel="icon" href="${icon}">
    <title>${escapeHtml(title)}</title>
    <script src="${up}${files.theme}"></script>
    <link rel="stylesheet" href="${up}${files.style}">
    <script src="${up}${files.script}" defer></script>
  </head>
  <body>
    <a class="skip" href="#main">Skip to the content</a>
    <header>
      ${navigation({ place, demo: `${up}demo/`, hasDocs: true })}
    </header>
${body}
  </body>
</html>
`;
}

const searchForm = `<form class="search" role="search">
          <label class="hidden" for="search">Search the documentation</label>
          <input type="search" id="search" placeholder="Search" autocomplete="off" spellcheck="false">
          <div id="found" hidden>
            <p id="found-count" role="status"></p>
            <ul id="found-list"></ul>
          </div>
        </form>`;

function sidebar(sections: readonly SiteSection[], current: string): string {
  const up = toRoot(current);
  return sections
    .map(
      ({ title, pages }) => `<h2>${escapeHtml(title)}</h2>
            <ul>
${pages
  .map(({ output, document }) => {
    const mark = output === current ? ' aria-current="page"' : '';
    return `              <li><a href="${up}${output}"${mark}>${escapeHtml(document.title)}</a></li>`;
  })
  .join('\n')}
            </ul>`,
    )
    .join('\n            ');
}

function outline(headings: readonly Heading[]): string {
  const shown = headings.filter(({ level }) => level === 2 || level === 3);
  if (shown.length < 2) return '';
  const items = shown.map(
    ({ level, text, anchor }) => `<li class="level-${level}"><a href="#${anchor}">${escapeHtml(text)}</a></li>`,
  );
  return `<nav class="outline" aria-labelledby="outline-title">
        <h2 id="outline-title">On this page</h2>
        <ul>
          ${items.join('\n          ')}
        </ul>
      </nav>`;
}

export interface DocsPageOptions {
  readonly output: string;
  readonly title: string;
  readonly headings: readonly Heading[];
  readonly content: string;
  readonly sections: readonly SiteSection[];
  readonly files: SiteFiles;
  /** The address of the source in the repository. */
  readonly source: string;
}

/**
 * Returns the HTML of a page of the documentation, with a list of all pages at the left and the
 * headings at the right.
 */
export function docsPage(options: DocsPageOptions): string {
  const { output, title, headings, content, sections, files, source } = options;
  const pages = sections.flatMap((section) => section.pages);
  const index = pages.findIndex((page) => page.output === output);
  const up = toRoot(output);
  const step = (page: SourcePage | undefined, rel: string, label: string): string =>
    page
      ? `<a rel="${rel}" href="${up}${page.output}"><small>${label}</small> ${escapeHtml(page.document.title)}</a>`
      : '';
  const steps =
    index === -1 ? '' : `${step(pages[index - 1], 'prev', 'Before')}${step(pages[index + 1], 'next', 'Next')}`;
  return frame({
    output,
    title: `${title} · Lanewise`,
    description: `${title}: documentation of Lanewise.`,
    place: 'docs',
    files,
    body: `    <div class="docs">
      <div class="tools">
        <button type="button" class="pages-button" popovertarget="pages">All pages</button>
        ${searchForm}
      </div>
      <nav id="pages" class="pages" popover aria-label="Documentation">
            ${sidebar(sections, output)}
      </nav>
      <main id="main" tabindex="-1">
        <article>
${content}
        </article>
        <footer class="page-end">
          ${steps === '' ? '' : `<nav class="steps" aria-label="Neighboring pages">${steps}</nav>`}
          <p><a href="${source}">The source of this page</a></p>
        </footer>
      </main>
      ${outline(headings)}
    </div>`,
  });
}

export interface HomePageOptions {
  readonly title: string;
  readonly description: string;
  readonly content: string;
  readonly repository: string;
  readonly files: SiteFiles;
}

export function homePage({ title, description, content, repository, files }: HomePageOptions): string {
  return frame({
    output: 'index.html',
    title,
    description,
    place: 'home',
    files,
    body: `    <main id="main" class="home" tabindex="-1">
${content}
    </main>
    <footer>
      <p>MIT license · <a href="${repository}">Source code</a> · <a href="CHANGELOG.html">Changes</a></p>
    </footer>`,
  });
}
