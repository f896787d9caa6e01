// Links from strangers: whatever is in them, the page can be used, and nothing of theirs runs on the GPU.
import { writeFileSync } from 'node:fs';
import type { Browser, Page } from 'puppeteer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBrowser } from '../../src/harness/webgpu/chrome/find-browser.ts';
import { hashOf, hostileLinks } from '../unit/hostile-links.ts';
import { type DemoSite, launchBrowser, paste, serveDemo, settle, textOf, waitForText } from './demo-page.ts';

const hasBrowser = await findBrowser().then(
  () => true,
  () => false,
);

/// The longest that the page's own thread may be busy at a stretch, milliseconds: on a machine that does other things beside.
const maxTaskMs = 5_000;

interface Watched {
  readonly page: Page;
  readonly errors: readonly string[];
  /// What the page asked of its workers.
  asked(): Promise<readonly string[]>;
  /// The longest stretch for which its thread was busy, milliseconds.
  longestTask(): Promise<number>;
}

async function watchedPage(browser: Browser): Promise<Watched> {
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error instanceof Error ? error.message : String(error)));
  page.on('error', (error) => errors.push(`the tab crashed: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('dialog', (dialog) => {
    errors.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.evaluateOnNewDocument(() => {
    const asked: string[] = [];
    let longest = 0;
    Object.assign(globalThis, { asked: () => asked, longestTask: () => longest });
    new PerformanceObserver((list) => {
      longest = Math.max(longest, ...list.getEntries().map(({ duration }) => duration));
    }).observe({ type: 'longtask', buffered: true });
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (message: { readonly kind: string }) {
      asked.push(message.kind);
      post.call(this, message);
    };
  });
  return {
    page,
    errors,
    asked: () => page.evaluate(() => Reflect.get(globalThis, 'asked')()),
    longestTask: () => page.evaluate(() => Reflect.get(globalThis, 'longestTask')()),
  };
}

const doubling = hostileLinks.find(({ name }) => name === 'calls that double without end');
const ballot = 'vote.sync.ballot.b32 d, q, 0xffffffff;\n';

describe.skipIf(!hasBrowser)('a hostile link', () => {
  let site: DemoSite;
  let browser: Browser;
  const measured: object[] = [];

  beforeAll(async () => {
    site = await serveDemo();
    browser = await launchBrowser({ webgpu: false });
  });
  afterAll(async () => {
    // Milliseconds, to look at: nothing is asserted of them but that they are not absurd.
    if (process.env.HOSTILE_OUT) writeFileSync(process.env.HOSTILE_OUT, `${JSON.stringify(measured, null, 1)}\n`);
    await browser?.close();
    await site?.close();
  });

  it.each(hostileLinks)('of $name leaves a page that can be used', async ({ name, hash }) => {
    const { page, errors, longestTask } = await watchedPage(browser);
    await page.goto(`${site.address}#${hash}`);
    await page.waitForSelector('#ptx .cm-content');
    const editorMs = await page.evaluate(() => Math.round(performance.now()));
    await page.click('[data-view="playground"]');
    const pasted = performance.now();
    // A person who pastes something else is answered about that.
    await paste(page, ballot);
    await waitForText(page, '#step-text', /vote\.sync\.ballot/);
    await waitForText(page, '#wgsl', /subgroupBallot/);
    const answerMs = Math.round(performance.now() - pasted);
    measured.push({ name, editorMs, answerMs, longestTaskMs: await longestTask() });
    expect(await longestTask()).toBeLessThan(maxTaskMs);
    expect(await page.title()).toBe('Lanewise: PTX warp code on any GPU');
    expect(errors).toEqual([]);
    await page.close();
  });

  it('that translates without end is ended, and the page says so', async () => {
    const { page, errors } = await watchedPage(browser);
    await page.goto(`${site.address}#${doubling?.hash}`);
    await waitForText(page, '#diagnostics', /PAGE004: Translating took more than 10 s and was ended/, 60_000);
    expect(await textOf(page, '#plan-note')).toBe('not translated');
    // The picture, which the reference made before, is there; so is the text.
    expect(await textOf(page, '#step-count')).toMatch(/^step 1 of/);
    expect(await textOf(page, '#ptx .cm-content')).toContain('.func f0');
    await paste(page, ballot);
    await waitForText(page, '#wgsl', /subgroupBallot/);
    expect(await textOf(page, '#diagnostics')).toBe('');
    expect(errors).toEqual([]);
    await page.close();
  });
});

describe.skipIf(!hasBrowser)('the editor', () => {
  it('explains and completes words of any kind and length', async () => {
    const site = await serveDemo();
    const browser = await launchBrowser({ webgpu: false });
    try {
      const { page, errors } = await watchedPage(browser);
      const words = [
        'constructor.__proto__',
        '%tid.constructor',
        'shfl.sync.toString',
        'SHFL.VALUEOF',
        'a.'.repeat(300_000),
      ];
      await page.goto(`${site.address}#${hashOf({ text: words.join(' ') })}`);
      await page.waitForSelector('#ptx .cm-line span');
      const spans = await page.$$('#ptx .cm-line span');
      for (const span of spans.slice(0, 8)) {
        const box = await span.boundingBox();
        if (!box) continue;
        await page.mouse.move(box.x + Math.min(box.width / 2, 20), box.y + box.height / 2);
        await new Promise((done) => setTimeout(done, 400));
      }
      await page.focus('#ptx .cm-content');
      for (const word of ['constructor', 'a.__proto__.', '((((', 'shfl.syn']) await page.keyboard.type(`\n${word}`);
      await waitForText(page, '.cm-tooltip-autocomplete', /shfl\.sync/);
      expect(errors).toEqual([]);
    } finally {
      await browser.close();
      await site.close();
    }
  });
});

describe.skipIf(!hasBrowser)('on a GPU, a link', () => {
  let site: DemoSite;
  let browser: Browser;

  beforeAll(async () => {
    site = await serveDemo();
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  const kernel = { text: 'L:\nadd.u32 x, x, 1;\nbra L;', view: 'playground' };

  it.each([
    ['with a kernel', '', kernel],
    ['with a kernel and run=1', '?run=1', kernel],
    ['with a kernel on the validation page', '', { ...kernel, view: 'validate', query: 'elect.sync' }],
  ])('%s runs nothing until it is told to', async (_, search, document) => {
    const { page, errors, asked } = await watchedPage(browser);
    await page.goto(`${site.address}${search}#${hashOf(document)}`);
    await page.waitForSelector('#lose-device');
    await settle(page);
    expect(new Set(await asked())).toEqual(new Set(['parse', 'trace', 'translate', 'open']));
    expect(await textOf(page, '#run-status')).toBe('');
    expect(errors).toEqual([]);
    await page.close();
  });

  it('with run=1 starts built-in suites, and not its kernel', async () => {
    const { page, errors, asked } = await watchedPage(browser);
    await page.goto(`${site.address}?q=elect.sync&run=1#${hashOf(kernel)}`);
    await waitForText(page, '#validate-status', /^All/, 60_000);
    expect(await asked()).toContain('validate');
    expect(await asked()).not.toContain('run');
    expect(errors).toEqual([]);
    await page.close();
  });

  it('admits no script, style or address of others', async () => {
    const { page } = await watchedPage(browser);
    await page.goto(site.address);
    await settle(page);
    const blocked = await page.evaluate(async () => {
      const found: string[] = [];
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => found.push(effectiveDirective));
      const script = document.createElement('script');
      script.textContent = 'document.title = "taken"';
      document.body.append(script);
      const paragraph = document.createElement('p');
      paragraph.setAttribute('style', 'color: red');
      const picture = document.createElement('img');
      picture.src = 'http://127.0.0.1:9/picture.png';
      document.body.append(paragraph, picture);
      await fetch('http://127.0.0.1:9/data').catch(() => undefined);
      await new Promise((done) => setTimeout(done, 300));
      return found;
    });
    expect(new Set(blocked)).toEqual(new Set(['script-src-elem', 'style-src-attr', 'img-src', 'connect-src']));
    expect(await page.title()).not.toBe('taken');
    // The editor's own sheets are in force all the same.
    expect(await page.$eval('#ptx .cm-scroller', (scroller) => getComputedStyle(scroller).display)).toBe('flex');
    await page.close();
  });
});
