// The browser application as users operate it: its pages, its views, the playground
// (demo-playground.ts), and untrusted links (demo-hostile.ts), also without WebGPU. All tests share
// one build of the application.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'puppeteer';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { decodeState } from '../../demo/link.ts';
import { machinesOf } from '../../src/harness/runs/merge-results.ts';
import { findBrowser } from '../../src/harness/webgpu/browser/find-browser.ts';
import { hashOf } from '../unit/demo/hostile-links.ts';
import { endlessKernel, testHostileLinks, testLinksOnGpu, type Watched, watchedPage } from './demo-hostile.ts';
import {
  type DemoSite,
  launchBrowser,
  limitMs,
  paste,
  serveDemo,
  textOf,
  violationsIn,
  waitForText,
} from './demo-page.ts';
import { testPlayground } from './demo-playground.ts';

const hasBrowser = await findBrowser().then(
  () => true,
  () => false,
);

let site: DemoSite;
beforeAll(async () => {
  if (hasBrowser) site = await serveDemo();
});
afterAll(() => site?.close());

describe.skipIf(!hasBrowser)('the application', () => {
  let browser: Browser;
  let open: { page: Page; errors: string[] }[] = [];

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterEach(async () => {
    const errors = open.flatMap((opened) => opened.errors);
    for (const { page } of open) await page.close();
    open = [];
    expect(errors).toEqual([]);
  });
  afterAll(() => browser?.close());

  it('draws after 81 kB, and runs its first kernel after 446 kB', () => {
    const bytes = (name: string): number => gzipSync(readFileSync(join(site.folder, 'assets', name))).length;
    const names = readdirSync(join(site.folder, 'assets'));
    const sum = (list: readonly string[]): number => list.reduce((total, name) => total + bytes(name), 0);
    /** Returns the modules and the modules that they import. */
    const withImports = (list: readonly string[]): readonly string[] => {
      const all = new Set(list);
      for (const name of all) {
        const text = name.endsWith('.js') ? readFileSync(join(site.folder, 'assets', name), 'utf8') : '';
        for (const [, imported = ''] of text.matchAll(/\bfrom ?["'`]\.\/([\w-]+\.js)/g)) all.add(imported);
      }
      return [...all];
    };
    // The compiler and the reference are in workers, so the page appears before they load.
    const first = withImports(names.filter((name) => /^(entry|main|style)-/.test(name)));
    expect(first.length).toBeGreaterThan(6);
    expect(sum(first)).toBeLessThan(81_000);
    // The first kernel contains a warp shuffle, which needs only these parts of the compiler.
    const own = withImports(names.filter((name) => /^(entry|main|style|worker|collectives|atomics)-/.test(name)));
    expect(sum(own)).toBeLessThan(446_000);
    // The editor, validation, the step from LLVM IR to PTX, and other parts of the compiler load
    // when they are first used. The transformer and the gallery have their own pages.
    const others = [
      'editor',
      'compile',
      'measurements',
      'transformer',
      'gallery',
      'judge',
      'matrices',
      'doubles',
      'lower-images',
      'library-headers',
      'run',
    ];
    for (const later of others.map((name) => new RegExp(`^${name}-`))) {
      expect(own.filter((name) => later.test(name))).toEqual([]);
      expect(names.filter((name) => later.test(name))).not.toEqual([]);
    }
    // Each lesson loads only its own kernels, and sources with Thrust, CUB or cuBLAS load their headers.
    expect(sum(names.filter((name) => !/^(start|solution|library-headers)-/.test(name)))).toBeLessThan(1_064_000);
  });

  it('shows the kernels of the transformer, and requires a first step', async () => {
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    open.push({ page, errors });
    await page.goto(`${site.address}transformer.html#size=tiny&float=exact&seed=1&rates=0:0.002&loss=12:40831f2b`);
    expect(await waitForText(page, '#status', /step 12/)).toContain('40831f2b');
    expect(await page.$$('.kernel')).toHaveLength(27);
    await page.click('.kernel:nth-child(6) summary');
    const sources = await waitForText(page, '.kernel[open] .sources', /entry attention/);
    expect(sources).toContain('void attention(int context');
    const [, , matrices] = await page.$$('#controls select');
    await matrices?.select('f16');
    await waitForText(page, '#kernels', /matmul_f16/);
    expect(await textOf(page, '#lowering')).toContain('Train to see');
    expect(await page.$$('.kernel')).toHaveLength(27);
    expect(await page.$eval('main', ({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    await page.setViewport({ width: 360, height: 800 });
    expect(await page.$eval('html', ({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    expect(await violationsIn(page)).toEqual([]);
  });

  it('sorts in the gallery', async () => {
    const page = await browser.newPage();
    page.setDefaultTimeout(limitMs);
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    open.push({ page, errors });
    await page.goto(`${site.address}gallery.html`);
    // A link opens the kernel in the playground.
    const link = await page.waitForSelector('.edit a');
    const [name, href] = (await link?.evaluate((a) => [a.textContent ?? '', a.href])) ?? [];
    const opened = await decodeState(new URL(href ?? '').hash);
    expect(opened?.entry).toBe(name);
    expect(opened?.text).toContain(`.entry ${name}(`);
    await page.select('.exhibits > section:nth-child(1) select', '4096');
    await page.click('#sort-start');
    expect(await waitForText(page, '#sort-status', /in order|belongs/)).toBe('All 4,096 numbers are in order.');
    expect(await violationsIn(page)).toEqual([]);
    await page.setViewport({ width: 360, height: 800 });
    expect(await page.$eval('html', ({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  });

  it('judges the kernel of a lesson, and keeps the progress', async () => {
    const page = await browser.newPage();
    page.setDefaultTimeout(limitMs);
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    open.push({ page, errors });
    await page.goto(`${site.address}lessons.html#03-guard`);
    await page.waitForSelector('#editor .cm-content');
    await page.click('#run');
    expect(await waitForText(page, '#verdict', /\w/)).toMatch(/^Access out of bounds\. Line 3: Load of x\[\d+\], but/);
    await page.click('#solution');
    const solution = await textOf(page, '#editor .cm-content');
    await page.click('#solution');
    await paste(page, solution.replace(/(?<=[{;])\s*(?=int|if|\})/g, '\n'), '#editor');
    // This text is not that of the solution, so the page would have to compile it.
    expect(await textOf(page, '#run')).toMatch(/^Download the compiler \(\d+ MB\) and run$/);
    const text = readFileSync(new URL('../../demo/lessons/03-guard/solution.cu', import.meta.url), 'utf8');
    await paste(page, text, '#editor');
    await page.click('#run');
    expect(await waitForText(page, '#verdict', /\w/)).toMatch(/^Passed\. The reference ran 5 launches.*Next lesson: /);
    expect(await waitForText(page, '#gpu-result', /correct/)).toContain('On this software adapter');
    expect(await violationsIn(page)).toEqual([]);
    await page.reload();
    expect(await waitForText(page, '#contents-summary', /1 of/)).toContain('1 of 30 passed');
    expect(await waitForText(page, '#editor', /saxpy/)).toContain('if (i < n)');
    await page.setViewport({ width: 360, height: 800 });
    expect(await page.$eval('html', ({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  });

  testPlayground(() => ({ browser, address: site.address }));

  describe('a link', () => testLinksOnGpu(() => ({ browser, address: site.address })));

  // These tests also share one page.
  describe('on the views beside the playground', () => {
    let page: Page;
    let errors: string[];
    let asked: Watched['asked'];

    beforeAll(async () => {
      ({ page, errors, asked } = await watchedPage(browser));
      await page.setViewport({ width: 1360, height: 1000 });
      await page.goto(`${site.address}?q=redux.sync:*:register&run=1#${hashOf(endlessKernel)}`);
      await waitForText(page, '#validate-status', /All|mismatch|did not/);
    });
    afterEach(() => expect(errors.splice(0)).toEqual([]));
    afterAll(() => page?.close());

    it('validates the suites of a link with run=1, and fills the matrix', async () => {
      // The kernel of the link waits for the user.
      expect(await asked()).toContain('validate');
      expect(await asked()).not.toContain('run');
      expect(await textOf(page, '#validate-status')).toMatch(
        /^All [\d,]+ lane results of \d+ suites agree with the reference/,
      );
      const cells = await page.$$eval('.matrix .verdict', (list) => list.map((cell) => cell.textContent));
      expect(cells.length).toBeGreaterThan(5);
      expect(new Set(cells)).toEqual(new Set(['✓']));
      await page.click('.matrix .verdict');
      expect(await textOf(page, '#validate-detail')).toMatch(/redux\.sync.*: pass/);
      // The copied text is a document that `lanewise merge` accepts.
      const permissions = ['clipboard-read', 'clipboard-write', 'clipboard-sanitized-write'] as const;
      await browser.defaultBrowserContext().overridePermissions(new URL(site.address).origin, [...permissions]);
      await page.bringToFront();
      await page.click('#view-validate .copy-report');
      await waitForText(page, '#view-validate .copy-report', /Copied/);
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      const [machine] = machinesOf('page', JSON.parse(copied));
      expect(machine?.results.size).toBe(cells.length);
      expect(machine?.facts).toContainEqual(['subgroup size', '4']);
      expect(machine?.traits.get('browser version')).toMatch(/^(Headless)?Chrome \d+\./);
      // The saved file is also a document that `lanewise merge` accepts. It equals the copied text
      // except for the elapsed time.
      const session = await page.createCDPSession();
      const downloads = mkdtempSync(join(tmpdir(), 'lanewise-downloads-'));
      try {
        await session.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: downloads });
        await page.click('#view-validate .save-report');
        const file = join(downloads, 'lanewise-report.json');
        await vi.waitFor(() => expect(existsSync(file)).toBe(true), { timeout: limitMs });
        const [saved] = machinesOf(file, JSON.parse(readFileSync(file, 'utf8')));
        expect(saved?.results).toEqual(machine?.results);
      } finally {
        rmSync(downloads, { recursive: true, force: true });
      }
    });

    it('stops a validation on request', async () => {
      await page.click('[data-view="validate"]');
      await page.$eval('#query', (query) => query instanceof HTMLInputElement && query.select());
      await page.type('#query', 'vote.sync');
      await page.click('#validate-start');
      await page.waitForSelector('.matrix .verdict');
      await page.click('#validate-cancel');
      expect(await waitForText(page, '#validate-status', /^Stopped/)).toMatch(/^Stopped\. All [\d,]+ lane results/);
      expect(await page.$eval('#validate-start', (button) => button.hasAttribute('hidden'))).toBe(false);
    });

    it("does not present a software adapter's figures as a GPU's", async () => {
      await page.click('[data-view="bench"]');
      await page.waitForSelector('#bench-start');
      await page.click('#bench-start');
      await page.waitForSelector('.bench tbody td');
      expect(await textOf(page, '#view-bench')).toContain('This is not a GPU.');
      expect(await textOf(page, '.bench tbody tr')).toMatch(/shfl\.sync bfly.*software.*\d+ ✓/);
      expect(await page.$$('.bench-bar')).toEqual([]);
      await page.click('#bench-stop');
      await page.waitForSelector('#bench-start:not([hidden])');
    });

    it('runs a litmus test, draws its outcomes, and offers a report that merge accepts', async () => {
      await page.click('[data-view="litmus"]');
      await page.waitForSelector('#litmus-start');
      await page.click('#litmus-start');
      await waitForText(page, '#litmus-status', /: 0 of 2,048 instances showed a result that PTX forbids/);
      const rows = await page.$$eval('#litmus-figures tbody tr', (list) => list.map((row) => row.textContent));
      expect(rows).toHaveLength(4);
      expect(rows[2]).toMatch(/^\* t1:%r0=1 t1:%r1=0\d+allowed/);
      await page.click('#view-litmus .copy-report');
      await waitForText(page, '#view-litmus .copy-report', /Copied/);
      const [machine] = machinesOf('page', JSON.parse(await page.evaluate(() => navigator.clipboard.readText())));
      const [result] = machine?.results.get('litmus:MP+relaxed+gpu+apart') ?? [];
      expect(result).toMatchObject({ status: 'pass', compared: 2048, mismatches: 0 });
    });

    it('has no serious accessibility violations', async () => {
      await page.click('[data-view="validate"]');
      for (const violation of await violationsIn(page)) expect(violation).not.toMatch(/^(serious|critical)/);
    });
  });
});

describe.skipIf(!hasBrowser)('a hostile link', () => testHostileLinks(() => site.address));
