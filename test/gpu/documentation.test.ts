// Runs the commands of README.md, and checks that the page of the tutorial shows the documented
// results.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Browser } from 'puppeteer';
import { build, type PreviewServer, preview } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blocksOf, commandsOf, root, wordsOf } from '../unit/repository/docs-blocks.ts';
import { launchBrowser } from './demo-page.ts';

const isBuilt = existsSync(join(root, 'dist/runtime/index.js'));
const readme = blocksOf('README.md');
const commands = readme
  .filter(({ language }) => language === 'sh')
  .flatMap(commandsOf)
  .filter((command) => command.startsWith('npx lanewise '));

describe.skipIf(!isBuilt)('README.md', () => {
  test('has a command of each kind', () => {
    expect(commands.map((command) => wordsOf(command)[2])).toEqual(['run', 'check', 'validate', 'translate']);
  });

  test.each(commands)('%s', { timeout: 120_000 }, (command) => {
    const [, , ...words] = wordsOf(command);
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'bin/lanewise.js'), ...words], {
      cwd: join(root, 'docs/examples'),
      encoding: 'utf8',
      timeout: 110_000,
    });
    expect(stdout, stderr).not.toBe('');
    expect(status, stdout + stderr).toBe(0);
  });
});

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

describe.skipIf(!isBuilt)('docs/guides/check-in-ci.md', () => {
  test('shows the report of its command', () => {
    const shown = blocksOf('docs/guides/check-in-ci.md').find(({ language }) => language === 'console');
    const [command = '', ...report] = (shown?.code ?? '').split('\n');
    const { stdout, status } = spawnSync(
      process.execPath,
      [join(root, 'bin/lanewise.js'), ...wordsOf(command.replace('$ npx lanewise ', ''))],
      { cwd: join(root, 'docs/examples'), encoding: 'utf8' },
    );
    expect(stdout).toBe(report.join('\n'));
    expect(status).toBe(1);
  });
});
