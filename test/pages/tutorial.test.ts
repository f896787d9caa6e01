// Builds the page of the tutorial and the example of README.md with Vite, and checks that they show
// the documented results.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Browser } from 'puppeteer';
import { build, type PreviewServer, preview } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blocksOf, root } from '../unit/repository/docs-blocks.ts';
import { launchBrowser } from './demo-page.ts';

const isBuilt = existsSync(join(root, 'dist/runtime/index.js'));
const readme = blocksOf('README.md');

/** Returns the files whose names a documentation page contains directly before their text. */
function filesOf(page: string): ReadonlyMap<string, string> {
  const text = readFileSync(join(root, page), 'utf8');
  return new Map(
    [...text.matchAll(/^`([\w./-]+)`:\n\n```\w+\n([\s\S]*?)^```/gm)].map(([, name = '', code = '']) => [name, code]),
  );
}

describe.skipIf(!isBuilt)('the pages', () => {
  const folder = join(root, 'reports', `documentation-${process.pid}`);
  let site: PreviewServer;
  let browser: Browser;

  beforeAll(async () => {
    const example = readme.find(({ language }) => language === 'js')?.code ?? '';
    const files = new Map([
      ...filesOf('docs/tutorial/first-kernel.md'),
      ['readme.html', '<!doctype html><script type="module" src="/readme.js"></script>'],
      ['readme.js', example.replace(/console\.log\((.*)\);.*/, 'globalThis.result = [...$1];')],
    ]);
    for (const [name, text] of files) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    const resolve = { alias: { 'lanewise/runtime': join(root, 'dist/runtime/index.js') } };
    const config = { root: folder, configFile: false, logLevel: 'error', resolve } as const;
    const input = ['index.html', 'readme.html'].map((name) => join(folder, name));
    await build({ ...config, build: { rolldownOptions: { input } } });
    site = await preview({ ...config, preview: { host: '127.0.0.1', port: 0 } });
    browser = await launchBrowser();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await site?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const open = async (name: string) => {
    const page = await browser.newPage();
    await page.goto(`${site.resolvedUrls?.local[0] ?? ''}${name}`);
    return page;
  };

  test('of the tutorial shows the result that the tutorial states', async () => {
    const expected = blocksOf('docs/tutorial/first-kernel.md')
      .find(({ language }) => language === 'text')
      ?.code.trim();
    const page = await open('');
    await page.waitForFunction('document.querySelector("#out").textContent !== "…"', { timeout: 60_000 });
    expect(await page.$eval('#out', (element) => element.textContent)).toBe(expected);
    await page.close();
  });

  test('of README.md computes the result in its comment', async () => {
    const page = await open('readme.html');
    await page.waitForFunction('globalThis.result !== undefined', { timeout: 60_000 });
    const result = await page.evaluate('globalThis.result.slice(0, 4).join(", ")');
    expect(readme.find(({ language }) => language === 'js')?.code).toContain(`// ${result}, …`);
    await page.close();
  });

  test('of the tutorial uses the kernel of docs/examples', () => {
    const files = filesOf('docs/tutorial/first-kernel.md');
    expect(files.get('saxpy.cu')).toBe(readFileSync(join(root, 'docs/examples/saxpy.cu'), 'utf8'));
    expect(files.get('public/saxpy.ptx')?.trim()).toBe(
      readFileSync(join(root, 'docs/examples/saxpy.ptx'), 'utf8').trim(),
    );
  });
});
