// The browser application as a person uses it: typing, sliding, linking, running, without WebGPU, with the keyboard.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'puppeteer';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { machinesOf } from '../../src/harness/runs/merge-results.ts';
import { examples } from '../../src/harness/suites/example-texts.ts';
import { findBrowser } from '../../src/harness/webgpu/browser/find-browser.ts';
import {
  type DemoSite,
  launchBrowser,
  limitMs,
  openPage,
  paste,
  serveDemo,
  settle,
  slide,
  textOf,
  waitForText,
} from './demo-page.ts';

const hasBrowser = await findBrowser().then(
  () => true,
  () => false,
);

const require = createRequire(import.meta.url);
const axePath = require.resolve('axe-core/axe.min.js');

/// Source lanes of the arrows that are drawn, by the lane that each leads to.
const arrowsOf = (page: Page): Promise<Record<string, string>> =>
  page.$$eval('#figure path[data-to]', (paths) =>
    Object.fromEntries(paths.map((path) => [path.getAttribute('data-to') ?? '', path.getAttribute('data-from') ?? ''])),
  );

async function violationsIn(page: Page): Promise<string[]> {
  await page.evaluate(readFileSync(axePath, 'utf8'));
  return await page.evaluate(async () => {
    const axe: { run(): Promise<{ violations: { id: string; impact?: string; nodes: { html: string }[] }[] }> } =
      Reflect.get(globalThis, 'axe');
    const { violations } = await axe.run();
    return violations.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes[0]?.html.slice(0, 200)}`);
  });
}

let site: DemoSite;
beforeAll(async () => {
  if (hasBrowser) site = await serveDemo();
});
afterAll(() => site?.close());

describe.skipIf(!hasBrowser)('the application', () => {
  let browser: Browser;
  let open: { page: Page; errors: string[] }[] = [];

  const visit = async (path = ''): Promise<Page> => {
    const opened = await openPage(browser, site.address + path);
    open.push(opened);
    return opened.page;
  };

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

  it('draws after 120 kB, and loads in less than 410 kB without the editor, which comes after', () => {
    const bytes = (name: string): number => gzipSync(readFileSync(join(site.folder, 'assets', name))).length;
    const names = readdirSync(join(site.folder, 'assets'));
    // The transformer and the gallery have pages of their own.
    const later = names.filter((name) => /^(editor|sort|divergence|transformer|gallery|kernel-list)-/.test(name));
    const sum = (list: readonly string[]): number => list.reduce((total, name) => total + bytes(name), 0);
    expect(later).toHaveLength(8);
    /// With what these import.
    const withImports = (list: readonly string[]): readonly string[] => {
      const all = new Set(list);
      for (const name of all) {
        const text = name.endsWith('.js') ? readFileSync(join(site.folder, 'assets', name), 'utf8') : '';
        for (const [, imported = ''] of text.matchAll(/\bfrom ?["'`]\.\/([\w-]+\.js)/g)) all.add(imported);
      }
      return [...all];
    };
    // The compiler and the reference are in workers: the page is there before them.
    const first = withImports(names.filter((name) => /^(index|main|style)-/.test(name)));
    expect(first.length).toBeGreaterThan(6);
    expect(sum(first)).toBeLessThan(120_000);
    expect(sum(names) - sum(later)).toBeLessThan(410_000);
    expect(sum(later)).toBeLessThan(250_000);
  });

  it('shows the kernels of the transformer, and asks for a step to go on to', async () => {
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
    await page.select('.exhibits > section:nth-child(1) select', '4096');
    await page.click('#sort-start');
    expect(await waitForText(page, '#sort-status', /in order|belongs/)).toBe('All 4,096 numbers are in order.');
    expect(await violationsIn(page)).toEqual([]);
    await page.setViewport({ width: 360, height: 800 });
    expect(await page.$eval('html', ({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  });

  it('marks an error as one types, and takes the mark away', async () => {
    const page = await visit();
    await paste(page, 'shfl.sync.up.b32 d|p, a, 1, 0;\nadd.q32 x, d, d;\n');
    const messages = await waitForText(page, '#diagnostics', /2:4 Error/);
    // The shuffle lacks its membermask; there is no type .q32.
    expect(messages).toMatch(/1:\d+ Error PTX\d+: .*membermask/);
    await page.waitForSelector('#ptx .cm-lintRange-error');
    await page.waitForSelector('#ptx .cm-lint-marker-error');
    await paste(page, 'shfl.sync.up.b32 d|p, a, 1, 0, 0xffffffff;\nadd.u32 x, d, d;\n');
    await waitForText(page, '#diagnostics', /^$/);
    expect(await page.$$('#ptx .cm-lintRange-error')).toEqual([]);
  });

  it('keeps what was there while the text has an error, and says so', async () => {
    const page = await visit();
    await paste(page, 'vote.sync.all.pred d, q, 0xffffffff;\nvote.sy');
    await waitForText(page, '#diagnostics', /PTX0502/);
    expect(await textOf(page, '#plan-note')).toBe('of the last text without errors');
    expect(await page.$eval('#lanes-body', (body) => body.className)).toBe('stale');
    expect(Object.keys(await arrowsOf(page))).toHaveLength(32);
  });

  it('explains the instruction under the pointer, and completes one', async () => {
    const page = await visit();
    await paste(page, 'vote.sync.ballot.b32 d, q, 0xffffffff;\n');
    // A pointer that stands still is told nothing once the text under it has been drawn anew.
    await waitForText(page, '#wgsl', /subgroupBallot/);
    await page.mouse.move(5, 5);
    await page.hover('#ptx .cm-line span');
    expect(await waitForText(page, '.cm-tooltip', /membermask/)).toContain('Bit i of d is the predicate of lane i');
    await page.keyboard.press('End');
    await page.keyboard.type('\nelect');
    await waitForText(page, '.cm-tooltip-autocomplete', /elect\.sync/);
  });

  it("runs the manual's scan, and every lane agrees", async () => {
    const page = await visit();
    const scan = examples.find(({ name }) => name === 'ptx-scan');
    await paste(page, scan?.text ?? '');
    await waitForText(page, '#step-count', /of 10/);
    await page.click('#run');
    expect(await waitForText(page, '#run-status', /agree|differ|lost/)).toBe('All 96 values agree with the reference.');
    const strips = await page.$$eval('#run-result section', (sections) =>
      sections.map((section) => ({
        name: section.querySelector('h3 code')?.textContent,
        values: [...section.querySelectorAll('.value')].map((value) => Number(value.textContent)),
        marks: new Set([...section.querySelectorAll('.mark')].map((mark) => mark.textContent)).size,
      })),
    );
    // Lane i starts with i + 1: the sums are the triangular numbers.
    const sums = Array.from({ length: 32 }, (_, lane) => ((lane + 1) * (lane + 2)) / 2);
    expect(strips.find(({ name }) => name === 'Rx')?.values).toEqual(sums);
    expect(strips.map(({ marks }) => marks)).toEqual([1, 1, 1]);
    expect(await textOf(page, '#run-result .note')).toMatch(/software.*subgroup size 4.*narrow lane plan/);
  });

  it('draws who reads from whom, and redraws it as a slider moves', async () => {
    const page = await visit();
    await page.select('#examples', 'shfl.sync:up');
    await settle(page);
    await waitForText(page, '#step-text', /shfl\.sync\.up/);
    expect(await arrowsOf(page)).toMatchObject({ 0: '0', 1: '0', 31: '30' });
    await slide(page, 'b', 4);
    await waitForText(page, '#ptx .cm-content', /d\|p, a, 4, 0x0/);
    expect(await arrowsOf(page)).toMatchObject({ 3: '3', 4: '0', 31: '27' });
    // Segments of eight lanes: lane 8 starts one, and has nobody four lanes before it.
    await slide(page, "c's segmask", 0b11000);
    await waitForText(page, '#ptx .cm-content', /a, 4, 0x1800/);
    expect(await arrowsOf(page)).toMatchObject({ 7: '3', 8: '8', 12: '8' });
    expect(await page.$$('#figure .border')).toHaveLength(3);
  });

  it('links lines of PTX with lines of WGSL, both ways', async () => {
    const page = await visit();
    await page.select('#examples', 'ptx-scan');
    await settle(page);
    // The WGSL is written again when the GPU has been opened.
    await page.waitForSelector('#lose-device');
    await page.click('#ptx .cm-line:nth-child(4)');
    await page.waitForSelector('#wgsl .cm-linked');
    expect(await textOf(page, '#wgsl .cm-linked')).toContain('@p add.f32 Rx, Ry, Rx;');
    await page.click('#wgsl .cm-linked');
    await page.waitForFunction(() => document.querySelector('#ptx .cm-linked'));
    expect(await textOf(page, '#ptx .cm-linked')).toBe('@p add.f32 Rx, Ry, Rx;');
  });

  it('steps forward and back with the keyboard, and shows a table of the same facts', async () => {
    const page = await visit();
    await page.select('#examples', 'ptx-scan');
    await settle(page);
    await page.focus('#step-range');
    await page.keyboard.press('ArrowRight');
    await waitForText(page, '#step-count', /step 2 of 10/);
    expect(await textOf(page, '#lane-summary')).toContain('Executed by lanes 1-31.');
    await page.focus('#step-back');
    await page.keyboard.press('Enter');
    await waitForText(page, '#step-count', /step 1 of 10/);
    await page.$eval('details:has(#lane-table)', (details) => details.setAttribute('open', ''));
    const rows = await page.$$eval('#lane-table tbody tr', (list) =>
      list.map((row) => [...row.children].map((cell) => cell.textContent).join('|')),
    );
    expect(rows[0]).toBe('0|yes|0|no, keeps its own|1|1|0|1|0');
    expect(rows[5]).toBe('5|yes|4|yes|6|1|0|5|1');
  });

  it('says which lanes PTX leaves undefined, where lanes have exited', async () => {
    const page = await visit();
    await page.select('#examples', 'shfl.sync:down');
    await settle(page);
    await page.click('[data-key="runs:9"]');
    await settle(page);
    expect(await waitForText(page, '#lane-summary', /Undefined by PTX/)).toContain('Undefined by PTX: lane 8.');
    await page.click('#run');
    await waitForText(page, '#run-status', /All \d+ values agree with the reference\. 1 undefined/);
    expect(
      await page.$$eval('#run-result .outcome.undefined', (list) => list.map((item) => item.getAttribute('title'))),
    ).toEqual([expect.stringContaining('lane 8')]);
  });

  it('carries its whole state in a link', async () => {
    const first = await visit();
    await first.select('#examples', 'shfl.sync:bfly');
    await settle(first);
    await slide(first, 'b', 16);
    await first.select('select[data-key], #lane-options select', 'hex');
    await first.click('[data-key="runs:3"]');
    // The link follows some time after the last change.
    let link = '';
    for (let unchanged = 0; unchanged < 3; ) {
      await new Promise((done) => setTimeout(done, 400));
      const now = await first.evaluate(() => location.hash);
      unchanged = now.length > 20 && now === link ? unchanged + 1 : 0;
      link = now;
    }
    const second = await visit(link);
    expect(await textOf(second, '#ptx .cm-content')).toContain('shfl.sync.bfly.b32 d|p, a, 16, 0x1f, 0xffffffff;');
    expect(await arrowsOf(second)).toEqual(await arrowsOf(first));
    expect(await textOf(second, '#inputs')).toBe(await textOf(first, '#inputs'));
    const third = await visit('#s=damaged');
    await waitForText(third, '#notice', /damaged/);
  });

  it('validates what a link asks for, and fills the matrix', async () => {
    const page = await visit('?q=redux.sync:*:register&run=1');
    const text = await waitForText(page, '#validate-status', /All|mismatch|did not/, 60_000);
    expect(text).toMatch(/^All [\d,]+ lane results of \d+ suites agree with the reference/);
    const cells = await page.$$eval('.matrix .verdict', (list) => list.map((cell) => cell.textContent));
    expect(cells.length).toBeGreaterThan(5);
    expect(new Set(cells)).toEqual(new Set(['✓']));
    await page.click('.matrix .verdict');
    expect(await textOf(page, '#validate-detail')).toMatch(/redux\.sync.*: pass/);
    // What is copied is a document that `lanewise merge` takes.
    const permissions = ['clipboard-read', 'clipboard-write', 'clipboard-sanitized-write'] as const;
    await browser.defaultBrowserContext().overridePermissions(new URL(site.address).origin, [...permissions]);
    await page.bringToFront();
    await page.click('#copy-report');
    await waitForText(page, '#copy-report', /Copied/);
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    const [machine] = machinesOf('page', JSON.parse(copied));
    expect(machine?.results.size).toBe(cells.length);
    expect(machine?.facts).toContainEqual(['subgroup size', '4']);
    expect(machine?.traits.get('browser version')).toMatch(/^(Headless)?Chrome \d+\./);
    // So is the file that is saved; both are the same but for the time that has gone by.
    const session = await page.createCDPSession();
    const downloads = mkdtempSync(join(tmpdir(), 'lanewise-downloads-'));
    try {
      await session.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: downloads });
      await page.click('#save-report');
      const file = join(downloads, 'lanewise-report.json');
      await vi.waitFor(() => expect(existsSync(file)).toBe(true), { timeout: limitMs });
      const [saved] = machinesOf(file, JSON.parse(readFileSync(file, 'utf8')));
      expect(saved?.results).toEqual(machine?.results);
    } finally {
      rmSync(downloads, { recursive: true, force: true });
    }
  });

  it('stops a validation when asked to', async () => {
    const page = await visit('?q=vote.sync&run=1');
    await page.waitForSelector('.matrix .verdict');
    await page.click('#validate-cancel');
    expect(await waitForText(page, '#validate-status', /^Stopped/)).toMatch(/^Stopped\. All [\d,]+ lane results/);
    expect(await page.$eval('#validate-start', (button) => button.hasAttribute('hidden'))).toBe(false);
  });

  it("does not call a software adapter's figures a GPU's", async () => {
    const page = await visit();
    await page.click('[data-view="bench"]');
    await page.click('#bench-start');
    await page.waitForSelector('.bench tbody td');
    expect(await textOf(page, '#view-bench')).toContain('This is no GPU.');
    expect(await textOf(page, '.bench tbody tr')).toMatch(/shfl\.sync bfly.*software.*\d+ ✓/);
    expect(await page.$$('.bench-bar')).toEqual([]);
  });

  it('recovers from a lost device, and keeps the text', async () => {
    const page = await visit();
    await paste(page, '// mine\nvote.sync.ballot.b32 d, q, 0xffffffff;\n');
    await page.waitForSelector('#lose-device');
    await page.$eval('#lose-device', (button) => button instanceof HTMLElement && button.click());
    await waitForText(page, '#notice', /device was lost/);
    await page.click('#run');
    await waitForText(page, '#run-status', /All 32 values agree/);
    expect(await textOf(page, '#run-result .note')).toContain('a fresh one gave the result');
    expect(await textOf(page, '#ptx .cm-content')).toContain('// mine');
  });

  it.each([
    ['light', 'playground'],
    ['dark', 'playground'],
    ['light', 'validate'],
  ])('has no serious accessibility violations (%s, %s)', async (scheme, view) => {
    const page = await visit();
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    await page.click(`[data-view="${view}"]`);
    for (const violation of await violationsIn(page)) expect(violation).not.toMatch(/^(serious|critical)/);
  });
});

describe.skipIf(!hasBrowser)('without WebGPU', () => {
  it('translates, steps and explains what to do', async () => {
    const browser = await launchBrowser({ webgpu: false });
    try {
      const { page, errors } = await openPage(browser, site.address);
      const help = await waitForText(page, '#no-webgpu', /WebGPU/);
      expect(help).toContain('--enable-unsafe-webgpu');
      await waitForText(page, '#step-count', /step 1 of 10/);
      await waitForText(page, '#plan-note', /native plan/);
      expect(Object.keys(await arrowsOf(page))).toHaveLength(32);
      expect(errors).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
