// The runtime's memory: pointers as values, copies, adopted buffers, and requests that are too
// large.
import { beforeAll, expect, test } from 'vitest';
import type { LoadedModule } from '../../../src/runtime/index.ts';
import type { FakeDevice } from '../../fake-gpu/index.ts';
import { addKernel, copyKernel, kernelOf, moduleOf } from '../../runtime-ptx.ts';
import { onEachPlatform, openFake } from './fake-runtime.ts';

const text = moduleOf(
  addKernel,
  copyKernel,
  // Reads the element before the pointer.
  kernelOf('before', ['u64 x', 'u64 out'], 'ld.global.u32 %r1, [%x + -4]; st.global.u32 [%out], %r1;'),
  kernelOf('follow', ['u64 table', 'u64 out'], `
  shl.b64 %s1, %at, 1; add.s64 %s1, %table, %s1; ld.global.u64 %s2, [%s1]; ld.global.u32 %r1, [%s2];
  add.s64 %s3, %out, %at; st.global.u32 [%s3], %r1;`),
  kernelOf('keep', ['u64 p', 'u64 table'], 'add.s64 %s1, %p, 8; st.global.u64 [%table], %s1;'),
  kernelOf('distance', ['u64 a', 'u64 b', 'u64 out'], 'sub.s64 %s1, %b, %a; st.global.u64 [%out], %s1;'),
  kernelOf('swap', ['u64 x', 'u64 y'], `
  add.s64 %s1, %x, %at; add.s64 %s2, %y, %at; ld.global.u32 %r1, [%s1]; ld.global.u32 %r2, [%s2];
  st.global.u32 [%s1], %r2; st.global.u32 [%s2], %r1;`),
  kernelOf('sum', ['u64 x', 'u64 y', 'u64 z'], `
  add.s64 %s1, %x, %at; add.s64 %s2, %y, %at; add.s64 %s3, %z, %at;
  ld.global.u32 %r1, [%s1]; ld.global.u32 %r2, [%s2]; add.u32 %r1, %r1, %r2; st.global.u32 [%s3], %r1;`),
  // A struct { const unsigned *from; unsigned scale; unsigned shift; }
  `.visible .entry strided(.param .align 8 .b8 strided_s[16], .param .u64 strided_out)
{ .reg .b32 %r<6>; .reg .b64 %s<6>;
  ld.param.u64 %s1, [strided_s]; ld.param.u32 %r1, [strided_s+8]; ld.param.u32 %r2, [strided_s+12]; ld.param.u64 %s2, [strided_out];
  mov.u32 %r3, %tid.x; mul.wide.u32 %s3, %r3, 4; add.s64 %s1, %s1, %s3; add.s64 %s2, %s2, %s3;
  ld.global.u32 %r4, [%s1]; mad.lo.u32 %r4, %r4, %r1, %r2; st.global.u32 [%s2], %r4; ret; }
`,
); // biome-ignore format: PTX

const numbers = (count: number, first = 0) => Uint32Array.from({ length: count }, (_, index) => first + index);

/**
 * Returns a function that returns the number of pipelines that the device has made since this call.
 */
function compiledOf({ made }: FakeDevice): () => number {
  const before = made.pipelines;
  return () => made.pipelines - before;
}

onEachPlatform('memory', (fake) => {
  let mod: LoadedModule;
  beforeAll(async () => {
    mod = await fake.rt.load(text);
  });
  const run = (name: string, threads: number, args: Parameters<ReturnType<typeof mod.kernel>['launch']>[1]) =>
    mod.kernel(name).launch({ grid: 1, block: threads }, args);

  test('starts as zeros, keeps written data, and any part can be read', async () => {
    using x = fake.rt.alloc(64);
    expect([...(await x.read(Uint32Array))]).toEqual(Array(16).fill(0));
    x.write(numbers(16));
    x.at(8).write(numbers(2, 100));
    expect([...(await x.at(4).read(Uint32Array, 4))]).toEqual([1, 100, 101, 4]);
    expect([...(await x.at(60).read(Uint8Array))]).toEqual([15, 0, 0, 0]);
  });

  test('a pointer into an allocation reaches the memory before it', async () => {
    using x = fake.rt.alloc(4096);
    using out = fake.rt.alloc(4);
    x.write(numbers(1024));
    run('before', 1, [x.at(512), out]);
    expect([...(await out.read(Uint32Array))]).toEqual([127]);
  });

  test('a kernel may get several pointers into one allocation, with or without overlap', async () => {
    using x = fake.rt.alloc(1024);
    x.write(numbers(256));
    run('copy', 32, [x, x.at(512)]);
    run('copy', 32, [x.at(512), x.at(256)]);
    run('copy', 1, [x, x]);
    const after = await x.read(Uint32Array);
    expect([...after.subarray(128, 160)]).toEqual([...numbers(32)]);
    expect([...after.subarray(64, 96)]).toEqual([...numbers(32)]);
    expect(after[200]).toBe(200);
  });

  test('addresses that the host writes and kernels store lead to the memory', async () => {
    using a = fake.rt.alloc(16);
    using b = fake.rt.alloc(32);
    using table = fake.rt.alloc(8 * 3);
    using out = fake.rt.alloc(4 * 3);
    a.write(numbers(4, 10));
    b.write(numbers(8, 20));
    table.write(BigUint64Array.of(a.address, b.at(4).address, a.at(12).address));
    run('follow', 3, [table, out]);
    expect([...(await out.read(Uint32Array))]).toEqual([10, 21, 13]);
    run('keep', 1, [b, table]);
    run('follow', 1, [table, out]);
    expect([...(await out.read(Uint32Array, 1))]).toEqual([22]);
    // Words next to addresses can still be written, read and passed to launches.
    a.write(numbers(4, 30));
    run('add', 4, [a, 1]);
    run('follow', 3, [table.at(8), out]);
    expect([...(await out.read(Uint32Array, 2))]).toEqual([21, 34]);
    expect([...(await a.read(Uint32Array))]).toEqual([31, 32, 33, 34]);
  });

  test('an address as a number is a pointer, and its distance to another one is a number', async () => {
    using a = fake.rt.alloc(64);
    using out = fake.rt.alloc(8);
    run('distance', 1, [a, a.at(40), out]);
    expect((await out.read(BigInt64Array))[0]).toBe(40n);
    run('distance', 1, [a.address, a.at(24).address, out]);
    expect((await out.read(BigInt64Array))[0]).toBe(24n);
    run('distance', 1, [null, 7n, out]);
    expect((await out.read(BigInt64Array))[0]).toBe(7n);
  });

  test('a kernel reads a struct that is passed by value', async () => {
    using a = fake.rt.alloc(16);
    using out = fake.rt.alloc(16);
    a.write(numbers(4));
    const struct = new DataView(new ArrayBuffer(16));
    struct.setBigUint64(0, a.address, true);
    struct.setUint32(8, 10, true);
    struct.setUint32(12, 3, true);
    run('strided', 4, [struct, out]);
    expect([...(await out.read(Uint32Array))]).toEqual([3, 13, 23, 33]);
  });

  test('memory grows while kernels know its addresses', async () => {
    using first = fake.rt.alloc(1 << 20);
    using table = fake.rt.alloc(8);
    using out = fake.rt.alloc(4);
    first.at(1000).write(numbers(1, 77));
    table.write(BigUint64Array.of(first.at(1000).address));
    using second = fake.rt.alloc(3 << 20);
    second.write(numbers(1, 78));
    run('follow', 1, [table, out]);
    table.write(BigUint64Array.of(second.address));
    run('follow', 1, [table, out.at(0)]);
    expect((await out.read(Uint32Array))[0]).toBe(78);
    table.write(BigUint64Array.of(first.at(1000).address));
    run('follow', 1, [table, out]);
    expect((await out.read(Uint32Array))[0]).toBe(77);
  });

  test('a repeated launch finds memory that has moved', async () => {
    using a = fake.rt.alloc(16);
    using b = fake.rt.alloc(16);
    // After this read, the heap exists and has room.
    expect(b.address).toBeGreaterThan(0n);
    run('add', 4, [a, 1]);
    await fake.rt.synchronize();
    expect(a.address).toBeGreaterThan(0n);
    await fake.rt.synchronize();
    run('add', 4, [a, 1]);
    expect([...(await a.read(Uint32Array))]).toEqual([2, 2, 2, 2]);
  });

  test('copies and fills may start at any byte and have any length', async () => {
    const size = 71;
    const model = Uint8Array.from({ length: size }, (_, index) => 100 + index);
    const other = Uint8Array.from({ length: size }, (_, index) => 255 - index);
    using x = fake.rt.alloc(size);
    using y = fake.rt.alloc(size);
    x.write(model);
    y.write(other);
    const spans = [[0, 0, 71], [0, 4, 8], [3, 0, 9], [1, 2, 13], [8, 3, 62], [70, 70, 1], [5, 5, 0], [4, 0, 7]] as const; // biome-ignore format: one line
    for (const [to, from, bytes] of spans) {
      fake.rt.memcpy(x.at(to), y.at(from), bytes);
      model.set(other.subarray(from, from + bytes), to);
      fake.rt.memcpy(x.at(to), x.at(from), bytes);
      model.copyWithin(to, from, from + bytes);
      fake.rt.memset(x.at(from), 0x1a5, Math.min(bytes, 5));
      model.fill(0xa5, from, from + Math.min(bytes, 5));
      expect([...(await x.read(Uint8Array))]).toEqual([...model]);
    }
    fake.rt.memset(x, 0);
    expect([...(await x.read(Uint8Array))]).toEqual(Array(size).fill(0));
    expect(() => fake.rt.memcpy(x.at(70), y, 2)).toThrow(/2 bytes at 70 cannot be written/);
    expect(() => fake.rt.memset(x, 1, 72)).toThrow(RangeError);
    expect(() => x.at(-1).write(Uint8Array.of(1))).toThrow(RangeError);
  });

  test('a buffer of the page is bound unchanged, found by addresses, and never destroyed', async () => {
    const usage = 0x80 | 0x4 | 0x8;
    const lent = fake.device.createBuffer({ label: 'lent', size: 512, usage });
    const x = fake.rt.adopt(lent);
    x.write(numbers(128));
    run('add', 32, [x, 5]);
    expect(x.buffer).toEqual({ buffer: lent, offset: 0, size: 512 });
    expect((await x.at(124).read(Uint32Array, 1))[0]).toBe(36);
    using table = fake.rt.alloc(8);
    using out = fake.rt.alloc(4);
    table.write(BigUint64Array.of(x.at(8).address));
    run('follow', 1, [table, out]);
    expect((await out.read(Uint32Array))[0]).toBe(7);
    // A write through the address changes the page's buffer.
    run('copy', 1, [x.at(8), x.at(16)]);
    expect(x.buffer).toEqual({ buffer: lent, offset: 0, size: 512 });
    expect((await x.read(Uint32Array, 5))[4]).toBe(7);
    expect(() => fake.rt.adopt(lent, { offset: 256, bytes: 16 })).toThrow(/overlaps/);
    x.free();
    const part = fake.rt.adopt(lent, { offset: 256, bytes: 20 });
    run('add', 5, [part, 1]);
    expect((await part.read(Uint32Array))[4]).toBe(64 + 4 + 1);
    part.free();
    fake.device.queue.writeBuffer(lent, 0, numbers(1));
    const unbound = fake.device.createBuffer({ label: 'unbound', size: 16, usage: 0x8 });
    expect(() => fake.rt.adopt(unbound)).toThrow(/`unbound` cannot be bound/);
    await fake.rt.synchronize();
    lent.destroy();
  });

  test('an allocation of any size has its own binding, before and after its address is read', async () => {
    const add = mod.kernel('add');
    // A launch that cannot bind its pointers compiles a different shader, which uses the heap.
    const compiled = compiledOf(fake.device);
    for (const bytes of [1, 4, 15, 16, 17, 20, 36]) {
      using x = fake.rt.alloc(bytes);
      const launch = () => add.launch({ grid: 1, block: 3 }, [x, 1]);
      launch();
      expect(x.address).toBeGreaterThan(0n);
      launch();
      expect((await x.read(Uint8Array))[0]).toBe(2);
    }
    expect(compiled()).toBe(1);
  });

  test('one kernel may write several allocations in the heap, or read several, but not both', async () => {
    using x = fake.rt.alloc(16);
    using y = fake.rt.alloc(16);
    using z = fake.rt.alloc(16);
    x.write(numbers(4, 10));
    y.write(numbers(4, 20));
    const words = () => Promise.all([x, y, z].map(async (pointer) => (await pointer.read(Uint32Array, 1))[0]));
    for (const pointer of [x, y]) expect(pointer.address).toBeGreaterThan(0n);
    const compiled = compiledOf(fake.device);
    run('swap', 2, [x, y]);
    run('sum', 2, [x, y, z]);
    expect(await words()).toEqual([20, 10, 30]);
    expect(compiled()).toBe(2);
    // In WebGPU, a launch must not bind one buffer both for reading and for writing.
    run('copy', 2, [x, y]);
    expect(await words()).toEqual([20, 20, 30]);
    expect(z.address).toBeGreaterThan(0n);
    run('sum', 2, [x, y, z]);
    expect(await words()).toEqual([20, 20, 40]);
  });

  test('memory works after 1,000 allocations that were freed in a different order', async () => {
    const live = Array.from({ length: 100 }, (_, index) => fake.rt.alloc(16 + index, { label: `kept ${index}` }));
    for (let round = 0; round < 1000; round++) {
      const at = (round * 37) % live.length;
      live[at]?.free();
      const made = fake.rt.alloc(16 + ((round * 7919) % 5000));
      if (round % 50 === 0) void made.address;
      live[at] = made;
    }
    const last = live[5];
    last?.write(numbers(4, 9));
    expect([...((await last?.read(Uint32Array, 4)) ?? [])]).toEqual([9, 10, 11, 12]);
    for (const pointer of live) pointer.free();
    expect(() => last?.free()).toThrow(/already freed/);
  });

  test('a too large request is reported, and the runtime continues', async () => {
    using x = fake.rt.alloc(16);
    x.write(numbers(4));
    const limit = fake.rt.device.limits.maxStorageBufferBindingSize;
    expect(() => fake.rt.alloc(limit + 1)).toThrow(expect.objectContaining({ kind: 'out-of-memory' }));
    expect(() => fake.rt.alloc(-1)).toThrow(RangeError);
    expect(() => fake.rt.alloc(1.5)).toThrow(RangeError);
    run('add', 4, [x, 1]);
    expect([...(await x.read(Uint32Array))]).toEqual([1, 2, 3, 4]);
  });

  test('a full or fragmented heap is reported, and the runtime continues', async () => {
    const size = 8 << 20;
    const limits = { maxBufferSize: size, maxStorageBufferBindingSize: size };
    const { rt: other } = await openFake({ limits });
    const [first, second, third] = [40, 40, 40].map((part) => other.alloc(part << 16, { label: `${part} parts` }));
    const addresses = [first, second, third].map((pointer) => pointer?.address);
    const more = other.alloc(16 << 16, { label: 'more' });
    more.write(numbers(4));
    expect(() => more.address).toThrow(/`more` of 1048576 bytes does not fit in the heap: \d+ of its 8388608 bytes/);
    second?.free();
    const large = other.alloc(41 << 16, { label: 'large' });
    expect(() => large.address).toThrow(/does not fit .*: (\d+) of its \d+ bytes are free, 2621440 of them contiguous/);
    large.free();
    expect(more.address).toBe(addresses[1]);
    expect([...(await more.read(Uint32Array, 4))]).toEqual([...numbers(4)]);
    expect(other.close().map(({ label }) => label)).toEqual(['40 parts', '40 parts', 'more']);
  });
});
