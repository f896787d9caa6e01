// Whole programs in a page.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { test } from 'vitest';
import { findBrowser, findFirefox } from '../../src/harness/webgpu/browser/find-browser.ts';
import { programBrowsers, runInBrowser } from '../../src/program/page/run-in-browser.ts';

const isFound = (find: () => unknown): Promise<boolean> =>
  Promise.resolve()
    .then(find)
    .then(
      () => true,
      () => false,
    );
const finders = { chrome: findBrowser, firefox: findFirefox } as const;
const found = await Promise.all(programBrowsers.map((name) => isFound(finders[name])));
const compiled = (file: string): Buffer => gunzipSync(readFileSync(`test/program/${file}.gz`));

test.concurrent.for(programBrowsers)(
  'a program runs in %s, with its files in memory',
  async (browser, { skip, expect }) => {
    skip(found[programBrowsers.indexOf(browser)] !== true, `${browser} is not installed`);
    const written = ['', '', ''];
    const program = {
      wasm: compiled('checks.wasm'),
      modules: [{ file: 'checks.ptx', text: compiled('checks.ptx').toString() }],
      args: ['checks', 'assert', 'out.txt'],
      env: [],
      files: [],
    };
    const end = await runInBrowser(browser, { program, float: 'exact' }, ({ stream, bytes }) => {
      written[stream] += new TextDecoder().decode(bytes);
    });
    expect(end).toEqual({ code: 42 });
    const [, out, err] = written;
    const passed = ['vectors', 'structs', 'symbols', 'streams', 'errors'].map((name) => `${name}: passed\n`).join('');
    expect(out).toBe(`${passed}thread 0 of 32, 4, 0.5\nthread 1 of 32, 4, 0.5\nfiles: passed\n`);
    expect(err).toMatch(/Assertion `threadIdx\.x < limit` failed[\s\S]*\ncudaErrorAssert\n/);
  },
);
