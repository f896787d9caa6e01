// Tests that a built module launches its kernels without the translator.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BuildCommandOptions, buildCommand } from '../../src/cli/build.ts';
import type { Runtime } from '../../src/runtime/node.ts';
import { kernelOf, moduleOf } from '../runtime-ptx.ts';
import { hasSwiftShader, openRuntime } from './runtime-support.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
// Git ignores this folder.
const folder = join(root, 'reports', `runtime-build-${process.pid}`);
const saxpy = join(root, 'docs/examples/saxpy');

const err = () => undefined;
const build = (file: string, output: string, options: Partial<BuildCommandOptions> = {}) =>
  buildCommand(file, { block: [{ value: [64, 1, 1] }], output, float: 'exact', ...options }, { err });

describe.skipIf(!hasSwiftShader)('lanewise build', () => {
  let rt: Runtime;
  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    rt = await openRuntime();
  });
  afterAll(() => {
    rt.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('launches a kernel with named and typed arguments', async () => {
    const output = join(folder, 'saxpy.js');
    expect(await build(`${saxpy}.ptx`, output, { params: [{ value: ['n', 'a', 'x', 'y'] }] })).toBe(0);
    expect(readFileSync(join(folder, 'saxpy.d.ts'), 'utf8')).toContain(
      'export declare const saxpy: Kernel<[n: number | boolean, a: number, x: Pointer, y: Pointer]>;',
    );
    const { launch, prepare, check, saxpy: run } = await import(pathToFileURL(output).href);
    const { device } = rt;
    const [x, y] = [rt.alloc(400), rt.alloc(400)];
    x.write(Float32Array.from({ length: 100 }, (_, index) => index));
    y.write(new Float32Array(100).fill(1));
    rt.flush();
    expect(() => run(device, { grid: 2 }, [])).toThrow(/saxpy is not prepared: await prepare\(device\) first/);
    await prepare(device);
    expect(run.block).toEqual([64, 1, 1]);
    run(device, { grid: 2 }, [100, 2, x.buffer.buffer, y.buffer.buffer]);
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    launch(device, 'saxpy', { grid: [2], pass }, [50, 1, x.buffer.buffer, y.buffer.buffer]);
    pass.end();
    device.queue.submit([encoder.finish()]);
    await check(device);
    const out = await y.read(Float32Array);
    expect([out[0], out[10], out[49], out[50], out[99]]).toEqual([1, 31, 148, 101, 199]);
    expect(() => launch(device, 'saxpy', { grid: 1 }, [1])).toThrow(
      /saxpy requires \.u32 n, \.f32 a, \.u64 x, \.u64 y/,
    );
    expect(() => launch(device, 'saxpy', { grid: 1 }, [0.5, 1, x.buffer, y.buffer])).toThrow(
      /saxpy: invalid \.u32 n: 0.5/,
    );
    expect(() => launch(device, 'other', { grid: 1 }, [])).toThrow(/no kernel other; kernels: saxpy/);
    x.free();
    y.free();
  });

  test('launches kernels whose names objects inherit', async () => {
    const names = ['constructor', 'toString', '__proto__', 'hasOwnProperty'];
    const file = join(folder, 'names.ptx');
    const kernels = names.map((name, index) => kernelOf(name, ['u64 out'], `st.global.u32 [%out], ${index + 1};`));
    writeFileSync(file, moduleOf(...kernels));
    const output = join(folder, 'names.js');
    expect(await build(file, output)).toBe(0);
    const { launch, prepare, check } = await import(pathToFileURL(output).href);
    const out = rt.alloc(4);
    rt.flush();
    await prepare(rt.device);
    for (const [index, name] of names.entries()) {
      launch(rt.device, name, { grid: 1 }, [out.buffer.buffer]);
      expect([...(await out.read(Uint32Array))]).toEqual([index + 1]);
    }
    await check(rt.device);
    expect(() => launch(rt.device, 'valueOf', { grid: 1 }, [])).toThrow(/no kernel valueOf; kernels: constructor/);
    out.free();
  });

  test('names its input in a comment that the name cannot end', async () => {
    const name = 'const plans\n*:globalThis.injected = 1;\u2028globalThis.injected = 1;.ptx';
    const file = join(folder, name);
    writeFileSync(file, readFileSync(`${saxpy}.ptx`));
    expect(await build(file, join(folder, 'injected.js'))).toBe(0);
    const { launch } = await import(pathToFileURL(join(folder, 'injected.js')).href);
    expect([typeof launch, 'injected' in globalThis]).toEqual(['function', false]);
  });

  const hasNvcc = spawnSync('nvcc', ['--version']).status === 0;
  test.runIf(hasNvcc)('accepts CUDA C++, and passes on the compiler’s messages', async () => {
    expect(await build(`${saxpy}.cu`, join(folder, 'cuda.js'))).toBe(0);
    expect(existsSync(join(folder, 'cuda.js'))).toBe(true);
    await expect(build(join(root, 'docs/examples/none.cu'), join(folder, 'none.js'))).rejects.toThrow(/cannot read/);
  });

  test('launches grids that are wider than a dispatch', async () => {
    const file = join(folder, 'far.ptx');
    const body =
      'mov.u32 %r1, %nctaid.x; mov.u32 %r2, %ctaid.y; mad.lo.u32 %r3, %r1, %r2, %i; st.global.u32 [%out], %r1;' +
      'atom.global.max.u32 %r4, [%out+4], %r3; atom.global.add.u32 %r4, [%out+8], 1;';
    writeFileSync(file, moduleOf(kernelOf('far', ['u64 out'], body)));
    const output = join(folder, 'far.js');
    expect(await build(file, output, { block: [{ value: [1, 1, 1] }] })).toBe(0);
    const { far, prepare, check } = await import(pathToFileURL(output).href);
    const out = rt.alloc(16);
    rt.flush();
    await prepare(rt.device);
    for (const [x, y] of [
      [70_001, 2],
      [7, 3],
    ] as const) {
      out.write(new Uint32Array(3));
      rt.flush();
      far(rt.device, { grid: [x, y] }, [out.buffer]);
      await check(rt.device);
      expect([...(await out.read(Uint32Array, 3))]).toEqual([x, x * y - 1, x * y]);
    }
    out.free();
  });

  test('refuses kernels that need more than the buffers of their parameters', async () => {
    const file = join(folder, 'counter.ptx');
    const body = 'mov.u64 %s1, total; atom.global.add.u32 %r1, [%s1], 1;';
    writeFileSync(file, moduleOf('.visible .global .u32 total;', kernelOf('count', [], body)));
    await expect(build(file, join(folder, 'counter.js'))).rejects.toThrow(/LW2011: `count` uses addresses as numbers/);
    await expect(build(`${saxpy}.ptx`, join(folder, 'saxpy.txt'))).rejects.toThrow(/must end in \.js/);
  });

  test('refuses a number that may be a pointer, and accepts a declared or converted pointer', async () => {
    const load = 'ld.global.u8 %r1, [%s1]; add.s64 %s9, %out, %at; st.global.u32 [%s9], %r1;';
    const held = 'mul.wide.u32 %s2, %i, 8; add.s64 %s2, %in, %s2; ld.global.u64 %s3, [%s2];';
    const kernel = (name: string, address: string) =>
      moduleOf(kernelOf(name, ['u64 x', 'u64 in', 'u64 out'], `${held} ${address} ${load}`));
    const [file, output] = [join(folder, 'unclear.ptx'), join(folder, 'unclear.js')];
    // Either operand may be the address.
    writeFileSync(file, kernel('unclear', 'add.s64 %s1, %s3, %x;'));
    await expect(build(file, output)).rejects.toThrow(
      /PTX does not show whether `unclear_x` of `unclear` is a number added to an address/,
    );
    const clear = [
      kernel('unclear', 'add.s64 %s1, %s3, %x;').replace('.param .u64 unclear_x', '.param .u64 .ptr .global unclear_x'),
      kernel('unclear', 'cvta.to.global.u64 %s4, %x; add.s64 %s1, %s4, %s3;'),
    ];
    const [x, index, out] = [rt.alloc(64), rt.alloc(32), rt.alloc(16)];
    x.write(Uint8Array.from({ length: 64 }, (_, at) => 3 * at));
    index.write(BigInt64Array.of(7n, 0n, 63n, 20n));
    rt.flush();
    for (const [at, text] of clear.entries()) {
      writeFileSync(file, text);
      const own = output.replace('.js', `${at}.js`);
      expect(await build(file, own)).toBe(0);
      const { launch, prepare, check } = await import(pathToFileURL(own).href);
      await prepare(rt.device);
      out.write(new Uint32Array(4));
      rt.flush();
      launch(rt.device, 'unclear', { grid: 1 }, [x.buffer, index.buffer, out.buffer]);
      await check(rt.device);
      expect([...(await out.read(Uint32Array))]).toEqual([21, 0, 189, 60]);
      expect(() => launch(rt.device, 'unclear', { grid: 1 }, [0, index.buffer, out.buffer])).toThrow(
        /unclear: invalid x: expected a GPUBuffer/,
      );
    }
    for (const each of [x, index, out]) each.free();
  });
});
