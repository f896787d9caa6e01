// Promises of docs/reference/runtime.md about the lifetimes of objects and their properties, which
// no other test of this folder checks.
import { expect, test } from 'vitest';
import { KernelError } from '../../../src/runtime/index.ts';
import { addKernel, kernelOf, moduleOf } from '../../runtime-ptx.ts';
import { onEachPlatform, openFake } from './fake-runtime.ts';

const one = { grid: 1, block: 1 } as const;
const header = '.version 8.0\n.target sm_80\n';
const text = moduleOf(
  '.visible .global .align 4 .u32 total = 7;',
  addKernel,
  kernelOf('stop', [], 'trap;'),
  kernelOf('typed', ['u8 a', 'f64 b', 'b32 c', 'u64 to'], 'cvt.u32.u8 %r1, %a; st.global.u32 [%to], %r1;'),
  // Each thread keeps words in local memory, at places that depend on data.
  kernelOf(
    'scratch',
    ['u64 out', 'u32 n'],
    `.local .align 4 .b8 kept[32768]; mov.u64 %s1, kept; and.b32 %r1, %n, 8191; mul.wide.u32 %s2, %r1, 4; add.s64 %s1, %s1, %s2;
  st.local.u32 [%s1], %i; mov.u64 %s3, kept; and.b32 %r2, %thread, 8191; mul.wide.u32 %s4, %r2, 4; add.s64 %s3, %s3, %s4;
  ld.local.u32 %r3, [%s1]; add.s64 %s5, %out, %at; st.global.u32 [%s5], %r3;`,
  ),
  // WGSL lacks 64-bit atomics, so the shader uses locks.
  kernelOf(
    'sum',
    ['u64 to'],
    'cvt.u64.u32 %s1, %i; add.s64 %s1, %s1, 4294967296; atom.global.add.u64 %s2, [%to], %s1;',
  ),
  `.visible .entry half(.param .f16 half_x, .param .bf16 half_y, .param .align 4 .b8 half_pair[8], .param .u64 half_to)
{ .reg .b16 %h<2>; .reg .b32 %r; .reg .b64 %to; ld.param.b16 %h0, [half_x]; ld.param.b16 %h1, [half_y]; ld.param.u64 %to, [half_to];
  st.global.b16 [%to], %h0; st.global.b16 [%to+2], %h1; ld.param.u32 %r, [half_pair+4]; st.global.u32 [%to+4], %r; ret; }
`,
);
const error = (type: string, message: RegExp) =>
  expect.objectContaining({ name: type, message: expect.stringMatching(message) });

onEachPlatform('the reference', (fake) => {
  test('earlier commands may still use memory that is freed', async () => {
    const add = (await fake.rt.load(text)).kernel('add');
    using out = fake.rt.alloc(4);
    const x = fake.rt.alloc(4);
    x.write(Uint32Array.of(5));
    add.launch(one, [x, 1]);
    fake.rt.memcpy(out, x, 4);
    x.free();
    // The freed buffer is not reused for this allocation before the commands have run.
    using other = fake.rt.alloc(4);
    other.write(Uint32Array.of(100));
    expect(await out.read(Uint32Array)).toEqual(Uint32Array.of(6));
    x[Symbol.dispose]();
    expect(() => x.free()).toThrow(error('RangeError', /already freed/));
  });

  test('`write` accepts any view of bytes, and whole buffers', async () => {
    using x = fake.rt.alloc(8);
    const bytes = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);
    x.write(bytes.buffer);
    expect(await x.read(Uint8Array)).toEqual(bytes);
    x.at(2).write(new DataView(bytes.buffer, 6, 2));
    x.at(4).write(bytes.subarray(0, 3));
    expect(await x.read(Uint8Array)).toEqual(Uint8Array.of(1, 2, 7, 8, 1, 2, 3, 8));
    x.at(8).write(new ArrayBuffer(0));
    expect(await x.at(8).read(Uint32Array)).toEqual(new Uint32Array(0));
  });

  test('a later `record` moves an event', async () => {
    using begin = fake.rt.event();
    using end = fake.rt.event();
    begin.record();
    end.record();
    const before = await end.elapsedSince(begin);
    expect(before).toBeGreaterThan(0);
    end.record();
    expect(await end.elapsedSince(begin)).toBeGreaterThan(before);
    begin.record();
    expect(await end.elapsedSince(begin)).toBeLessThan(0);
  });

  test('freed events are refused, and freeing them makes room', async () => {
    const [event, gone] = [fake.rt.event(), fake.rt.event()];
    for (const each of [event, gone]) each.record();
    gone.free();
    gone[Symbol.dispose]();
    await expect(event.elapsedSince(gone)).rejects.toThrow(error('RangeError', /freed/));
    await expect(gone.elapsedSince(event)).rejects.toThrow(error('RangeError', /freed/));
    const stream = fake.rt.stream('copies');
    expect(stream.label).toBe('copies');
    expect(() => stream.wait(gone)).toThrow(error('RangeError', /freed/));
    expect(() => stream.record(gone)).toThrow(error('RangeError', /freed/));
    for (let round = 0; round < 3000; round++) fake.rt.event().free();
    event.free();
  });

  test('an unloaded module refuses every use, and frees its variables', async () => {
    const mod = await fake.rt.load(text);
    const [kernel, total] = [mod.kernel('add'), mod.global('total')];
    expect(await total.read(Uint32Array)).toEqual(Uint32Array.of(7));
    using x = fake.rt.alloc(4);
    kernel.launch(one, [x, 3]);
    mod.unload();
    mod[Symbol.dispose]();
    const gone = error('RangeError', /the module is unloaded/);
    for (const use of [() => mod.kernel('add'), () => mod.global('total'), () => mod.unload(), () => kernel.wgsl({ block: 1 }), () => kernel.launch(one, [x, 1])])
      expect(use).toThrow(gone); // biome-ignore format: one line
    await expect(kernel.prepare({ block: 1 })).rejects.toThrow(gone);
    await expect(mod.prepare([{ kernel: 'add', block: 1 }])).rejects.toThrow(gone);
    await expect(total.read(Uint32Array)).rejects.toThrow(error('RangeError', /freed/));
    // The launch that was submitted before `unload` has run.
    expect(await x.read(Uint32Array)).toEqual(Uint32Array.of(3));
  });

  test('modules that cannot be loaded are refused, and leave no memory allocated', async () => {
    const narrow = `${header}.address_size 32\n.visible .entry k() { ret; }`;
    await expect(fake.rt.load(narrow, { file: 'narrow.ptx' })).rejects.toThrow(
      error('TypeError', /narrow\.ptx has 32-bit addresses: compile it for 64 bits/),
    );
    const { rt } = await openFake({ limits: { maxBufferSize: 1 << 20, maxStorageBufferBindingSize: 1 << 20 } });
    const large = moduleOf('.visible .global .align 4 .b8 much[2097152];', addKernel);
    await expect(rt.load(large)).rejects.toThrow(expect.objectContaining({ kind: 'out-of-memory' }));
    await rt.load(text);
    expect(rt.close()).toEqual([]);
  });

  test('a kernel lists its parameters with their kinds, types and sizes', async () => {
    const mod = await fake.rt.load(text);
    expect(mod.kernels).toEqual(['add', 'stop', 'typed', 'scratch', 'sum', 'half']);
    expect(mod.kernel('typed').name).toBe('typed');
    expect(mod.kernel('typed').parameters).toEqual([
      { index: 0, name: 'typed_a', kind: 'integer', type: '.u8', bytes: 1 },
      { index: 1, name: 'typed_b', kind: 'float', type: '.f64', bytes: 8 },
      { index: 2, name: 'typed_c', kind: 'open', type: '.b32', bytes: 4 },
      { index: 3, name: 'typed_to', kind: 'pointer', type: '.u64', bytes: 8 },
    ]);
  });

  test('the error of a kernel that stopped has its file and diagnostics', async () => {
    const mod = await fake.rt.load(text, { file: 'stop.ptx' });
    mod.kernel('stop').launch(one, []);
    const failure = await fake.rt.synchronize().catch((thrown: unknown) => thrown);
    if (!(failure instanceof KernelError)) throw failure;
    expect(failure.kind).toBe('failed');
    expect(failure.source.file).toBe('stop.ptx');
    expect(failure.diagnostics.map(({ code }) => code)).toEqual(['RUN013']);
    expect(failure.render(true)).toContain('\u001b[');
    expect(failure.render(false)).not.toContain('\u001b[');
  });

  test('kernels with large local memory run with grids of several sizes, but not with a huge one', async () => {
    const kernel = (await fake.rt.load(text)).kernel('scratch');
    using out = fake.rt.alloc(4 * 12);
    const shape = (grid: number) => ({ grid, block: 4 });
    for (const grid of [1, 3, 2]) {
      kernel.launch(shape(grid), [out, 5]);
      const threads = Array.from({ length: 4 * grid }, (_, thread) => thread);
      expect([...(await out.read(Uint32Array, 4 * grid))]).toEqual(threads);
    }
    expect(() => kernel.launch(shape(60_000), [out, 5])).toThrow(
      expect.objectContaining({ kind: 'out-of-memory', message: expect.stringMatching(/local memory for its grid/) }),
    );
  });

  test('64-bit atomics add up over blocks and launches', async () => {
    const kernel = (await fake.rt.load(text)).kernel('sum');
    using to = fake.rt.alloc(8);
    for (let round = 0; round < 2; round++) kernel.launch({ grid: 2, block: 8 }, [to]);
    expect(await to.read(BigUint64Array)).toEqual(BigUint64Array.of(2n * (120n + 16n * 2n ** 32n)));
  });

  test('arguments may be small floats, structs and bigints, if they fit the parameter', async () => {
    const mod = await fake.rt.load(text);
    using to = fake.rt.alloc(8);
    mod.kernel('half').launch(one, [1.5, -2, Uint32Array.of(3, 4), to]);
    expect(await to.read(Uint16Array)).toEqual(Uint16Array.of(0x3e00, 0xc000, 4, 0));
    expect(() => mod.kernel('half').launch(one, [1.5, -2, 7, to])).toThrow(
      /expected the 8 bytes of a struct or array, got 7/,
    );
    const c = Uint32Array.of(0);
    mod.kernel('typed').launch(one, [255n, 0, c, to]);
    expect(await to.read(Uint32Array, 1)).toEqual(Uint32Array.of(255));
    mod.kernel('typed').launch(one, [-1n, 0, c, to]);
    expect(await to.read(Uint32Array, 1)).toEqual(Uint32Array.of(255));
    expect(() => mod.kernel('typed').launch(one, [256n, 0, c, to])).toThrow(
      /got 256n: the value does not fit in 8 bits/,
    );
  });

  test('a runtime closes at the end of its scope', async () => {
    let device: GPUDevice;
    {
      using rt = (await openFake()).rt;
      ({ device } = rt);
      rt.alloc(4);
    }
    expect(await device.lost).toMatchObject({ reason: 'destroyed' });
  });
});
