// Whole programs in a page.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { sharingHeaders } from '../../src/base/sharing-headers.ts';
import { distFolder } from '../../src/harness/sessions/dist-folder.ts';
import { findBrowser } from '../../src/harness/webgpu/browser/find-browser.ts';
import { runInBrowser } from '../../src/program/page/run-in-browser.ts';
import { launchBrowser, limitMs } from './demo-page.ts';

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

describe.skipIf(!hasBrowser)('in a browser without JSPI', () => {
  // A page that runs the program on the reference, and its worker.
  const page = `<!doctype html><link rel="icon" href="data:,"><script>delete WebAssembly.Suspending;</script><script type="module">
    import { openReference, runInPage } from '/dist/program/page/run-in-page.js';
    const bytesOf = async (path) => new Uint8Array(await (await fetch(path)).arrayBuffer());
    const text = new TextDecoder().decode(await bytesOf('/checks.ptx'));
    const program = { wasm: await bytesOf('/checks.wasm'), modules: [{ file: 'checks.ptx', text }], args: ['checks', 'out.txt'], env: [], files: [] };
    let out = '';
    const decoder = new TextDecoder();
    const end = await runInPage(program, { open: openReference, write: (_, bytes) => { out += decoder.decode(bytes); }, hostScript: '/host.js' })
      .then((code) => ({ code }), ({ message }) => ({ message }));
    globalThis.end = { ...end, out };
  </script>`;
  const host = "import { runHostThread } from '/dist/program/page/host-thread.js'; runHostThread();";
  const types: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.html': 'text/html' };

  async function run(headers: Readonly<Record<string, string>>): Promise<unknown> {
    const answers: Readonly<Record<string, string | Buffer>> = {
      '/page.html': page,
      '/host.js': host,
      '/checks.wasm': compiled('checks.wasm'),
      '/checks.ptx': compiled('checks.ptx'),
    };
    const server = createServer(async ({ url = '' }, response) => {
      const body = answers[url] ?? (await readFile(join(distFolder(), '..', url)));
      response.writeHead(200, { ...headers, 'content-type': types[extname(url)] ?? 'text/plain' }).end(body);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the server has no port');
    const browser = await launchBrowser({ webgpu: false });
    try {
      const opened = await browser.newPage();
      await opened.goto(`http://127.0.0.1:${address.port}/page.html`);
      await opened.waitForFunction('globalThis.end !== undefined', { timeout: limitMs });
      return await opened.evaluate('globalThis.end');
    } finally {
      await browser.close();
      server.closeAllConnections();
      server.close();
    }
  }

  test('a program has a thread of its own', async () => {
    const passed = ['vectors', 'structs', 'symbols', 'streams', 'errors'].map((name) => `${name}: passed\n`).join('');
    expect(await run(sharingHeaders)).toMatchObject({ code: 0, out: expect.stringContaining(passed) });
  });

  test('a page without shared memory names the headers', async () => {
    expect(await run({})).toMatchObject({
      message: expect.stringContaining('`cross-origin-opener-policy: same-origin`'),
    });
  });
});
