// The documentation in a browser: pages, search, themes, a phone's screen, and the example of the
// first page.

import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'puppeteer';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildPages } from '../../site/build-pages.ts';
import { findBrowser } from '../../src/harness/webgpu/browser/find-browser.ts';
import { drawn } from '../effort.ts';
import { launchBrowser, limitMs, violationsIn } from './demo-page.ts';

const hasBrowser = await findBrowser().then(
  () => true,
  () => false,
);
const root = fileURLToPath(new URL('../..', import.meta.url));
const prefix = '/some/deep/folder/';
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

/** Returns the example of the first page, in a page that imports the built package. */
function examplePage(): string {
  const [, code = ''] = /^```js\n([\s\S]*?)^```/m.exec(readFileSync(join(root, 'site/home.md'), 'utf8')) ?? [];
  return `<!doctype html><script type="importmap">{"imports":{"lanewise/runtime":"/dist/runtime/index.js"}}</script>
<script type="module">${code}</script>`;
}

describe.skipIf(!hasBrowser)('the site', () => {
  let server: Server;
  let origin: string;
  let browser: Browser;
  let page: Page;
  const errors: string[] = [];

  beforeAll(async () => {
    const site = await buildPages(root);
    const others: Readonly<Record<string, () => string | Uint8Array>> = {
      '/example/index.html': examplePage,
      '/example/saxpy.ptx': () => readFileSync(join(root, 'docs/examples/saxpy.ptx')),
      '/favicon.ico': () => '',
    };
    server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://localhost');
      const path = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
      const body = path.startsWith('/dist/')
        ? readFileSync(join(root, path))
        : (others[path]?.() ?? (path.startsWith(prefix) ? site.get(path.slice(prefix.length)) : undefined));
      if (body === undefined) return void response.writeHead(404).end();
      response.writeHead(200, { 'content-type': types[extname(path)] ?? 'application/octet-stream' }).end(body);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await launchBrowser({ requests: true });
    page = await browser.newPage();
    page.setDefaultTimeout(limitMs);
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) errors.push(request.url());
    });
  });
  afterEach(() => expect(errors.splice(0)).toEqual([]));
  afterAll(async () => {
    await browser?.close();
    server?.closeAllConnections();
    await new Promise((done) => (server ? server.close(done) : done(undefined)));
  });

  // Besides the first page, each run opens one of two pages made from Markdown.
  it.each(['index.html', ...drawn(['docs/index.html', 'README.html'], 1)])(
    '%s has no accessibility violations, in light and dark, and fits a phone',
    async (name) => {
      for (const [theme, width, rules] of [
        ['light', 1360],
        // The other theme changes only colors.
        ['dark', 1360, ['color-contrast']],
        ['dark', 390],
      ] as const) {
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
        await page.setViewport({ width, height: 844 });
        await page.goto(`${origin}${prefix}${name}`);
        expect(await page.$eval('html', ({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
        expect(await violationsIn(page, rules)).toEqual([]);
      }
    },
  );

  it('finds a page, and opens it', async () => {
    await page.setViewport({ width: 1360, height: 844 });
    await page.goto(`${origin}${prefix}docs/index.html`);
    await page.keyboard.press('/');
    await page.type('#search', 'exit codes');
    await page.waitForSelector('#found-list a');
    await page.keyboard.press('ArrowDown');
    const address = await page.$eval('#found-list a:focus', (link) => link instanceof HTMLAnchorElement && link.href);
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    expect(page.url()).toBe(address);
    expect(page.url()).toContain(prefix);
    const target = await page.$(':target');
    expect(target).not.toBeNull();
  });

  it('keeps the chosen theme', async () => {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
    const background = (): Promise<string> => page.$eval('body', (body) => getComputedStyle(body).backgroundColor);
    await page.goto(`${origin}${prefix}index.html`);
    const light = await background();
    await page.click('button.theme');
    const dark = await background();
    expect(dark).not.toBe(light);
    await page.goto(`${origin}${prefix}docs/index.html`);
    expect(await background()).toBe(dark);
    await page.click('button.theme');
    expect(await background()).toBe(light);
  });

  it('opens the list of pages on a phone', async () => {
    await page.setViewport({ width: 390, height: 844 });
    await page.goto(`${origin}${prefix}README.html`);
    const isShown = (): Promise<boolean> => page.$eval('#pages', (list) => list.checkVisibility());
    expect(await isShown()).toBe(false);
    await page.click('.pages-button');
    expect(await isShown()).toBe(true);
    expect(await violationsIn(page)).toEqual([]);
    // The links at the top form one row.
    const tops = await page.$$eval('nav.site a', (links) => links.map((link) => link.getBoundingClientRect().top));
    expect(new Set(tops).size).toBe(1);
  });

  it.skipIf(!existsSync(join(root, 'dist/runtime/index.js')))('the example of the first page runs', async () => {
    const printed = new Promise<string>((resolve) => {
      void page.exposeFunction('printed', resolve);
    });
    await page.evaluateOnNewDocument(() => {
      console.log = (list: Iterable<number>) => Reflect.get(globalThis, 'printed')([...list].join(', '));
    });
    await page.goto(`${origin}/example/`);
    expect(await printed).toBe('1, 3, 5, 7');
  });
});
