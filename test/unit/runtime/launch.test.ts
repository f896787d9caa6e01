// Launches: their order, their arguments, the objects made for them, and modules.
import { expect, test } from 'vitest';
import { type KernelArgument, PtxError, Runtime } from '../../../src/runtime/index.ts';
import type { FakeDevice } from '../../fake-gpu/index.ts';
import { addKernel, copyKernel, kernelOf, moduleOf } from '../../runtime-ptx.ts';
import { onEachPlatform } from './fake-runtime.ts';

const text = moduleOf(
  addKernel,
  copyKernel,
  kernelOf(
    'typed',
    ['u8 a', 's16 b', 's32 c', 'f32 d', 'f64 e', 'u64 f', 'u64 out'],
    `cvt.u32.u8 %r1, %a; st.global.u32 [%out], %r1; cvt.s32.s16 %r2, %b; st.global.u32 [%out+4], %r2; st.global.u32 [%out+8], %c;
  st.global.f32 [%out+12], %d; st.global.f64 [%out+16], %e; st.global.u64 [%out+24], %f;`,
  ),
  // Parameters of type b32. `real` is used as a float and `whole` as an integer. The use of `open`
  // does not determine its type.
  kernelOf(
    'bits',
    ['b32 open', 'b32 real', 'b32 whole', 'u64 out'],
    `add.f32 %f1, %real, 0f3F800000; add.u32 %r1, %whole, 1; st.global.b32 [%out], %open; st.global.f32 [%out+4], %f1;
  st.global.u32 [%out+8], %r1;`,
  ),
  kernelOf(
    'flip',
    ['u64 x', 'u32 n'],
    `{ .reg .b32 %a; .reg .b64 %b; mov.u64 %b, tile; cvt.u32.u64 %a, %b; shl.b32 %r1, %i, 2; add.u32 %a, %a, %r1;
  add.s64 %s1, %x, %at; ld.global.u32 %r2, [%s1]; st.shared.u32 [%a], %r2; bar.sync 0;
  sub.u32 %r3, %n, %i; sub.u32 %r3, %r3, 1; shl.b32 %r3, %r3, 2; cvt.u32.u64 %r4, %b; add.u32 %r3, %r3, %r4; ld.shared.u32 %r5, [%r3]; st.global.u32 [%s1], %r5; }`,
  ),
).replace('.address_size 64\n', '.address_size 64\n.extern .shared .align 4 .b8 tile[];\n');

const counter = (name: string, start: number) =>
  moduleOf(
    `.visible .global .align 4 .u32 ${name}[2] = {${start}, 5};\n.visible .const .align 4 .u32 step = 3;`,
    kernelOf(
      'count',
      ['u64 out'],
      `mov.u64 %s1, ${name}; ld.global.u32 %r1, [%s1]; ld.const.u32 %r2, [step]; add.u32 %r1, %r1, %r2; st.global.u32 [%s1], %r1;
  st.global.u32 [%out], %r1;`,
    ),
  );

/**
 * Returns a function that returns the number of objects that the device has made since this call.
 */
function counted({ made }: FakeDevice) {
  const before = { ...made };
  return () => ({ groups: made.bindGroups - before.bindGroups, pipelines: made.pipelines - before.pipelines });
}

onEachPlatform('launches', (fake) => {
  test('run in order without being awaited, and reuse their objects', async () => {
    const mod = await fake.rt.load(text);
    const [add, copy] = [mod.kernel('add'), mod.kernel('copy')];
    using x = fake.rt.alloc(128);
    using y = fake.rt.alloc(128);
    await add.prepare({ block: 32 });
    const made = counted(fake.device);
    for (let round = 0; round < 200; round++) {
      add.launch({ grid: [1], block: [32] }, [x, round]);
      copy.launch({ grid: [1, 1, 1], block: [32, 1, 1], shared: 0 }, [x, y]);
      if (round % 20 === 10) x.at(4).write(Uint32Array.of(round));
    }
    const out = await y.read(Uint32Array);
    const sum = (from: number) => ((200 - from) * (from + 199)) / 2;
    expect([...out.subarray(0, 3)]).toEqual([sum(0), 190 + sum(191), sum(0)]);
    expect(made()).toEqual({ groups: 2, pipelines: 1 });
  });

  test('wait for their shaders, and later commands wait too, with the arguments of the call', async () => {
    const mod = await fake.rt.load(text);
    using x = fake.rt.alloc(128);
    using y = fake.rt.alloc(128);
    const [numbers, ones] = [new Uint32Array(32).fill(5), new Uint32Array(32).fill(1)];
    x.write(numbers);
    // No shader for this shape has been compiled.
    mod.kernel('add').launch({ grid: 1, block: 16 }, [x, 2]);
    fake.rt.memcpy(y, x, 128);
    x.write(numbers);
    numbers.fill(99);
    const early = x.read(Uint32Array, 2);
    x.write(ones);
    mod.kernel('add').launch({ grid: 1, block: 8 }, [x, 3]);
    expect([...(await early)]).toEqual([5, 5]);
    expect([...(await y.read(Uint32Array))]).toEqual([...Array(16).fill(7), ...Array(16).fill(5)]);
    expect([...(await x.read(Uint32Array, 9))]).toEqual([...Array(8).fill(4), 1]);
  });

  test('accept arguments of all types', async () => {
    const mod = await fake.rt.load(text);
    using out = fake.rt.alloc(32);
    mod.kernel('typed').launch({ grid: 1, block: 1 }, [true, -2, -1, 0.1, 0.1, -1n, out]);
    const view = new DataView(await out.read(Uint8Array).then(({ buffer }) => buffer));
    const of = (at: number) => view.getUint32(at, true);
    expect([of(0), of(4), of(8)]).toEqual([1, 0xfffffffe, 0xffffffff]);
    expect([view.getFloat32(12, true), view.getFloat64(16, true)]).toEqual([Math.fround(0.1), 0.1]);
    expect(view.getBigUint64(24, true)).toBe(2n ** 64n - 1n);
    mod.kernel('bits').launch({ grid: 1, block: 1 }, [Float32Array.of(1.5), 2, 2, out]);
    expect([...(await out.read(Uint32Array, 3))]).toEqual([0x3fc00000, 0x40400000, 3]);
  });

  test.each<[string, KernelArgument[] | number, RegExp]>([
    ['typed', 0, /typed: expected 7 arguments \(\.u8 typed_a, .*\), got 1/],
    ['typed', [256, 0, 0, 0, 0, 0], /argument 0 of typed \(\.u8 typed_a\): expected an integer of 8 bits, got 256/],
    ['typed', [0, 0.5, 0, 0, 0, 0], /argument 1 .*: expected an integer of 16 bits, got 0.5/],
    ['typed', [0, 0, 2 ** 32, 0, 0, 0], /argument 2 .*, got 4294967296: the value does not fit in 32 bits/],
    ['typed', [0, 0, 0, 1n, 0, 0], /argument 3 of typed \(\.f32 typed_d\): expected a number, got 1n/],
    ['typed', [0, 0, 0, 0, 0, 2 ** 60], /argument 5 .*: expected a device pointer, an integer/],
    ['typed', [0, 0, 0, new Uint8Array(3), 0, 0], /argument 3 .* Uint8Array: expected 4 bytes, got 3/],
    [
      'bits',
      [1, 0, 0],
      /argument 0 of bits \(\.b32 bits_open\): expected an array of 4 bytes, .* because the bits may be a float/,
    ],
    [
      'add',
      [7n],
      /argument 0 of add \(\.u64 add_x\): expected a device pointer.*, got 7n: the value is not an address/,
    ],
  ])('%s: %o is refused', async (name, given, message) => {
    const kernel = (await fake.rt.load(text)).kernel(name);
    using out = fake.rt.alloc(32);
    const args = typeof given === 'number' ? [given] : name === 'add' ? [...given, 0] : [...given, out];
    expect(() => kernel.launch({ grid: 1, block: 1 }, args)).toThrow(message);
    await fake.rt.synchronize();
  });

  test('pointers of another runtime, or to freed memory, are refused', async () => {
    const add = (await fake.rt.load(text)).kernel('add');
    const other = await Runtime.open({ device: fake.rt.device });
    const theirs = other.alloc(16, { label: 'theirs' });
    expect(() => add.launch({ grid: 1, block: 1 }, [theirs, 1])).toThrow(/the pointer belongs to another runtime/);
    const gone = fake.rt.alloc(16, { label: 'gone' });
    gone.free();
    expect(() => add.launch({ grid: 1, block: 1 }, [gone, 1])).toThrow(/`gone` of 16 bytes is freed/);
    await expect(gone.read(Uint32Array)).rejects.toThrow(/freed/);
    other.alloc(8).free();
    expect(other.close()).toEqual([{ label: 'theirs', bytes: 16 }]);
    expect(() => other.alloc(4)).toThrow(/closed/);
    await expect(theirs.read(Uint32Array)).rejects.toThrow(/closed/);
    // The page opened the device, so `other.close()` has not destroyed it.
    using x = fake.rt.alloc(4);
    add.launch({ grid: 1, block: 1 }, [x, 3]);
    expect((await x.read(Uint32Array))[0]).toBe(3);
  });

  test('have dynamic shared memory, and several blocks', async () => {
    const flip = (await fake.rt.load(text)).kernel('flip');
    using x = fake.rt.alloc(4 * 64);
    x.write(Uint32Array.from({ length: 64 }, (_, index) => index));
    flip.launch({ grid: 1, block: 64, shared: 256 }, [x, 64]);
    expect([...(await x.read(Uint32Array, 3))]).toEqual([63, 62, 61]);
    expect(() => flip.launch({ grid: 0, block: 1 }, [x, 1])).toThrow(/invalid grid size 0/);
    expect(() => flip.launch({ grid: 1, block: [2048] }, [x, 1])).toThrow(/2048 threads exceed the maximum of 1024/);
    expect(() => flip.launch({ grid: 1, block: 1, shared: -1 }, [x, 1])).toThrow(/invalid size of shared memory -1/);
  });

  test('modules have their own variables, which keep the values that kernels stored', async () => {
    const [one, two] = [await fake.rt.load(counter('total', 10)), await fake.rt.load(counter('total', 100))];
    using out = fake.rt.alloc(8);
    for (const mod of [one, two, one]) mod.kernel('count').launch({ grid: 1, block: 1 }, [out]);
    expect((await out.read(Uint32Array))[0]).toBe(16);
    expect([...(await two.global('total').read(Uint32Array))]).toEqual([103, 5]);
    two.global('step').write(Uint32Array.of(1000));
    two.global('total').at(4).write(Uint32Array.of(6));
    two.kernel('count').launch({ grid: 1, block: 1 }, [out.at(4)]);
    expect([...(await out.read(Uint32Array))]).toEqual([16, 1103]);
    expect([...(await two.global('total').read(Uint32Array))]).toEqual([1103, 6]);
    expect(() => one.global('none')).toThrow(/no variable `none`: it has `total`, `step`/);
    expect(() => one.kernel('none')).toThrow(/no kernel `none`: it has `count`/);
    one.unload();
    expect(() => one.kernel('count')).toThrow(/unloaded/);
    two.kernel('count').launch({ grid: 1, block: 1 }, [out]);
    expect((await out.read(Uint32Array, 1))[0]).toBe(2103);
  });

  test('several kernels are prepared at a time, with progress', async () => {
    const mod = await fake.rt.load(text);
    const seen: string[] = [];
    const list = mod.kernels.map((kernel) => ({ kernel, block: 16 }));
    await mod.prepare(list, (done, total) => seen.push(`${done}/${total}`));
    expect(seen).toEqual(['1/5', '2/5', '3/5', '4/5', '5/5']);
  });

  test('invalid or unsupported PTX is reported with its place', async () => {
    await expect(
      fake.rt.load('.version 7.0\n.target sm_70\n.address_size 64\n.entry k() { add.q32 x, y, 1; }'),
    ).rejects.toThrow(PtxError);
    await expect(fake.rt.load('add.u32 d, a, 1;')).rejects.toThrow(/bare instructions are not a module/);
    const images = moduleOf(
      kernelOf('picture', ['u64 t'], 'tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%t, {%r1, %r2}];'),
      addKernel,
    );
    const mod = await fake.rt.load(images, { file: 'images.ptx' });
    expect(() => mod.kernel('picture').launch({ grid: 1, block: 1 }, [0n])).toThrow(
      /images\.ptx:\d+:\d+: error\[LW2006\]: a texture or surface is not supported/,
    );
    using x = fake.rt.alloc(4);
    mod.kernel('add').launch({ grid: 1, block: 1 }, [x, 1]);
    expect((await x.read(Uint32Array))[0]).toBe(1);
  });
});
