// The plugin for bundlers, in Vite.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, createServer, type InlineConfig } from 'vite';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { PluginOptions } from '../../../src/plugin/plugin.ts';
import lanewise from '../../../src/plugin/vite.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const hasCompiler = spawnSync('nvcc', ['--version']).error === undefined;
const isBuilt = existsSync(join(root, 'dist/bundle/launcher.js'));

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lanewise-plugin-'));
  for (const name of ['saxpy.cu', 'saxpy.ptx', 'reverse.ptx'])
    cpSync(join(root, 'docs/examples', name), join(folder, name));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const configOf = (options?: PluginOptions): InlineConfig => ({
  root: folder,
  configFile: false,
  logLevel: 'silent',
  plugins: [lanewise(options)],
});

/** Builds a program with Vite. Returns its code. */
async function bundle(code: string, options?: PluginOptions): Promise<string> {
  write('main.js', code);
  const lib = { entry: join(folder, 'main.js'), formats: ['es' as const], fileName: 'main' };
  const written = await build({ ...configOf(options), build: { write: false, minify: false, lib } });
  const [result] = [written].flat();
  if (!result || !('output' in result)) throw new Error('Vite returned no output');
  return result.output[0].code;
}

/** Builds a program that must fail. Returns Vite's error. */
async function failure(code: string): Promise<{ id?: string; loc?: object; frame?: string; message: string }> {
  const error = await bundle(code).catch((reason: unknown) => reason);
  if (!(error instanceof Error)) throw new Error('the build succeeds');
  const [first = error] = 'errors' in error && Array.isArray(error.errors) ? error.errors : [];
  return first;
}

const use = (from: string): string => `import { saxpy } from '${from}';\nconsole.log(saxpy);\n`;

describe.skipIf(!isBuilt)('an import of PTX', () => {
  test('becomes a built module with the block size of the query', async () => {
    const code = await bundle(use('./saxpy.ptx?block=128'));
    expect(code).toMatch(/@workgroup_size\(128/);
    expect(code).toContain('built.kernel("saxpy")');
  });

  test('accepts the options of `build`, several times if the command does', async () => {
    const query = 'block=reverse=64&block=256&plan=native&plan=portable&readable';
    const code = await bundle(`export * from './reverse.ptx?${query}';`);
    expect(code).toContain('// ');
    expect(code).toMatch(/@workgroup_size\(64/);
    expect(code).not.toMatch(/@workgroup_size\(256/);
  });

  test('differs from an import with another query', async () => {
    const code = await bundle(
      "export { saxpy } from './saxpy.ptx?block=64';\nexport { saxpy as wide } from './saxpy.ptx?block=512';",
    );
    expect(code).toMatch(/@workgroup_size\(64/);
    expect(code).toMatch(/@workgroup_size\(512/);
  });

  test('leaves an import of the text to Vite', async () => {
    const code = await bundle("import text from './saxpy.ptx?raw';\nconsole.log(text);");
    expect(code).toContain('.visible .entry');
    expect(code).not.toContain('@workgroup_size');
  });

  test('has types for each query', async () => {
    const path = 'saxpy.ptx.lanewise.d.ts';
    await bundle(use('./saxpy.ptx?block=256'));
    await bundle(use('./saxpy.ptx?block=256&params=count,factor,from,to'));
    const text = read(path);
    await bundle(use('./saxpy.ptx?block=256'));
    expect(read(path)).toBe(text);
    expect(text.match(/^declare module .*/gm)).toEqual([
      "declare module '*/saxpy.ptx?block=256&params=count,factor,from,to' {",
      "declare module '*/saxpy.ptx?block=256' {",
    ]);
    const call = (args: string): string =>
      `import { saxpy } from './saxpy.ptx?block=256';
export const run = (device: GPUDevice, x: GPUBuffer): void => saxpy(device, { grid: 4 }, [${args}]);\n`;
    write('right.ts', call('1000, 2, x, x'));
    write('wrong.ts', call('1000, x, x, x'));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const flags = ['--noEmit', '--strict', '--ignoreConfig', '--module', 'esnext', '--moduleResolution', 'bundler'];
    const { stdout } = spawnSync(process.execPath, [tsc, ...flags, 'right.ts', 'wrong.ts', path], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(stdout.match(/^\S.*error TS\d+/gm)).toEqual([expect.stringMatching(/^wrong\.ts.*error TS2322/)]);
  });

  test('writes no types with `types: false`', async () => {
    await bundle(use('./saxpy.ptx?block=256'), { types: false });
    expect(existsSync(join(folder, 'saxpy.ptx.lanewise.d.ts'))).toBe(false);
  });

  test('fails with the place of an error in the PTX', async () => {
    const lines = read('saxpy.ptx').split('\n');
    const at = lines.findIndex((line) => line.includes('fma.rn.f32'));
    const column = (lines[at]?.indexOf('fma') ?? 0) + 1;
    write('saxpy.ptx', lines.join('\n').replace('fma.rn.f32', 'fma.rm.q32'));
    const { message, loc, frame, id } = await failure(use('./saxpy.ptx?block=256'));
    expect(message).toMatch(/PTX\d+: /);
    expect(id).toBe(join(folder, 'saxpy.ptx?block=256'));
    expect(loc).toMatchObject({ file: join(folder, 'saxpy.ptx'), line: at + 1 });
    expect(Math.abs((loc as { column: number }).column - column)).toBeLessThan(10);
    expect(frame).toMatch(/fma\.rm\.q32[\s\S]*\^/);
  });

  test.each([
    ['', /the block size of saxpy is unknown: .*`\?block=256` to its import/],
    ['?block=none', /\?block=none: option '--block .*' argument 'none' is invalid/],
    ['?blok=256', /\?blok=256: unknown option '--blok'.*--block/s],
    ['?block=256&entry=sum', /sum/],
  ])('rejects the query %j', async (query, message) => {
    expect((await failure(use(`./saxpy.ptx${query}`))).message).toMatch(message);
  });
});

describe.skipIf(!isBuilt || !hasCompiler)('an import of CUDA C++', () => {
  test('is compiled again after a change of an included file', async () => {
    write('factor.cuh', '#define FACTOR 3\n');
    write('scale.cu', '#include "factor.cuh"\n__global__ void scale(int *x) { x[threadIdx.x] *= FACTOR; }\n');
    write('main.js', "import './scale.cu?block=32';\nimport.meta.hot?.accept('./scale.cu?block=32', () => {});\n");
    // Without a watcher, the file system's own events cannot invalidate the module a second time,
    // later.
    const server = await createServer({ ...configOf(), server: { middlewareMode: true, ws: false, watch: null } });
    try {
      const { client } = server.environments;
      const codeOf = async (url: string) => (await client.transformRequest(url))?.code ?? '';
      const [, url = ''] = /"(\/scale\.cu[^"]*)"/.exec(await codeOf('/main.js')) ?? [];
      expect(await codeOf(url)).toContain('*3u');
      const module = await client.moduleGraph.getModuleByUrl('/scale.cu?block=32');
      const update = vi.spyOn(client.hot, 'send');
      for (const [name, text, result] of [
        ['factor.cuh', '#define FACTOR 5\n', '*5u'],
        ['scale.cu', read('scale.cu').replace('FACTOR', '(FACTOR + 1)'), '*6u'],
      ] as const) {
        expect(module?.transformResult?.code).not.toContain(result);
        write(name, text);
        server.watcher.emit('change', join(folder, name));
        await expect.poll(() => module?.transformResult, { timeout: 30_000 }).toBeNull();
        expect(await codeOf(url)).toContain(result);
      }
      expect(JSON.stringify(update.mock.calls)).toContain('"acceptedPath":"/scale.cu?block=32"');
    } finally {
      await server.close();
    }
  });

  test('fails with the line that the compiler names', async () => {
    write('bad.cu', '__global__ void saxpy(int *x) {\n  *x = nothing;\n}\n');
    const { message, loc } = await failure(use('./bad.cu?block=32'));
    expect(message).toMatch(/nvcc does not compile [\s\S]*"nothing" is undefined/);
    expect(loc).toMatchObject({ file: join(folder, 'bad.cu'), line: 2 });
  });

  test('fails with the CUDA line of an instruction that is not supported', async () => {
    write(
      'stop.cu',
      '__global__ void saxpy(int *x) {\n  *x = 1;\n  asm volatile("st.mmio.relaxed.sys.global.u32 [%0], 1;" :: "l"(x));\n}\n',
    );
    const { message, loc, frame } = await failure(use('./stop.cu?block=32'));
    expect(message).toMatch(/PTX0802: `\.mmio`/);
    expect(loc).toMatchObject({ file: join(folder, 'stop.cu'), line: 3 });
    expect(frame).toContain('compiled from');
  });
});
