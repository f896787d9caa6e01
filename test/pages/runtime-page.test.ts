// The pages of docs/guides/run-cuda-in-a-page.md and the examples of docs/guides/share-buffers.md,
// created as the guides describe, built by Vite, and opened in a headless browser.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'puppeteer';
import { build, type PreviewServer, preview } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser } from './demo-page.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
// Git ignores this folder.
const folder = join(root, 'reports', `runtime-page-${process.pid}`);
const text = readFileSync(join(root, 'docs/guides/run-cuda-in-a-page.md'), 'utf8');

/** Returns the text of a file that the guide shows. */
const fileOf = (name: string): string =>
  new RegExp(`^\`${name.replace('.', '\\.')}\`:\\n\\n\`\`\`\\w+\\n([\\s\\S]*?)^\`\`\``, 'm').exec(text)?.[1] ?? '';

/** The examples of docs/guides/share-buffers.md. */
const shared = ['typegpu.js', 'three.js'];

/** The pages for the other files. Each page exposes the values that its test needs. */
const pages: Readonly<Record<string, string>> = {
  'worker.html': `<!doctype html><pre id="out"></pre><script type="module">
const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
worker.onmessage = ({ data }) => { document.querySelector('#out').textContent = data.join(', '); };
worker.onerror = ({ message }) => { document.querySelector('#out').textContent = message; };
worker.postMessage({ ptx: await (await fetch('saxpy.ptx')).text(), numbers: Float32Array.of(1, 2, 3) });
</script>`,
  'tools.html': `<!doctype html><pre id="out"></pre><script type="module">
import { Runtime } from 'lanewise/runtime';
const rt = await Runtime.open({ sanitize: { onReport() {} } });
const mod = await rt.load(await (await fetch('reverse.ptx')).text(), { file: 'reverse.ptx' });
const problems = await mod.check();
const [x, y] = [rt.alloc(256), rt.alloc(256)];
x.write(Int32Array.from({ length: 64 }, (_, index) => index));
const capture = rt.capture();
mod.kernel('reverse').launch({ grid: 1, block: 64 }, [x, y]);
const { cases } = await capture.end();
const reports = await rt.sanitized();
// Runs a kernel that needs a part of the compiler that a page loads on use.
const computed = async (block, code) => {
  const params = '.reg .b32 %r<9>; .reg .f64 %x; .reg .b64 %p; ld.param.u64 %p, [p];';
  const entry = '.visible .entry k(.param .u64 p) {' + params + code + ' ret; }';
  const result = rt.alloc(8);
  result.write(Float64Array.of(1));
  const loaded = await rt.load('.version 7.0\\n.target sm_80\\n.address_size 64\\n' + entry);
  loaded.kernel('k').launch({ grid: 1, block }, [result]);
  return result;
};
const third = await computed(1, 'ld.global.f64 %x, [%p]; div.rn.f64 %x, %x, 0d4008000000000000; st.global.f64 [%p], %x;');
const [quotient] = await third.read(Float64Array);
const power = await computed(1, 'mov.b32 %r1, 0x40003c00; ex2.approx.f16x2 %r1, %r1; st.global.b32 [%p], %r1;');
const [powers] = await power.read(Uint32Array);
const ones = await computed(32, 'mov.b32 %r1, 0x3c003c00; mov.b32 %r2, 0; mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r3, %r4}, {%r1, %r1}, {%r1}, {%r2, %r2}; st.global.b32 [%p], %r3;');
const [product] = await ones.read(Uint32Array);
document.querySelector('#out').textContent = JSON.stringify({
  problems: problems.length,
  files: cases.map(({ file }) => file),
  quotient,
  powers,
  product,
  lines: reports.map(({ place, finding }) => [place.file, place.line, finding.code]),
});
</script>`,
  'typegpu.html': '<!doctype html><pre id="out"></pre><script type="module" src="/typegpu.js"></script>',
  'three.html': `<!doctype html><canvas width="64" height="64"></canvas><script type="module">
import { heights, renderer } from './three.js';
globalThis.heightsNow = async () => [...new Float32Array(await renderer.getArrayBufferAsync(heights))];
</script>`,
  // The page's buffer has only the usage STORAGE, so no command can copy from it.
  'draw.html': `<!doctype html><style>body { margin: 0 } canvas { display: block }</style>
<canvas width="64" height="64"></canvas><script type="module" src="/draw.js"></script>`,
};

describe.skipIf(!existsSync(join(root, 'dist/runtime/index.js')))(
  'the pages of docs/guides/run-cuda-in-a-page.md',
  () => {
    let site: PreviewServer;
    let browser: Browser;
    let page: Page;
    const errors: string[] = [];

    beforeAll(async () => {
      mkdirSync(join(folder, 'public'), { recursive: true });
      for (const name of ['index.html', 'main.js', 'worker.js', 'draw.js'])
        writeFileSync(join(folder, name), fileOf(name));
      for (const [name, html] of Object.entries(pages)) writeFileSync(join(folder, name), html);
      for (const name of shared) copyFileSync(join(root, 'docs/examples', name), join(folder, name));
      for (const name of ['saxpy.ptx', 'paint.ptx', 'reverse.ptx'])
        copyFileSync(join(root, 'docs/examples', name), join(folder, 'public', name));
      // Resolves the package name as for an installed package.
      const resolve = { alias: { 'lanewise/runtime': join(root, 'dist/runtime/index.js') } };
      const config = { root: folder, configFile: false, logLevel: 'error', resolve } as const;
      const input = ['index.html', ...Object.keys(pages)].map((name) => join(folder, name));
      await build({
        ...config,
        build: { target: 'esnext', rolldownOptions: { input } },
        worker: { format: 'es' },
      });
      site = await preview({ ...config, preview: { host: '127.0.0.1', port: 0 } });
      browser = await launchBrowser();
      page = await browser.newPage();
      await page.evaluateOnNewDocument(makeCanvasesTextures);
      page.on('pageerror', (error) => errors.push(String(error)));
      page.on('console', (message) => {
        // Chrome requests an icon, which does not exist.
        if (!message.text().includes('404')) errors.push(message.text());
      });
    });
    afterAll(async () => {
      await browser?.close();
      await site?.close();
      rmSync(folder, { recursive: true, force: true });
    });

    const openPage = (name: string) => page.goto(`${site.resolvedUrls?.local[0] ?? ''}${name}`);
    const printed = async () => {
      await page.waitForFunction('document.querySelector("#out").textContent !== ""', { timeout: 60_000 });
      return await page.$eval('#out', (element) => element.textContent);
    };

    test('shows the result of a kernel', async () => {
      await openPage('');
      expect(await printed()).toBe('1, 3, 5, 7');
      expect(errors).toEqual([]);
    });

    test('keeps its translation in IndexedDB, and uses it after a reload', async () => {
      await expect.poll(() => page.evaluate(keptEntries), { timeout: 30_000 }).toHaveLength(1);
      const [before] = await page.evaluate(keptEntries);
      await page.reload();
      expect(await printed()).toBe('1, 3, 5, 7');
      // The size is the same and the last use is later, so the reloaded page has read the stored
      // text.
      const [after] = await page.evaluate(keptEntries);
      expect(after?.size).toBe(before?.size);
      expect(after?.used).toBeGreaterThan(before?.used ?? Number.POSITIVE_INFINITY);
      expect(errors).toEqual([]);
    });

    test('checks, captures and sanitizes a launch', async () => {
      await openPage('tools.html');
      expect(JSON.parse((await printed()) ?? '')).toEqual({
        problems: 0,
        files: ['reverse-1.json'],
        quotient: 1 / 3,
        // Pairs of f16: the powers of two (2, 4), and twice 8, a sum of eight products 1 * 1.
        powers: 0x4400_4000,
        product: 0x4800_4800,
        lines: [
          ['reverse.cu', 3, 'RUN010'],
          ['reverse.cu', 5, 'RUN010'],
          ['reverse.cu', 5, 'RUN007'],
        ],
      });
      expect(errors).toEqual([]);
    });

    test('computes in a worker', async () => {
      await openPage('worker.html');
      expect(await printed()).toBe('2, 4, 6');
      expect(errors).toEqual([]);
    });

    test.each(shared)('the guide shows %s', (name) => {
      const guide = readFileSync(join(root, 'docs/guides/share-buffers.md'), 'utf8');
      expect(guide).toContain(readFileSync(join(root, 'docs/examples', name), 'utf8'));
    });

    test('shares buffers with TypeGPU', async () => {
      await openPage('typegpu.html');
      expect(await printed()).toBe('1, 3, 5, 7');
      expect(errors).toEqual([]);
    });

    test('draws with the page’s own device from the buffer that a kernel wrote, without a copy', async () => {
      await openPage('draw.html');
      const colors = () => page.evaluate(colorsOf, [[0, 0], [0, 10], [63, 63]]); // biome-ignore format: one line
      // Red and green are the same in all frames.
      await expect.poll(colors, { timeout: 60_000 }).toEqual([[32, 0], [32, 40], [32, 252]]); // biome-ignore format: one line
      expect(errors).toEqual([]);
    });

    test('moves the points that Three.js draws', async () => {
      await openPage('three.html');
      const heights = async () => {
        const now = (await page.evaluate('heightsNow()')) as number[];
        return now.map((height) => height / (now[32] ?? Number.NaN));
      };
      const expected = Array.from({ length: 64 }, (_, at) => expect.closeTo(at / 32, 4));
      await page.waitForFunction('globalThis.heightsNow !== undefined', { timeout: 60_000 });
      await expect.poll(heights, { timeout: 60_000 }).toEqual(expected);
      // The first point stays in the middle of its column, between two rows. The last point leaves
      // these rows.
      const red = async () => {
        const colors = await page.evaluate(colorsOf, [[0, 31], [0, 32], [63, 31], [63, 32]]); // biome-ignore format: one line
        const [first = 0, second = 0, ...last] = colors.map(([value]) => value ?? Number.NaN);
        return [Math.max(first, second), ...last];
      };
      await expect.poll(red, { timeout: 60_000 }).toEqual([255, 0, 0]);
      expect(errors).toEqual([]);
    });
  },
);

/** Runs in the page. Returns the sizes and the times of the last use of the kept translations. */
async function keptEntries(): Promise<{ size: number; used: number }[]> {
  const names = (await indexedDB.databases()).map(({ name }) => name);
  if (!names.includes('lanewise')) return [];
  const request = indexedDB.open('lanewise');
  const db = await new Promise<IDBDatabase>((resolve) => {
    request.onsuccess = () => resolve(request.result);
  });
  const all: IDBRequest<{ size: number; used: number }[]> = db.transaction('entries').objectStore('entries').getAll();
  await new Promise((resolve) => {
    all.onsuccess = resolve;
  });
  db.close();
  return all.result;
}

/**
 * Runs in the page before its own scripts. It replaces canvases by textures, because a headless
 * browser's software adapter cannot present canvases.
 */
function makeCanvasesTextures(): void {
  let drawn: { device: GPUDevice; texture: GPUTexture } | undefined;
  const context = {
    configure({ device, format }: GPUCanvasConfiguration) {
      const usage = GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC;
      drawn = { device, texture: device.createTexture({ size: [64, 64], format, usage }) };
    },
    getCurrentTexture: () => drawn?.texture,
    drawn: () => drawn,
  };
  Object.assign(HTMLCanvasElement.prototype, { getContext: () => context });
  Object.assign(globalThis, { canvasContext: context });
}

declare global {
  var canvasContext: { drawn(): { device: GPUDevice; texture: GPUTexture } | undefined };
}

/** Runs in the page. Returns red and green of some pixels of its canvas. */
async function colorsOf(places: readonly (readonly number[])[]): Promise<number[][]> {
  await new Promise(requestAnimationFrame);
  const { device, texture } = canvasContext.drawn() ?? {};
  if (!device || !texture) return [];
  const buffer = device.createBuffer({ size: 4 * 64 * 64, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const encoder = device.createCommandEncoder();
  encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: 256 }, [64, 64]);
  device.queue.submit([encoder.finish()]);
  await buffer.mapAsync(GPUMapMode.READ);
  const bytes = new Uint8Array(buffer.getMappedRange());
  const red = texture.format === 'bgra8unorm' ? 2 : 0;
  return places.map(([x = 0, y = 0]) => [red, 1].map((at) => bytes[4 * (y * 64 + x) + at] ?? -1));
}
