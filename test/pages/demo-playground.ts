// The playground as users operate it: typing, sliding, stepping, running, linking, also with the
// keyboard.
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'puppeteer';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { decodeState } from '../../demo/link.ts';
import { examples } from '../../src/harness/suites/example-texts.ts';
import { arrowsOf, limitMs, openPage, paste, settle, slide, textOf, violationsIn, waitForText } from './demo-page.ts';

/** A program that prints on both sides, writes a file, and counts its arguments. */
const wholeProgram = `#include <cstdio>
__global__ void add(int *sum, int n) {
  if (threadIdx.x == 1 && n > 0) printf("thread %d of %d\\n", threadIdx.x, blockDim.x);
  atomicAdd(sum, 33);
}
int main(int argc, char **argv) {
  int *sum, result = 0;
  cudaMalloc(&sum, sizeof(int));
  cudaMemset(sum, 0, sizeof(int));
  add<<<1, 2>>>(sum, argc);
  cudaMemcpy(&result, sum, sizeof(int), cudaMemcpyDeviceToHost);
  printf("sum %d\\n", result);
  FILE *file = fopen("out.txt", "w+");
  fprintf(file, "%d arguments", argc - 1);
  rewind(file);
  char text[20] = {};
  fread(text, 1, 19, file);
  printf("file: %s\\n", text);
  fprintf(stderr, "bad\\n");
  return 7;
}
`;

/**
 * Tests the playground. All tests share one page, because loading it takes seconds. Each test
 * starts from an example, which resets the whole playground.
 */
export function testPlayground(context: () => { readonly browser: Browser; readonly address: string }): void {
  describe('the playground', () => {
    let page: Page;
    let errors: string[];

    beforeAll(async () => {
      const { browser, address } = context();
      ({ page, errors } = await openPage(browser, address));
      // The WGSL is regenerated when the GPU has been opened.
      await page.waitForSelector('#lose-device');
      await settle(page);
    });
    beforeEach(async () => {
      await begin('shfl.sync:up', '#step-text', /shfl\.sync\.up/);
    });
    afterEach(() => expect(errors.splice(0)).toEqual([]));
    afterAll(() => page?.close());

    async function begin(example: string, selector: string, shown: RegExp): Promise<void> {
      await page.select('#examples', example);
      await waitForText(page, selector, shown);
      await settle(page);
    }

    it('marks an error while the user types, and removes the mark', async () => {
      await paste(page, 'shfl.sync.up.b32 d|p, a, 1, 0;\nadd.q32 x, d, d;\n');
      const messages = await waitForText(page, '#diagnostics', /2:4 Error/);
      // The shuffle lacks its membermask, and `.q32` is not a type.
      expect(messages).toMatch(/1:\d+ Error PTX\d+: .*membermask/);
      await page.waitForSelector('#ptx .cm-lintRange-error');
      await page.waitForSelector('#ptx .cm-lint-marker-error');
      await paste(page, 'shfl.sync.up.b32 d|p, a, 1, 0, 0xffffffff;\nadd.u32 x, d, d;\n');
      await waitForText(page, '#diagnostics', /^$/);
      expect(await page.$$('#ptx .cm-lintRange-error')).toEqual([]);
    });

    it('keeps the last valid results while the text has an error, and says so', async () => {
      await paste(page, 'vote.sync.all.pred d, q, 0xffffffff;\nvote.sy');
      await waitForText(page, '#diagnostics', /PTX0502/);
      expect(await textOf(page, '#plan-note')).toBe('for the last text without errors');
      expect(await page.$eval('#lanes-body', (body) => body.className)).toBe('stale');
      expect(Object.keys(await arrowsOf(page))).toHaveLength(32);
    });

    it('explains the instruction under the pointer, and completes one', async () => {
      await paste(page, 'vote.sync.ballot.b32 d, q, 0xffffffff;\n');
      // If the pointer does not move, it receives no event after the text below it has been
      // redrawn.
      await waitForText(page, '#wgsl', /subgroupBallot/);
      await page.mouse.move(5, 5);
      await page.hover('#ptx .cm-line span');
      expect(await waitForText(page, '.cm-tooltip', /membermask/)).toContain('Bit i of d is the predicate of lane i');
      await page.keyboard.press('End');
      await page.keyboard.type('\nelect');
      await waitForText(page, '.cm-tooltip-autocomplete', /elect\.sync/);
    });

    it("runs the manual's scan, and every lane agrees", async () => {
      const scan = examples.find(({ name }) => name === 'ptx-scan');
      await paste(page, scan?.text ?? '');
      await waitForText(page, '#step-count', /of 10/);
      await page.click('#run');
      expect(await waitForText(page, '#run-status', /agree|differ|lost/)).toBe(
        'Agrees. All 96 written values agree with the reference.',
      );
      const strips = await page.$$eval('#run-result section', (sections) =>
        sections.map((section) => ({
          name: section.querySelector('h3 code')?.textContent,
          values: [...section.querySelectorAll('.value')].map((value) => Number(value.textContent)),
          marks: new Set([...section.querySelectorAll('.mark')].map((mark) => mark.textContent)).size,
        })),
      );
      // Lane i starts with i + 1, so the sums are the triangular numbers.
      const sums = Array.from({ length: 32 }, (_, lane) => ((lane + 1) * (lane + 2)) / 2);
      expect(strips.find(({ name }) => name === 'Rx')?.values).toEqual(sums);
      expect(strips.map(({ marks }) => marks)).toEqual([1, 1, 1]);
      expect(await textOf(page, '#run-result .note')).toMatch(/software.*subgroup size 4.*narrow lane plan/);
    });

    it('draws the source of each lane, and redraws it as a slider moves', async () => {
      expect(await arrowsOf(page)).toMatchObject({ 0: '0', 1: '0', 31: '30' });
      await slide(page, 'b', 4);
      await waitForText(page, '#ptx .cm-content', /d\|p, a, 4, 0x0/);
      expect(await arrowsOf(page)).toMatchObject({ 3: '3', 4: '0', 31: '27' });
      // Segments have eight lanes, and lane 8 is the first of its segment. So the lane four before
      // it is in another segment.
      await slide(page, "c's segmask", 0b11000);
      await waitForText(page, '#ptx .cm-content', /a, 4, 0x1800/);
      expect(await arrowsOf(page)).toMatchObject({ 7: '3', 8: '8', 12: '8' });
      expect(await page.$$('#figure .border')).toHaveLength(3);
    });

    it('links lines of PTX with lines of WGSL, both ways', async () => {
      await begin('ptx-scan', '#step-count', /step 1 of 10/);
      await page.click('#ptx .cm-line:nth-child(4)');
      await page.waitForSelector('#wgsl .cm-linked');
      expect(await textOf(page, '#wgsl .cm-linked')).toContain('@p add.f32 Rx, Ry, Rx;');
      await page.click('#wgsl .cm-linked');
      await page.waitForFunction(() => document.querySelector('#ptx .cm-linked'));
      expect(await textOf(page, '#ptx .cm-linked')).toBe('@p add.f32 Rx, Ry, Rx;');
    });

    it('steps forward and back with the keyboard, and shows a table of the same facts', async () => {
      await begin('ptx-scan', '#step-count', /step 1 of 10/);
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
      expect(rows[0]).toBe('0|yes|0|no, keeps its own value|1|1|0|1|0');
      expect(rows[5]).toBe('5|yes|4|yes|6|1|0|5|1');
    });

    it('shows the lanes that PTX leaves undefined because lanes have exited', async () => {
      await begin('shfl.sync:down', '#step-text', /shfl\.sync\.down/);
      await page.click('[data-key="runs:9"]');
      await settle(page);
      expect(await waitForText(page, '#lane-summary', /Undefined by PTX/)).toContain('Undefined by PTX: lane 8.');
      await page.click('#run');
      await waitForText(
        page,
        '#run-status',
        /All \d+ written values agree with the reference\. PTX leaves 1 value undefined/,
      );
      expect(
        await page.$$eval('#run-result .outcome.undefined', (list) => list.map((item) => item.getAttribute('title'))),
      ).toEqual([expect.stringContaining('lane 8')]);
    });

    it('recovers from a lost device, and keeps the text', async () => {
      await paste(page, '// mine\nvote.sync.ballot.b32 d, q, 0xffffffff;\n');
      await waitForText(page, '#step-text', /vote\.sync\.ballot/);
      await page.$eval('#lose-device', (button) => button instanceof HTMLElement && button.click());
      await waitForText(page, '#notice', /device was lost/);
      await page.click('#run');
      await waitForText(page, '#run-status', /All 32 written values agree/);
      expect(await textOf(page, '#run-result .note')).toContain('a new device produced the result');
      expect(await textOf(page, '#ptx .cm-content')).toContain('// mine');
    });

    it('carries its whole state in a link', async () => {
      await begin('shfl.sync:bfly', '#step-text', /shfl\.sync\.bfly/);
      await slide(page, 'b', 16);
      await page.select('select[data-key], #lane-options select', 'hex');
      await page.click('[data-key="runs:3"]');
      // The link is updated some time after the last change.
      let link = '';
      await vi.waitFor(
        async () => {
          link = await page.evaluate(() => location.hash);
          expect(await decodeState(link)).toMatchObject({
            text: expect.stringMatching(/a, 16,/),
            format: 'hex',
            runs: ~(1 << 3) >>> 0,
          });
        },
        { timeout: limitMs },
      );
      await settle(page);
      const { browser, address } = context();
      const second = await openPage(browser, new URL(link, address).href);
      expect(await textOf(second.page, '#ptx .cm-content')).toContain(
        'shfl.sync.bfly.b32 d|p, a, 16, 0x1f, 0xffffffff;',
      );
      expect(await arrowsOf(second.page)).toEqual(await arrowsOf(page));
      expect(await textOf(second.page, '#inputs')).toBe(await textOf(page, '#inputs'));
      expect(second.errors).toEqual([]);
      await second.page.close();
    });

    const saxpy = readFileSync(new URL('../../docs/examples/saxpy.ptx', import.meta.url), 'utf8');

    it('runs a kernel of nvcc as it is pasted, and shows its buffer as a picture', async () => {
      await paste(page, saxpy);
      await waitForText(page, '#inputs', /param_3/);
      await settle(page);
      await page.click('#run');
      expect(await waitForText(page, '#run-status', /agree|differ|lost/)).toBe(
        'Agrees. All 256 written values agree with the reference.',
      );
      expect(await page.$eval('#run-status', ({ className }) => className)).toBe('verdict-agrees');
      await page.select('#run-result select', 'picture');
      const sizes = await page.$eval('#run-result canvas', ({ width, height }) => [width, height]);
      expect(sizes).toEqual([16, 16]);
      expect(await textOf(page, '#counters')).toMatch(/Sectors per request.*4.*dense accesses need 4/);
    });

    it('says that no buffer changed, and what to look at', async () => {
      await paste(page, saxpy.replace(/@%p1 bra/, 'bra'));
      await waitForText(page, '#inputs', /param_3/);
      await settle(page);
      await page.click('#run');
      const text = await waitForText(page, '#run-status', /No buffer changed|agree|differ/);
      expect(text).toMatch(/^No buffer changed\. Look at the number of threads/);
      expect(await page.$eval('#run-status', ({ className }) => className)).toBe('verdict-neutral');
    });

    it('says why it runs nothing', async () => {
      await paste(page, '');
      await settle(page);
      await page.click('#run');
      expect(await waitForText(page, '#run-status', /Nothing/)).toMatch(/^Nothing to run: the PTX is empty\./);
      await paste(page, '.version 8.0\n.target sm_80\n.address_size 64\n');
      await waitForText(page, '#diagnostics', /PAGE007/);
      await page.click('#run');
      await waitForText(page, '#run-status', /^Nothing to run: the module has no kernel \(PAGE007\)\. A kernel is/);
      expect(await page.$eval('#run-status', ({ className }) => className)).toBe('bad');
    });

    it('names undefined behavior first, with its lines', async () => {
      const outside = 'st.global.f32 \t[%rd7+4000000], %f4;';
      await paste(page, saxpy.replace(/st\.global\.f32[^;]*;/, outside));
      await waitForText(page, '#findings', /RUN008/);
      await settle(page);
      await page.click('#run');
      const text = await waitForText(page, '#run-status', /Undefined|agree|differ/);
      expect(text).toMatch(/^Undefined behavior \(1 finding\)\./);
      const line = saxpy.slice(0, saxpy.indexOf('st.global.f32')).split('\n').length;
      expect(await textOf(page, '#run-result .messages')).toContain(`${line}:`);
    });

    it('steps to breakpoints, over lines and to a clicked line, and shows registers and memory', async () => {
      await begin('kernel:sum', '#step-text', /bfly/);
      const count = (pattern: RegExp): Promise<string> => waitForText(page, '#step-count', pattern);
      await count(/^step 6 of 23$/);
      await page.click('#step-over');
      await count(/^step 7 /);
      await page.click('#back-over');
      await count(/^step 6 /);
      const clickLine = async (pattern: string): Promise<void> => {
        const lines = await page.$$('#ptx .cm-line');
        for (const line of lines) {
          if (!new RegExp(pattern).test(await line.evaluate(({ textContent }) => textContent ?? ''))) continue;
          // Click to the right of the gutter, which covers a part of a scrolled line.
          await line.click({ offset: { x: 120, y: 8 } });
          return;
        }
        throw new Error(`no line ${pattern}`);
      };
      await clickLine('bfly.*, 8,');
      await count(/^step 8 /);
      await page.keyboard.press('F9');
      await page.waitForSelector('#ptx .cm-breakpoints .cm-gutterElement:not(:empty)');
      await page.click('#step-first');
      await count(/^step 1 /);
      await page.click('#run-on');
      await count(/^step 8 /);
      await page.click('#run-on');
      await count(/^step 23 /);
      await page.click('#run-back');
      await count(/^step 8 /);
      for (const part of ['#registers-part', '#memory-part']) await page.click(`${part} summary`);
      expect(await waitForText(page, '#registers tbody th', /^%/)).toBe('%thread');
      expect(await waitForText(page, '#memory', /next at line/)).toContain('0x7f0000000000');
      for (const part of ['#registers-part', '#memory-part']) await page.click(`${part} summary`);
    });

    it('links lines of the CUDA source, if the PTX has line information', async () => {
      await paste(page, `${saxpy.replace(/(\tmul\.f32|\tfma)/, '\t.loc 1 7 3\n$1')}\n.file 1 "/home/me/saxpy.cu"\n`);
      await waitForText(page, '#cuda-note', /paste saxpy\.cu here/);
      await page.focus('#cuda .cm-content');
      await page.keyboard.type('1\n2\n3\n4\n5\n6\nseven');
      await waitForText(page, '#cuda-note', /^saxpy\.cu$/);
      await settle(page);
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('ArrowDown');
      await page.waitForSelector('#ptx .cm-linked');
      const linked = await page.$$eval('#wgsl .cm-linked', (lines) => lines.map(({ textContent }) => textContent));
      expect(linked.join('\n')).toMatch(/fma|saxpy_param_3/);
    });

    it('compiles CUDA in the page, links its lines, and marks an error of the compiler', async () => {
      expect(await textOf(page, '#cuda-compile')).toMatch(/^Download the compiler \(\d+ MB\) and compile$/);
      const cached = (): Promise<string[]> => page.evaluate(() => caches.keys());
      expect(await cached()).toEqual([]);
      await paste(page, readFileSync(new URL('../../docs/examples/saxpy.cu', import.meta.url), 'utf8'), '#cuda');
      await page.click('#cuda-compile');
      await waitForText(page, '#cuda-status', /^Compiled in/);
      await waitForText(page, '#cuda-note', /^kernel\.cu$/);
      await settle(page);
      await page.click('#run');
      expect(await waitForText(page, '#run-status', /agree|differ|lost/)).toBe(
        'Agrees. All 256 written values agree with the reference.',
      );
      await page.click('#cuda .cm-line:nth-child(3)');
      await page.waitForSelector('#wgsl .cm-linked');
      expect(await textOf(page, '#cuda .cm-linked')).toContain('y[i] = a * x[i] + y[i]');
      expect(await textOf(page, '#ptx .cm-linked')).toContain('setp');
      expect(await textOf(page, '#cuda-compile')).toBe('Compile to PTX');
      expect(await cached()).toEqual([expect.stringMatching(/^lanewise-clang-/)]);
      await paste(page, '__global__ void f(int *p) {\n  p[0] = q;\n}\n', '#cuda');
      await page.keyboard.down('Control');
      await page.keyboard.press('Enter');
      await page.keyboard.up('Control');
      expect(await waitForText(page, '#cuda-diagnostics', /Error/)).toMatch(/2:10 Error clang: use of undeclared .*q/);
      expect(await textOf(page, '#cuda .cm-lintRange-error')).toBe('q');
      // The PTX of the last source stays.
      expect(await textOf(page, '#ptx .cm-content')).toContain('.entry saxpy');
      // The messages disappear with their source.
      await begin('cuda:pi.cu', '#cuda-note', /^pi\.cu$/);
      for (const id of ['cuda-status', 'cuda-diagnostics']) expect(await textOf(page, `#${id}`)).toBe('');
      expect(await page.$$('#cuda .cm-lintRange-error')).toEqual([]);
    });

    it('runs a program with a main, and shows its output and exit code', async () => {
      const shown = (): Promise<boolean> => page.$eval('#program', (element) => !(element as HTMLElement).hidden);
      expect(await shown()).toBe(false);
      await begin('cuda:pi.cu', '#cuda-note', /^pi\.cu$/);
      expect(await shown()).toBe(true);
      await paste(page, wholeProgram, '#cuda');
      await page.waitForFunction((text) => document.querySelector('#cuda')?.textContent?.includes(text), {}, 'out.txt');
      expect(await textOf(page, '#program-run')).toBe('Run program');
      await page.type('#program-arguments', 'three words here');
      await page.click('#program-run');
      expect(await waitForText(page, '#program-status', /^Exit|error/)).toMatch(
        /^Exit code 7, after [\d.]+ s on .*SwiftShader/,
      );
      expect(await textOf(page, '#program-output')).toBe('thread 1 of 2\nsum 66\nfile: 3 arguments\nbad\n');
      expect(await textOf(page, '#program-output .stderr')).toBe('bad\n');
      // Another run with other arguments does not compile the source again.
      await page.$eval('#cuda-status', (status) => status.replaceChildren('kept'));
      await page.type('#program-arguments', ' and more');
      await page.click('#program-run');
      await waitForText(page, '#program-output', /file: 5 arguments\nbad/);
      await waitForText(page, '#program-status', /^Exit code 7/);
      expect(await textOf(page, '#cuda-status')).toBe('kept');
      await begin('cuda:pi.cu', '#cuda-note', /^pi\.cu$/);
      for (const id of ['program-status', 'program-output', 'cuda-status'])
        expect(await textOf(page, `#${id}`)).toBe('');
    });

    it('shares the width between the texts', async () => {
      await page.focus('#splitter');
      const width = (): Promise<number> => page.$eval('#ptx', ({ clientWidth }) => clientWidth);
      const before = await width();
      await page.keyboard.press('ArrowRight');
      expect(await width()).toBeGreaterThan(before);
      await page.keyboard.press('ArrowLeft');
      expect(await width()).toBe(before);
    });

    it('has no serious accessibility violations in light or dark', async () => {
      // The check needs the whole view to be drawn, including a table. The rows of the table are
      // alike, and the check of each cell takes long.
      await page.$eval('details:has(#lane-table)', (details) => details.setAttribute('open', ''));
      await page.$$eval('#lane-table tbody tr:nth-child(n + 4)', (rows) => {
        for (const row of rows) row.remove();
      });
      for (const violation of await violationsIn(page)) expect(violation).not.toMatch(/^(serious|critical)/);
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
      // The other color scheme changes only colors.
      for (const violation of await violationsIn(page, ['color-contrast']))
        expect(violation).not.toMatch(/^(serious|critical)/);
      await page.emulateMediaFeatures();
    });
  });
}
