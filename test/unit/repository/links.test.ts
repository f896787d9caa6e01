// Links and anchors of all Markdown files, and of the site's pages generated from them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { checkMarkdown } from '../../../site/check-markdown.ts';
import { checkSite } from '../../../site/check-site.ts';
import { navigation } from '../../../site/navigation.ts';
import { markdownFiles } from '../../../site/pages.ts';
import { renderSite } from '../../../site/render.ts';
import { anchorMaker } from '../../../site/slug.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

describe('Markdown files', () => {
  const sources = markdownFiles(root, ['bench', 'demo', 'docs', 'site', 'test']);

  test('link to files and anchors that exist', () => {
    expect(sources).toContain('README.md');
    expect(sources).toContain('test/kernels/README.md');
    expect(checkMarkdown(root, sources)).toEqual([]);
  });

  test.each([
    ['[a](b.md)', 'b.md is missing'],
    ['[a](../a.md)', '../a.md is missing'],
    ['![a](b.png)', 'b.png is missing'],
    ['[a][b]\n\n[b]: c.md', 'c.md is missing'],
    ['<a href="b.html">a</a>', 'b.html is missing'],
    ['[a](#b)', '#b has no such anchor'],
    ['[a](page.md#b)', 'page.md#b has no such anchor'],
  ])('a broken link is found: %j', (text, problem) => {
    const folder = mkdtempSync(join(tmpdir(), 'lanewise-links-'));
    try {
      writeFileSync(
        join(folder, 'page.md'),
        `# A title\n\n[a](#a-title) [b](page.md) [c](https://example.com/)\n\n${text}\n`,
      );
      expect(checkMarkdown(folder, ['page.md'])).toEqual([`page.md: ${problem}`]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  // Anchors as GitHub generates them.
  test.each([
    ['`shfl.sync` and b32', 'shflsync-and-b32'],
    ['What is not', 'what-is-not'],
    ['A — b, c_d', 'a--b-c_d'],
    ['Größe 2', 'größe-2'],
  ])('the anchor of %j', (heading, anchor) => {
    expect(anchorMaker()(heading.replaceAll('`', ''))).toBe(anchor);
  });

  test('equal headings have unique anchors', () => {
    const anchorOf = anchorMaker();
    expect(['A b', 'A b', 'A b'].map(anchorOf)).toEqual(['a-b', 'a-b-1', 'a-b-2']);
  });
});

describe('the site', () => {
  const files = {
    style: 'assets/site.css',
    script: 'assets/site.js',
    theme: 'theme.js',
    searchIndex: 'search-index.js',
  };
  /** Whether the path is part of the demo or a script, which Vite builds. */
  const isElsewhere = (path: string): boolean => path.startsWith('demo/') || Object.values(files).includes(path);

  test('has a page for each document, and every link leads to a page and an anchor', () => {
    const output = renderSite(root, files);
    for (const name of ['index', 'README', 'ARCHITECTURE', 'CONTRIBUTING', 'CHANGELOG', 'SECURITY', 'docs/index'])
      expect([...output.keys()]).toContain(`${name}.html`);
    expect(checkSite(output, isElsewhere)).toEqual([]);
    expect(String(output.get('index.html'))).toContain('href="demo/index.html"');
  });

  test.each([
    ['<a href="b.html">', 'a/page.html: b.html is missing'],
    ['<a href="../index.html#b">', 'a/page.html: ../index.html#b has no such anchor'],
    ['<a href="/index.html">', 'a/page.html: /index.html works only at the root of a server'],
    ['<img src="https://example.com/a.png">', 'a/page.html loads https://example.com/a.png'],
    ['<link rel="stylesheet" href="//example.com/a.css">', 'a/page.html loads //example.com/a.css'],
    ['<p id="twice"></p><p id="twice"></p>', 'a/page.html: the anchor twice is there twice'],
  ])('a broken page is found: %j', (html, problem) => {
    const pages = new Map([
      ['index.html', '<p id="a"></p><a href="a/page.html">a</a>'],
      ['a/page.html', `<a href="../index.html#a">a</a> <a href="https://example.com/">b</a> ${html}`],
    ]);
    expect(checkSite(pages)).toEqual([problem]);
  });

  test('its navigation works from any folder', () => {
    const hrefs = (html: string): readonly string[] =>
      [...html.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href);
    const inDocs = navigation({ place: 'docs', demo: '../../demo/', hasDocs: true });
    expect(hrefs(inDocs).slice(0, 4)).toEqual([
      '../../index.html',
      '../../demo/index.html',
      '../../demo/lessons.html',
      '../../demo/index.html?view=validate',
    ]);
    expect(hrefs(inDocs).at(-1)).toBe('../../docs/index.html');
    const labels = (html: string): readonly string[] =>
      [...html.matchAll(/>(\w+)<\/a>/g)].map(([, label = '']) => label);
    for (const place of ['home', 'playground', 'lessons', 'gallery', 'transformer', 'validate'] as const) {
      expect(labels(navigation({ place, demo: './', hasDocs: true }))).toEqual(labels(inDocs));
    }
    const alone = navigation({ place: 'playground', demo: './', hasDocs: false });
    expect(hrefs(alone).filter((href) => href.startsWith('..'))).toEqual([]);
  });
});
