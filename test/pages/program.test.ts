// Whole programs in a page.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { findBrowser } from '../../src/harness/webgpu/browser/find-browser.ts';
import { runInBrowser } from '../../src/program/page/run-in-browser.ts';

const hasBrowser = await findBrowser().then(
  () => true,
  () => false,
);
const compiled = (file: string): Buffer => gunzipSync(readFileSync(`test/program/${file}.gz`));

// Firefox runs the same page, but needs 10 s more to start and to compile the kernels.
test.skipIf(!hasBrowser)('a program runs in headless Chrome, with its files in memory', async () => {
  const written = ['', '', ''];
  const program = {
    wasm: compiled('checks.wasm'),
    modules: [{ file: 'checks.ptx', text: compiled('checks.ptx').toString() }],
    args: ['checks', 'assert', 'out.txt'],
    env: [],
    files: [],
  };
  const end = await runInBrowser('chrome', { program, float: 'exact' }, ({ stream, bytes }) => {
    written[stream] += new TextDecoder().decode(bytes);
  });
  expect(end).toEqual({ code: 42 });
  const [, out, err] = written;
  const passed = ['vectors', 'structs', 'symbols', 'streams', 'errors'].map((name) => `${name}: passed\n`).join('');
  expect(out).toBe(`${passed}thread 0 of 32, 4, 0.5\nthread 1 of 32, 4, 0.5\nfiles: passed\n`);
  expect(err).toMatch(/Assertion `threadIdx\.x < limit` failed[\s\S]*\ncudaErrorAssert\n/);
});
