// Opens runtime-tour.mjs in a page. Also contains the expected results.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, normalize } from 'node:path';
import type { Browser } from 'puppeteer';
import { expect } from 'vitest';
import { addKernel, kernelOf, moduleOf } from '../runtime-ptx.ts';

const root = join(import.meta.dirname, '../..');

export const tourKernels = moduleOf(
  addKernel,
  kernelOf(
    'saxpy',
    ['u32 n', 'f32 a', 'u64 x', 'u64 y'],
    `setp.ge.u32 %p1, %i, %n; @%p1 bra L; add.s64 %s1, %x, %at; add.s64 %s2, %y, %at;
  ld.global.f32 %f1, [%s1]; ld.global.f32 %f2, [%s2]; fma.rn.f32 %f2, %a, %f1, %f2; st.global.f32 [%s2], %f2; L:`,
  ),
  kernelOf(
    'follow',
    ['u64 table', 'u64 out'],
    `shl.b64 %s1, %at, 1; add.s64 %s1, %table, %s1; ld.global.u64 %s2, [%s1]; ld.global.f32 %f1, [%s2];
  add.s64 %s3, %out, %at; st.global.f32 [%s3], %f1;`,
  ),
  kernelOf('stop', ['u32 n'], 'setp.ne.u32 %p1, %i, %n; @%p1 bra L; trap; L:'),
  kernelOf(
    'vote',
    ['u64 out'],
    `and.b32 %r1, %thread, 3; setp.eq.u32 %p1, %r1, 1; vote.sync.ballot.b32 %r2, %p1, -1; st.global.u32 [%out], %r2;`,
  ),
);

const page = `<!doctype html><meta charset="utf-8"><script type="module">
import { Runtime } from './dist/runtime/index.js';
import { tour } from './test/gpu/runtime-tour.mjs';
globalThis.tour = (ptx) => tour(Runtime, ptx);
</script>`;

/**
 * Returns the results of the tour in a new page of this browser. The page loads the modules of
 * `dist`.
 */
export async function tourIn(browser: Browser): Promise<unknown> {
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://localhost').pathname);
    if (path === '/') return void response.writeHead(200, { 'content-type': 'text/html' }).end(page);
    if (!/^\/(dist\/.*|test\/gpu\/runtime-tour)\.m?js$/.test(path)) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'text/javascript' }).end(readFileSync(join(root, path)));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const tab = await browser.newPage();
  try {
    await tab.goto(`http://127.0.0.1:${port}/`);
    await tab.waitForFunction('"tour" in globalThis');
    return await tab.evaluate(`tour(${JSON.stringify(tourKernels)})`);
  } finally {
    await tab.close();
    server.closeAllConnections();
    server.close();
  }
}

export const toured = {
  saxpy: Array.from({ length: 100 }, (_, i) => (3 * i) / 8 + 0.5),
  followed: [2 / 8, 0.5],
  replayed: [15],
  trap: expect.stringMatching(
    /^KernelError: stop: tour\.ptx:\d+:\d+: error\[RUN013\]: a thread trapped, block: \[1,0,0\], thread: \[8,0,0\]/,
  ),
  contained: [16],
  vote: 0x22222222,
  printed: [],
  leaks: [128],
};
