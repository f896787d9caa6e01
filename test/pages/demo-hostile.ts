// Untrusted links: the page remains usable with every link, and no code of a link runs on the GPU.
import { writeFileSync } from 'node:fs';
import type { Browser, Page } from 'puppeteer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limitMs as compilerLimitMs } from '../../demo/compiler/client.ts';
import { drawn } from '../effort.ts';
import { hashOf, hostileLinks } from '../unit/demo/hostile-links.ts';
import { arrowsOf, launchBrowser, limitMs, paste, settle, textOf, waitForText } from './demo-page.ts';

/**
 * The maximum processor time, in milliseconds, of the page's own thread for a link and for a paste
 * after it.
 */
const maxBusyMs = 10_000;

export interface Watched {
  readonly page: Page;
  readonly errors: string[];
  /** Returns the requests that the page sent to its workers. */
  asked(): Promise<readonly string[]>;
  /** Returns the processor time of the page's own thread in milliseconds. */
  busyMs(): Promise<number>;
}

/** Opens an empty page that records its errors and requests. */
export async function watchedPage(browser: Browser): Promise<Watched> {
  const page = await browser.newPage();
  page.setDefaultTimeout(limitMs);
  const metrics = await page.createCDPSession();
  await metrics.send('Performance.enable', { timeDomain: 'threadTicks' });
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
    Object.assign(globalThis, { asked: () => asked });
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
    async busyMs() {
      const values = (await metrics.send('Performance.getMetrics')).metrics;
      return Math.round(1000 * (values.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN));
    },
  };
}

const ballot = 'vote.sync.ballot.b32 d, q, 0xffffffff;\n';

/** Tests links without WebGPU, in a separate browser. */
export function testHostileLinks(addressNow: () => string): void {
  let browser: Browser;
  const measured: object[] = [];

  beforeAll(async () => {
    browser = await launchBrowser({ webgpu: false });
  });
  afterAll(async () => {
    // The measured milliseconds, for inspection. The tests only compare them with a generous limit.
    if (process.env.HOSTILE_OUT) writeFileSync(process.env.HOSTILE_OUT, `${JSON.stringify(measured, null, 1)}\n`);
    await browser?.close();
  });

  // demo-link.test.ts decodes all links. Each run opens a different subset of them in a page.
  const opened = drawn(hostileLinks, 1);
  it.each(opened)('of $name leaves the page usable', async ({ name, hash }) => {
    const { page, errors, busyMs } = await watchedPage(browser);
    await page.goto(`${addressNow()}#${hash}`);
    await page.waitForSelector('#ptx .cm-content');
    const editorMs = await page.evaluate(() => Math.round(performance.now()));
    await page.click('[data-view="playground"]');
    const pasted = performance.now();
    // The page responds to the next paste.
    await paste(page, ballot);
    await waitForText(page, '#step-text', /vote\.sync\.ballot/);
    await waitForText(page, '#wgsl', /subgroupBallot/);
    const answerMs = Math.round(performance.now() - pasted);
    const busy = await busyMs();
    measured.push({ name, editorMs, answerMs, busyMs: busy });
    expect(busy).toBeGreaterThan(0);
    expect(busy).toBeLessThan(maxBusyMs);
    expect(await page.title()).toBe('Lanewise: PTX warp code on any GPU');
    expect(errors).toEqual([]);
    await page.close();
  });

  // The following two tests share a page.
  describe('that is damaged', () => {
    let watched: Watched;
    beforeAll(async () => {
      watched = await watchedPage(browser);
      // If the worker hangs, the page waits three seconds in this test instead of ten.
      await watched.page.evaluateOnNewDocument((limit) => {
        const real = globalThis.setTimeout;
        const isShort = (ms?: number) => ms === limit && Reflect.get(globalThis, 'hurry') === true;
        Object.assign(globalThis, {
          setTimeout: (handler: TimerHandler, ms?: number) => real(handler, isShort(ms) ? 3_000 : ms),
        });
      }, compilerLimitMs);
      await watched.page.goto(`${addressNow()}#s=damaged`);
      await settle(watched.page);
    });
    afterAll(() => watched?.page.close());

    it('starts with the defaults, and without WebGPU the page translates, steps and names the remedy', async () => {
      const { page, errors } = watched;
      await waitForText(page, '#notice', /damaged/);
      const help = await waitForText(page, '#no-webgpu', /WebGPU/);
      expect(help).toContain('--enable-unsafe-webgpu');
      await waitForText(page, '#step-count', /step 6 of 23/);
      await waitForText(page, '#plan-note', /native plan/);
      expect(Object.keys(await arrowsOf(page))).toHaveLength(32);
      expect(errors).toEqual([]);
    });

    it('lets the user edit, and a text that translates endlessly is answered after the worker is terminated', async () => {
      const { page, errors } = watched;
      const hurry = (on: boolean) => page.evaluate((value) => void Object.assign(globalThis, { hurry: value }), on);
      // No known text makes the worker hang. Therefore make the worker block forever after it has
      // answered the earlier requests.
      for (const worker of page.workers()) {
        await worker.evaluate(() => {
          const hang = ({ data }: Event & { readonly data?: { readonly kind: string } }) => {
            const { buffer } = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
            if (data?.kind === 'trace') Atomics.wait(new Int32Array(buffer), 0, 0);
          };
          if (Reflect.get(globalThis, 'name') === 'compiler')
            globalThis.addEventListener('message', hang, { capture: true });
        });
      }
      await hurry(true);
      await paste(page, 'vote.sync.any.pred d, q, 0xffffffff;\n');
      await waitForText(page, '#diagnostics', /PAGE004: Translating took more than 10 s and was stopped/);
      expect(await textOf(page, '#plan-note')).toBe('not translated');
      // The page still shows the text, and the picture that the reference interpreter made earlier.
      expect(await textOf(page, '#step-count')).toMatch(/^step 1 of/);
      expect(await textOf(page, '#ptx .cm-content')).toContain('vote.sync.any');
      await hurry(false);
      await paste(page, ballot);
      await waitForText(page, '#wgsl', /subgroupBallot/);
      expect(await textOf(page, '#diagnostics')).toBe('');
      expect(errors).toEqual([]);
    });
  });

  it('with words of any kind and length gets explanations and completions', async () => {
    const { page, errors, busyMs } = await watchedPage(browser);
    const words = [
      'constructor.__proto__',
      '%tid.constructor',
      'shfl.sync.toString',
      'SHFL.VALUEOF',
      'a.'.repeat(30_000),
    ];
    await page.goto(`${addressNow()}#${hashOf({ text: words.join(' ') })}`);
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
    const busy = await busyMs();
    measured.push({ name: 'words of any kind', busyMs: busy });
    expect(busy).toBeLessThan(maxBusyMs);
    expect(errors).toEqual([]);
    await page.close();
  });
}

/** A kernel that no link may start. */
export const endlessKernel = { text: 'L:\nadd.u32 x, x, 1;\nbra L;', view: 'playground' };

export function testLinksOnGpu(openNow: () => { readonly browser: Browser; readonly address: string }): void {
  const asksOfAnyPage = new Set(['parse', 'trace', 'translate', 'open']);

  // Each run opens one of the two links.
  const links = [
    { where: 'in the playground with run=1', link: `?run=1#${hashOf(endlessKernel)}` },
    {
      where: 'on the validation page',
      link: `#${hashOf({ ...endlessKernel, view: 'validate', query: 'elect.sync' })}`,
    },
  ];

  it.each(drawn(links, 1))(
    'with a kernel $where runs nothing until the user starts it, and the page admits no foreign script, style or address',
    async ({ link }) => {
      const { browser, address } = openNow();
      const { page, errors, asked } = await watchedPage(browser);
      await page.goto(address + link);
      await page.waitForSelector('#lose-device');
      await settle(page);
      expect(new Set(await asked())).toEqual(asksOfAnyPage);
      expect(await textOf(page, '#run-status')).toBe('');
      expect(errors).toEqual([]);
      const blocked = await page.evaluate(async () => {
        const found: string[] = [];
        document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) =>
          found.push(effectiveDirective),
        );
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
      // The editor's own style sheets still apply.
      expect(await page.$eval('#ptx .cm-scroller', (scroller) => getComputedStyle(scroller).display)).toBe('flex');
      await page.close();
    },
  );
}
