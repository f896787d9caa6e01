// The sizes of built modules: the guide's numbers are correct, and two kernels need less than 10
// kB.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { buildKernels } from '../../../src/build/build-kernels.ts';
import { writeJavaScript } from '../../../src/build/write-module.ts';
import { parseModule } from '../../../src/harness/executors/load-kernel.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const guide = readFileSync(join(root, 'docs/guides/build-without-the-translator.md'), 'utf8');

const kernelsOf = (file: string, threads: number) =>
  buildKernels(parseModule(readFileSync(join(root, file), 'utf8'), file), {
    block: [{ value: [threads, 1, 1] }],
    float: 'exact',
  });

const modules: Readonly<Record<string, () => ReturnType<typeof kernelsOf>>> = {
  '`paint`, integers': () => kernelsOf('docs/examples/paint.ptx', 256),
  '`reverse`, a warp shuffle': () => kernelsOf('docs/examples/reverse.ptx', 32),
  '`saxpy`, exact f32': () => kernelsOf('docs/examples/saxpy.ptx', 256),
  '`saxpy` and `reverse` in one module': () => [
    ...kernelsOf('docs/examples/saxpy.ptx', 256),
    ...kernelsOf('docs/examples/reverse.ptx', 32),
  ],
};

describe.skipIf(!existsSync(join(root, 'dist/bundle/launcher.js')))('the size of a built module', () => {
  const rows = [...guide.matchAll(/^\| (`.+?) \| ([\d,]+) \| ([\d,]+) \|$/gm)].map(([, name = '', bytes, gzipped]) => ({
    name,
    sizes: [bytes, gzipped].map((text) => Number(text?.replace(',', ''))),
  }));

  test('is in the guide for each module', () => {
    expect(rows.map(({ name }) => name)).toEqual(Object.keys(modules));
  });

  test.each(rows)('$name', ({ name, sizes }) => {
    const { js } = writeJavaScript(modules[name]?.() ?? [], { source: 'kernels.ptx', readable: false });
    const measured = [Buffer.byteLength(js), gzipSync(js).length];
    const rounded = measured.map((bytes) => Math.round(bytes / 100) / 10);
    expect(measured[1]).toBeLessThan(10_000);
    for (const [at, size] of sizes.entries())
      expect(Math.abs((measured[at] ?? 0) / size - 1), `measured ${rounded} kB`).toBeLessThan(0.03);
  });
});
