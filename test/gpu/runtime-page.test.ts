// The page of docs/runtime.md: made from nothing as it says, built by Vite, and opened in a headless browser.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, preview } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser } from './demo-page.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
// Git does not see it.
const folder = join(root, 'reports', `runtime-page-${process.pid}`);
const text = readFileSync(join(root, 'docs/runtime.md'), 'utf8');

/// The text of a file that the page says to write.
const fileOf = (name: string): string =>
  new RegExp(`^\`${name.replace('.', '\\.')}\`:\\n\\n\`\`\`\\w+\\n([\\s\\S]*?)^\`\`\``, 'm').exec(text)?.[1] ?? '';

describe.skipIf(!existsSync(join(root, 'dist/runtime/index.js')))('the page of docs/runtime.md', () => {
  beforeAll(() => {
    mkdirSync(join(folder, 'public'), { recursive: true });
    for (const name of ['index.html', 'main.js']) writeFileSync(join(folder, name), fileOf(name));
    copyFileSync(join(root, 'docs/runtime/saxpy.ptx'), join(folder, 'public/saxpy.ptx'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('draws what the kernel computed, from the memory that it wrote', async () => {
    // As an installed package would be found.
    const resolve = { alias: { 'lanewise/runtime': join(root, 'dist/runtime/index.js') } };
    const config = { root: folder, configFile: false, logLevel: 'error', resolve } as const;
    await build({ ...config, build: { target: 'esnext' } });
    const server = await preview({ ...config, preview: { host: '127.0.0.1', port: 0 } });
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      const errors: string[] = [];
      page.on('pageerror', (error) => errors.push(String(error)));
      await page.goto(server.resolvedUrls?.local[0] ?? '');
      await page.waitForFunction('document.querySelector("#out").textContent !== ""', { timeout: 60_000 });
      expect(await page.$eval('#out', (element) => element.textContent)).toBe('1, 3, 5, 7');
      expect(errors).toEqual([]);
    } finally {
      await browser.close();
      await server.close();
    }
  });
});
