// The plugin in each bundler: the same program becomes the same kernels, and their results are
// correct on a device.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { buildKernels } from '../../../src/build/build-kernels.ts';
import { writeJavaScript } from '../../../src/build/write-module.ts';
import { parseModule } from '../../../src/harness/executors/load-kernel.ts';
import { openFake } from '../runtime/fake-runtime.ts';
import { bundlers } from './bundlers.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

const program = `export * from './kernels/saxpy.ptx?block=64&params=n,a,x,y';
import { saxpy } from './kernels/saxpy.ptx?block=128';
export const otherBlock = saxpy.block;
`;

const ptx = readFileSync(join(root, 'docs/examples/saxpy.ptx'), 'utf8');
const count = 100;
const expected = Array.from({ length: count }, (_, index) => 2 * index + 1);

/**
 * Runs the kernel of a module on a device in memory. Returns the result and the shaders that it
 * compiles.
 */
async function run(module: string): Promise<{ readonly result: number[]; readonly shaders: unknown[] }> {
  const { check, prepare, saxpy } = await import(pathToFileURL(module).href);
  const { rt } = await openFake({ features: [] });
  const compiled = vi.spyOn(rt.device, 'createShaderModule');
  const [x, y] = [rt.alloc(4 * count), rt.alloc(4 * count)];
  x.write(Float32Array.from({ length: count }, (_, index) => index));
  y.write(new Float32Array(count).fill(1));
  rt.flush();
  await prepare(rt.device);
  saxpy(rt.device, { grid: 2 }, [count, 2, x.buffer, y.buffer]);
  await check(rt.device);
  const result = [...(await y.read(Float32Array))];
  rt.close();
  return { result, shaders: compiled.mock.calls.map(([{ code }]) => code) };
}

/** The place of an error: Vite lists errors, and webpack only prints. */
function placeOf(error: unknown): { readonly line: number; readonly column: number; readonly message: string } {
  if (!(error instanceof Error)) throw new Error('the build succeeds');
  const [first = error] = 'errors' in error && Array.isArray(error.errors) ? error.errors : [];
  const [, line, column] = /saxpy\.ptx:(\d+):(\d+): /.exec(first.message) ?? [];
  const { loc = { line: Number(line), column: Number(column) }, message } = first;
  return { line: loc.line, column: loc.column, message };
}

describe.skipIf(!existsSync(join(root, 'dist/bundle/launcher.js')))('the plugin', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lanewise-bundlers-'));
    mkdirSync(join(folder, 'kernels'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test.each(Object.entries(bundlers))('for %s bundles kernels that compute', async (_, bundle) => {
    writeFileSync(join(folder, 'main.js'), program);
    writeFileSync(join(folder, 'kernels/saxpy.ptx'), ptx);
    await bundle(folder);
    expect(readdirSync(join(folder, 'kernels'))).toEqual(['saxpy.ptx', 'saxpy.ptx.lanewise.d.ts']);
    const output = join(folder, 'out/main.mjs');
    const { saxpy, otherBlock } = await import(pathToFileURL(output).href);
    expect([saxpy.block, otherBlock]).toEqual([
      [64, 1, 1],
      [128, 1, 1],
    ]);
    const bundled = await run(output);
    expect(bundled.result).toEqual(expected);
    const kernels = buildKernels(parseModule(ptx, 'saxpy.ptx'), { block: [{ value: [64, 1, 1] }], float: 'exact' });
    const built = join(folder, 'built.mjs');
    writeFileSync(built, writeJavaScript(kernels, { source: 'saxpy.ptx', readable: false }).js);
    expect(bundled.shaders).toEqual((await run(built)).shaders);
  });

  test.each(Object.entries(bundlers))('for %s reports the place of an error', async (_, bundle) => {
    const line = ptx.split('\n').findIndex((text) => text.includes('fma.rn.f32')) + 1;
    writeFileSync(join(folder, 'main.js'), "import './kernels/saxpy.ptx?block=64';\n");
    writeFileSync(join(folder, 'kernels/saxpy.ptx'), ptx.replace('fma.rn.f32', 'fma.rm.q32'));
    const place = placeOf(await bundle(folder).catch((error: unknown) => error));
    expect(place).toMatchObject({ line, message: expect.stringMatching(/PTX0502.*`\.q32` is not a valid modifier/) });
    expect(place.column).toBeGreaterThan(0);
  });
});
