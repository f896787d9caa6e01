// Pastes kernels into the playground as a user does, clicks Run, and prints each verdict as JSON,
// with the longest task of the page's main thread:
//   node scripts/paste-kernels.mjs [--browser chrome-software] [--jobs N] FILE.ptx[#KERNEL]…
// `--jobs` is the number of browsers at a time.
// KERNEL is a C++ name or a PTX name; without it, the page runs the first kernel. Needs `npm run
// build` and `npm run build:demo`.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chooseEntry } from '../dist/harness/infer/index.js';
import { parsePtxOrThrow } from '../dist/ptx/index.js';
import { launchBrowser } from './browser.mjs';

const limitMs = 120_000;
const { values, positionals } = parseArgs({
  options: { browser: { type: 'string', default: 'chrome' }, jobs: { type: 'string', default: '1' } },
  allowPositionals: true,
});

const folder = fileURLToPath(new URL('../dist-demo', import.meta.url));
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };
const server = createServer((request, response) => {
  const name = normalize(new URL(request.url ?? '/', 'http://localhost').pathname.slice(1) || 'index.html');
  try {
    const body = readFileSync(join(folder, name));
    response.writeHead(200, { 'content-type': types[extname(name)] ?? 'text/plain' }).end(body);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((done) => server.listen(0, '127.0.0.1', () => done(undefined)));
const address = server.address();
if (address === null || typeof address === 'string') throw new Error('the server has no port');
const site = `http://127.0.0.1:${address.port}/`;

const queue = positionals.entries();
const results = [];
try {
  await Promise.all(Array.from({ length: Number(values.jobs) }, runQueued));
  console.log(JSON.stringify(results, undefined, 2));
} finally {
  server.close();
}

/** Starts a browser, and runs kernels of the queue in it. */
async function runQueued() {
  const browser = await launchBrowser(values.browser);
  try {
    for (const [index, argument] of queue) {
      const [file, kernel] = argument.split('#');
      const start = performance.now();
      const shown = await pasteAndRun(browser, readFileSync(file, 'utf8'), kernel);
      const seconds = Math.round((performance.now() - start) / 100) / 10;
      results[index] = { file: basename(file), kernel, ...shown, seconds };
      console.error(JSON.stringify(results[index]));
    }
  } finally {
    await browser.close();
  }
}

/** Runs a kernel in a new page, so that no choice for an earlier kernel remains. */
async function pasteAndRun(browser, text, kernel) {
  const page = await browser.newPage();
  page.setDefaultTimeout(limitMs);
  await page.evaluateOnNewDocument(() => {
    globalThis.longestTask = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) globalThis.longestTask = Math.max(globalThis.longestTask, duration);
    }).observe({ entryTypes: ['longtask'] });
  });
  try {
    await page.goto(site);
    await page.waitForSelector('#ptx .cm-content');
    await page.waitForSelector('#lose-device');
    await settled(page);
    await paste(page, text);
    await settled(page);
    if (kernel !== undefined)
      await choose(page, chooseEntry(parsePtxOrThrow(text, { file: 'pasted.ptx' }), kernel).name);
    await page.click('#run');
    // The status remains empty if the page has no program.
    await page.waitForFunction(() => {
      const { className, textContent } = document.querySelector('#run-status');
      return className !== '' || textContent === '';
    });
    return await page.evaluate(() => {
      const all = (selector) => [...document.querySelectorAll(selector)].map(({ textContent }) => textContent);
      const sizes = (what) =>
        [...document.querySelectorAll(`input[data-key^="${what} "]`)]
          .map((field) => field instanceof HTMLInputElement && field.value)
          .join(',');
      const status = document.querySelector('#run-status');
      return {
        verdict: status.className.replace('verdict-', '') || 'none',
        longestTaskMs: Math.round(globalThis.longestTask),
        text: status.textContent,
        grid: sizes('Grid'),
        block: sizes('Block'),
        messages: [...all('#diagnostics li'), ...all('#run-result .messages li')].slice(0, 5),
      };
    });
  } catch (error) {
    return { verdict: 'none', text: String(error.message), messages: [] };
  } finally {
    await page.close();
  }
}

async function paste(page, text) {
  await page.focus('#ptx .cm-content');
  await page.keyboard.down('Control');
  await page.keyboard.press('KeyA');
  await page.keyboard.up('Control');
  await page.evaluate((pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
    document.querySelector('#ptx .cm-content').dispatchEvent(event);
  }, text);
}

/** Selects a kernel of a module with several kernels. */
async function choose(page, entry) {
  const isChosen = await page.evaluate((name) => {
    const lists = [...document.querySelectorAll('#inputs select')].filter((list) => list instanceof HTMLSelectElement);
    const list = lists.find(({ options }) => [...options].some(({ value }) => value === name));
    if (list === undefined || list.value === name) return true;
    list.value = name;
    list.dispatchEvent(new Event('change', { bubbles: true }));
    return false;
  }, entry);
  if (!isChosen) await settled(page);
}

/** Waits for the page's delayed reaction to a change, and then until its work has finished. */
async function settled(page) {
  await new Promise((done) => setTimeout(done, 300));
  await page.waitForSelector('#view-playground[aria-busy="false"]');
}
