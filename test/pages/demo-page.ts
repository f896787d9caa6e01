// Builds the browser application and opens it in a headless browser.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'puppeteer';
import { build } from 'vite';
import { chromeFlags } from '../../src/harness/webgpu/browser/chrome-flags.ts';
import { findBrowser } from '../../src/harness/webgpu/browser/find-browser.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
};

/**
 * The time limit in milliseconds for reaching a state of the page. A machine under load may be
 * slow.
 */
export const limitMs = 180_000;

export interface DemoSite {
  /** The address of the page. The page is in a folder, because it must work in any folder. */
  readonly address: string;
  readonly folder: string;
  close(): Promise<void>;
}

/** Builds the application and serves it from a sub-folder of 127.0.0.1. */
export async function serveDemo(): Promise<DemoSite> {
  const folder = mkdtempSync(join(tmpdir(), 'lanewise-demo-'));
  await build({
    configFile: fileURLToPath(new URL('../../demo/vite.config.ts', import.meta.url)),
    logLevel: 'error',
    build: { outDir: folder, emptyOutDir: true },
  });
  const prefix = '/some/folder/';
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const name = path === prefix ? 'index.html' : path.slice(prefix.length);
    if (!path.startsWith(prefix) || normalize(name) !== name) return void response.writeHead(404).end();
    readFile(join(folder, name)).then(
      (body) => response.writeHead(200, { 'content-type': types[extname(name)] ?? 'text/plain' }).end(body),
      () => response.writeHead(404).end(),
    );
  });
  const address = `http://127.0.0.1:${await listen(server)}${prefix}`;
  return {
    address,
    folder,
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}

/**
 * Launches a headless browser with a software adapter, or without WebGPU if `webgpu` is false. Pages
 * report their requests only if `requests` is true: each report of a request contains the page's
 * address, and a link may have megabytes.
 */
export async function launchBrowser({ webgpu = true, requests = false } = {}): Promise<Browser> {
  const { default: puppeteer } = await import('puppeteer');
  const { path } = await findBrowser();
  const isRoot = process.getuid?.() === 0;
  const flags = chromeFlags('software', { override: undefined, platform: process.platform, isRoot });
  // Clang runs only briefly, so compiling only the functions that it calls, and without
  // optimization, halves the processor time. The scripts of a page run briefly, too.
  flags.push(
    '--js-flags=--liftoff-only,--wasm-lazy-validation,--wasm-lazy-compilation,--no-maglev,--interrupt-budget=600000',
  );
  // Without the flags for WebGPU and without a GPU, Chrome finds no adapter.
  const args = webgpu ? flags : [...flags.filter((flag) => !/webgpu/.test(flag)), '--disable-gpu'];
  return await puppeteer.launch({
    executablePath: path,
    args,
    headless: true,
    protocolTimeout: 300_000,
    networkEnabled: requests,
    issuesEnabled: false,
  });
}

/** Opens a page, and collects its errors. */
export async function openPage(browser: Browser, address: string): Promise<{ page: Page; errors: string[] }> {
  const page = await browser.newPage();
  page.setDefaultTimeout(limitMs);
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error instanceof Error ? error.message : String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  await page.setViewport({ width: 1360, height: 1000 });
  await page.goto(address);
  await page.waitForSelector('#ptx .cm-content');
  await settle(page);
  return { page, errors };
}

/** Waits until all views show the current text. */
export async function settle(page: Page): Promise<void> {
  await page.waitForSelector('#view-playground[aria-busy="false"]');
}

export const textOf = (page: Page, selector: string): Promise<string> =>
  page.$eval(selector, (element) => element.textContent ?? '');

/** Waits until the text of an element matches, and returns it. */
export async function waitForText(page: Page, selector: string, pattern: RegExp, timeout = limitMs): Promise<string> {
  await page.waitForFunction(
    (where, source) => new RegExp(source).test(document.querySelector(where)?.textContent ?? ''),
    // Polling on each frame, which is the default, would make the page draw continuously.
    { timeout, polling: 50 },
    selector,
    pattern.source,
  );
  return await textOf(page, selector);
}

/** Replaces the text of the PTX editor, or of another editor, with `text`, as a paste does. */
export async function paste(page: Page, text: string, editor = '#ptx'): Promise<void> {
  const content = `${editor} .cm-content`;
  await page.focus(content);
  await page.keyboard.down('Control');
  await page.keyboard.press('KeyA');
  await page.keyboard.up('Control');
  // The editor ignores an empty clipboard.
  if (text === '') {
    await page.keyboard.press('Delete');
    return;
  }
  await page.$eval(
    content,
    (target, pasted) => {
      const data = new DataTransfer();
      data.setData('text/plain', pasted);
      target.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    },
    text,
  );
}

/** Returns the source lanes of the drawn arrows, by target lane. */
export const arrowsOf = (page: Page): Promise<Record<string, string>> =>
  page.$$eval('#figure path[data-to]', (paths) =>
    Object.fromEntries(paths.map((path) => [path.getAttribute('data-to') ?? '', path.getAttribute('data-from') ?? ''])),
  );

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Returns the violations that axe finds with the given rules; by default with all of its rules. */
export async function violationsIn(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate(() => Reflect.has(globalThis, 'axe')))) await page.evaluate(axeSource);
  return await page.evaluate(async (runOnly) => {
    const axe: {
      run(options: object): Promise<{ violations: { id: string; impact?: string; nodes: { html: string }[] }[] }>;
    } = Reflect.get(globalThis, 'axe');
    // Do not report passed checks, because this would take as long as the checks themselves.
    const { violations } = await axe.run({ resultTypes: ['violations'], ...(runOnly && { runOnly }) });
    return violations.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes[0]?.html.slice(0, 200)}`);
  }, rules);
}

/** Moves the slider that has this key. */
export async function slide(page: Page, key: string, value: number): Promise<void> {
  await page.$eval(
    `[data-key="${key}"]`,
    (element, wanted) => {
      if (!(element instanceof HTMLInputElement)) throw new Error('no slider');
      element.value = String(wanted);
      element.dispatchEvent(new Event('input', { bubbles: true }));
    },
    value,
  );
  await settle(page);
}
