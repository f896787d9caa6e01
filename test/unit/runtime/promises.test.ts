// Promises of the runtime's guide and reference that no other test of this folder checks.
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { printedWords } from '../../../src/base/printed.ts';
import { readCase } from '../../../src/harness/launches/case-file-node.ts';
import { loadDawn } from '../../../src/runtime/dawn-in-node.ts';
import { Runtime } from '../../../src/runtime/index.ts';
import { FakeGpu, type FakeGpuOptions, usages } from '../../fake-gpu/index.ts';
import { addKernel, copyKernel, kernelOf, moduleOf, printDeclarations, printKernel } from '../../runtime-ptx.ts';
import { onEachPlatform, openDevice, openFake } from './fake-runtime.ts';

const one = { grid: 1, block: 1 } as const;
const { COPY_DST, COPY_SRC, STORAGE, VERTEX } = usages;

const keepKernel = kernelOf('keep', ['u64 x', 'u64 to'], 'st.global.u64 [%to], %x;');
const followKernel = kernelOf(
  'follow',
  ['u64 table', 'u64 out'],
  'ld.global.u64 %s1, [%table]; ld.global.u32 %r1, [%s1]; st.global.u32 [%out], %r1;',
);
const voteKernel = kernelOf(
  'vote',
  ['u64 out'],
  `and.b32 %r1, %thread, 3; setp.eq.u32 %p1, %r1, 1; vote.sync.ballot.b32 %r2, %p1, -1;
  add.s64 %s1, %out, %at; st.global.u32 [%s1], %r2;`,
);
const gridKernel = kernelOf(
  'blocks',
  ['u64 out'],
  'setp.ne.u32 %p1, %block, 65537; @%p1 bra L; st.global.u32 [%out], %block; L:',
);
const text = moduleOf(
  printDeclarations,
  addKernel,
  copyKernel,
  keepKernel,
  followKernel,
  gridKernel,
  printKernel('say'),
);

const gridCase = readCase(join(import.meta.dirname, '../../kernels/grid_totals_two.json'));

const told = (kind: string, message: string | RegExp = '') =>
  expect.objectContaining({ kind, message: expect.stringMatching(message) });
const word = async (p: { read(type: typeof Uint32Array, count: number): Promise<Uint32Array> }) =>
  (await p.read(Uint32Array, 1))[0];

describe('opening', () => {
  test.each<[string, FakeGpuOptions, RegExp]>([
    ['no adapter', { fails: 'adapter' }, /WebGPU found no adapter on this machine/],
    [
      'no device',
      { fails: 'device' },
      /the adapter did not provide a device: requestDevice: the adapter opens no device/,
    ],
  ])('%s', async (_, options, message) => {
    await expect(Runtime.open({ gpu: new FakeGpu(options) })).rejects.toThrow(told('unavailable', message));
  });

  test('refuses a lane plan that the adapter cannot run, and a value that is not a device', async () => {
    await expect(openFake({}, { plan: 'native' })).rejects.toThrow(
      told('unavailable', /cannot run the native lane plan: it has no usable subgroups/),
    );
    const device: GPUDevice = Object.create(null);
    await expect(Runtime.open({ device })).rejects.toThrow(told('unavailable', /`device` is no GPUDevice/));
  });

  test.each([
    ['is missing', Object.assign(new Error('none'), { code: 'ERR_MODULE_NOT_FOUND' }), /is not installed: `npm install webgpu`/],
    ['does not load', new Error('libvulkan.so.1: no such file'), /cannot load the package `webgpu`: libvulkan\.so\.1: no such file/],
  ])('in Node, if the package %s', async (_, error, message) => {
    await expect(loadDawn(() => Promise.reject(error))).rejects.toThrow(told('unavailable', message));
  }); // biome-ignore format: a line each

  test('has all features of the adapter, or those that the page requested', async () => {
    const { rt, device } = await openFake({ features: ['subgroups', 'timestamp-query'] });
    expect(device.limits).toMatchObject({ maxComputeInvocationsPerWorkgroup: 1024, maxStorageBuffersPerShaderStage: 10 });
    expect([...device.features].sort()).toEqual(['subgroups', 'timestamp-query']);
    expect(rt.adapter).toMatchObject({ vendor: 'fake', software: false, subgroupMinSize: 32, subgroupMaxSize: 32 });
    expect(rt.hasGpuClock).toBe(true);
    const own = await openDevice();
    const page = await Runtime.open({ device: own });
    expect(page.adapter.limits.maxComputeInvocationsPerWorkgroup).toBe(256);
    expect([page.device, page.hasGpuClock]).toEqual([own, false]);
    page.close();
    own.pushErrorScope('validation');
    own.createBuffer({ size: 4, usage: 0 });
    // The runtime does not destroy a page's own device.
    expect((await own.popErrorScope())?.message).toMatch(/invalid usage/);
    rt.close();
    expect(device.isLost).toBe(true);
  }); // biome-ignore format: a line each

  test.each([
    [32, 'native', []],
    [64, 'wide', ['subgroup-size-control']],
    [16, 'narrow', []],
    [32, 'portable', []],
  ] as const)('subgroups of %i run warps in the %s plan', async (subgroupSize, plan, features) => {
    const { rt } = await openFake({ features: ['subgroups', ...features], subgroupSize }, { plan });
    const mod = await rt.load(moduleOf(voteKernel));
    using out = rt.alloc(4 * 64);
    mod.kernel('vote').launch({ grid: 1, block: 64 }, [out]);
    expect(new Set(await out.read(Uint32Array))).toEqual(new Set([0x22222222]));
    expect(/subgroupBallot/.test(mod.kernel('vote').wgsl({ block: 64 }))).toBe(plan !== 'portable');
  });
});

describe('a launch', () => {
  test('may have more blocks than WebGPU dispatches in one dimension', async () => {
    const { rt } = await openFake();
    const mod = await rt.load(text);
    using out = rt.alloc(4);
    mod.kernel('blocks').launch({ grid: 65_538, block: 1 }, [out]);
    expect(await word(out)).toBe(65_537);
  });

  test('the output of kernels goes to the console, and messages that do not fit are counted', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    try {
      const { rt } = await openFake();
      const mod = await rt.load(text);
      mod.kernel('say').launch(one, [1, 1]);
      await rt.synchronize();
      expect(log.mock.calls).toEqual([['1']]);
      mod.kernel('say').launch(one, [1, printedWords / 2]);
      await rt.synchronize();
      expect(String(log.mock.calls.at(-1)?.[0])).toMatch(/^\(\d+ texts that say printed did not fit\)$/);
    } finally {
      log.mockRestore();
    }
  });
});

onEachPlatform('the runtime', (fake) => {
  test('a page sees none of its errors, and may open its own error scopes', async () => {
    const mod = await fake.rt.load(text);
    using x = fake.rt.alloc(4);
    fake.device.pushErrorScope('validation');
    mod.kernel('add').launch(one, [x, 1]);
    x.at(1).write(Uint8Array.of(1));
    fake.device.createBuffer({ size: 4, usage: 0 });
    expect(await word(x)).toBe(257);
    expect((await fake.device.popErrorScope())?.message).toMatch(/invalid usage/);
    expect(fake.device.openScopes).toBe(0);
  });

  test('an allocation has a buffer with the requested usages, and its own binding', async () => {
    const mod = await fake.rt.load(text);
    using x = fake.rt.alloc(10, { label: 'x' });
    using vertices = fake.rt.alloc(16, { usage: VERTEX });
    expect(x.buffer).toMatchObject({ offset: 0, size: 10, buffer: { label: 'x', size: 16 } });
    const { buffer } = vertices.at(4).buffer;
    expect(buffer.usage & VERTEX).toBe(VERTEX);
    expect(mod.kernel('add').wgsl({ block: 1 })).not.toMatch(/heap/);
    // The page's buffer remains when its address becomes known: kernels work on a copy.
    vertices.write(Uint32Array.of(7));
    expect(vertices.address).toBeGreaterThan(0n);
    expect(vertices.buffer.buffer).toBe(buffer);
    expect([x.at(4).bytes, x.at(20).bytes, x.at(20).at(-12).bytes]).toEqual([6, 0, 2]);
    using table = fake.rt.alloc(8);
    table.write(BigUint64Array.of(vertices.address));
    mod.kernel('follow').launch(one, [table, x]);
    expect(await word(x)).toBe(7);
  });

  test('launches are submitted after the task, after 256 launches, and by `flush`', async () => {
    const add = (await fake.rt.load(text)).kernel('add');
    using x = fake.rt.alloc(4);
    add.launch(one, [x, 1]);
    await fake.rt.synchronize();
    const since = (() => {
      const before = fake.device.queue.submissions;
      return () => fake.device.queue.submissions - before;
    })();
    add.launch(one, [x, 1]);
    expect(since()).toBe(0);
    fake.rt.flush();
    expect(since()).toBe(1);
    for (let round = 0; round < 600; round++) add.launch(one, [x, 1]);
    expect(since()).toBe(3);
    await Promise.resolve();
    expect(since()).toBe(4);
    expect(await word(x)).toBe(602);
  });

  test('an adopted buffer is copied around launches that follow addresses, if its usages allow it', async () => {
    const mod = await fake.rt.load(text);
    const lent = fake.device.createBuffer({ label: 'lent', size: 1024, usage: STORAGE | COPY_SRC | COPY_DST });
    using x = fake.rt.adopt(lent);
    using table = fake.rt.alloc(8);
    using out = fake.rt.alloc(4);
    mod.kernel('keep').launch(one, [x, table]);
    // The page writes to its own buffer.
    fake.rt.flush();
    fake.device.queue.writeBuffer(lent, 0, Uint32Array.of(41));
    mod.kernel('follow').launch(one, [table, out]);
    expect(await word(out)).toBe(41);
    const bare = fake.device.createBuffer({ label: 'bare', size: 16, usage: STORAGE });
    using y = fake.rt.adopt(bare);
    expect(() => y.address).toThrow(
      /the address of `bare` of 16 bytes is visible to kernels, so its buffer needs .*COPY_SRC/,
    );
    for (const [offset, bytes] of [[4, 16], [256, 1024], [512, 6], [512, 0]] as const) // biome-ignore format: one line
      expect(() => fake.rt.adopt(fake.device.createBuffer({ size: 1024, usage: STORAGE }), { offset, bytes })).toThrow(
        RangeError,
      );
    // Adopting the same range again returns the same memory.
    expect(fake.rt.adopt(lent).allocation).toBe(x.allocation);
  });

  test('blocks that wait for each other are refused, but one block is not', async () => {
    const { entry, ptx } = gridCase;
    const kernel = (await fake.rt.load(ptx)).kernel(entry);
    const args = kernel.parameters.map(({ kind }) => (kind === 'pointer' ? null : 0));
    const config = { block: 64, cooperative: true };
    const refused = {
      kind: 'unsupported',
      message: expect.stringMatching(/^LW2010: the 2 blocks of .* wait for each other here/),
    };
    expect(() => kernel.launch({ ...config, grid: 2 }, args)).toThrow(expect.objectContaining(refused));
    kernel.launch({ ...config, grid: 1 }, args);
    await fake.rt.synchronize();
  });

  test('accesses out of bounds are contained', async () => {
    const mod = await fake.rt.load(text);
    using x = fake.rt.alloc(16);
    using beside = fake.rt.alloc(16);
    mod.kernel('add').launch({ grid: 4, block: 32 }, [x, 1]);
    await fake.rt.synchronize();
    expect((await x.read(Uint32Array)).slice(0, 3)).toEqual(Uint32Array.of(1, 1, 1));
    expect([...(await beside.read(Uint32Array))]).toEqual([0, 0, 0, 0]);
  });

  test('at most 1,024 events exist at a time', async () => {
    const { rt: other } = await openFake({ features: [] });
    const events = Array.from({ length: 1024 }, () => other.event());
    expect(() => other.event()).toThrow(told('out-of-memory', /too many events: a runtime has at most 1024/));
    events[3]?.free();
    expect(() => other.event().record()).not.toThrow();
    expect(() => other.stream().wait(other.event())).toThrow(/at most 1024/);
    const [before, after] = [events[0], events[1]];
    if (!before || !after) throw new Error('no events');
    expect(() => other.stream('s').wait(before)).toThrow(/the event was never recorded/);
    before.record();
    other.stream('s').wait(before);
    after.record();
    // Without a GPU clock, the runtime uses the processor's.
    expect(other.hasGpuClock).toBe(false);
    expect(await after.elapsedSince(before)).toBeGreaterThanOrEqual(0);
    other.close();
  });

  test('a shader that the device refuses is reported once, and other work continues', async () => {
    const mod = await fake.rt.load(text);
    using x = fake.rt.alloc(4);
    const { createShaderModule } = fake.device;
    fake.device.createShaderModule = function (descriptor) {
      return createShaderModule.call(this, { ...descriptor, code: `${descriptor.code}\nfn broken() { let x = missing; }\n@compute @workgroup_size(1) fn other() { broken(); }` });
    }; // biome-ignore format: one line
    mod.kernel('add').launch({ grid: 1, block: 2 }, [x, 1]);
    const reading = x.read(Uint32Array);
    await expect(reading).rejects.toThrow(told('shader', /^add: .*missing is not declared/));
    await expect(mod.kernel('add').prepare({ block: 3 })).rejects.toThrow(told('shader'));
    fake.device.createShaderModule = createShaderModule;
    expect(await word(x)).toBe(0);
    mod.kernel('add').launch({ grid: 1, block: 2 }, [x, 1]);
    expect(await word(x)).toBe(1);
  });

  test('a kernel that does not end reaches a time limit, then ends the runtime', async () => {
    const { rt: other, device: busy } = await openFake();
    const add = (await other.load(text)).kernel('add');
    const x = other.alloc(4, { label: 'x' });
    await add.prepare({ block: 1 });
    busy.timeline.hold();
    add.launch(one, [x, 1]);
    await expect(other.synchronize({ timeoutMs: 1 })).rejects.toThrow(told('timeout', /up to one of add/));
    const reading = expect(x.read(Uint32Array)).rejects.toThrow(told('lost', /the runtime is closed/));
    expect(other.close()).toEqual([{ label: 'x', bytes: 4 }]);
    expect(other.close()).toEqual([]);
    await reading;
    expect(() => other.alloc(4)).toThrow(told('lost', /closed/));
    busy.timeline.release();
    await expect(busy.lost).resolves.toMatchObject({ reason: 'destroyed' });
  });

  test('after a lost device every call fails with that error', async () => {
    const { rt: other, device: lost } = await openFake();
    const mod = await other.load(text);
    const [x, y] = [other.alloc(16), other.alloc(16)];
    const sequence = other.record(() => mod.kernel('add').launch(one, [x, 1]));
    const kernel = mod.kernel('add');
    const event = other.event();
    lost.timeline.hold();
    const waiting = [x.read(Uint32Array), other.synchronize(), kernel.prepare({ block: 7 })].map((work) =>
      expect(work).rejects.toThrow(told('lost', /was lost \(unknown\): the driver was reset/)),
    );
    lost.lose('the driver was reset');
    await Promise.all(waiting);
    const calls: readonly (() => unknown)[] = [
      () => other.alloc(4), () => other.memcpy(x, y, 4), () => other.memset(x, 1), () => other.event(), () => event.record(),
      () => x.write(Uint32Array.of(1)), () => x.read(Uint32Array), () => kernel.launch(one, [x, 1]), () => sequence.replay(),
      () => other.synchronize(), () => other.load(text), () => other.record(() => undefined), () => kernel.prepare({ block: 8 }),
    ]; // biome-ignore format: a list
    for (const call of calls) await expect((async () => call())()).rejects.toThrow(told('lost', /driver was reset/));
    expect(other.close().length).toBe(2);
  });

  test('a full device is reported, and the runtime continues', async () => {
    const mega = 1 << 20;
    const { rt: small, device: full } = await openFake({ memory: 20 * mega });
    const mod = await small.load(text);
    const add = mod.kernel('add');
    const first = small.alloc(16, { label: 'first' });
    const inHeap = small.alloc(16, { label: 'in the heap' });
    void inHeap.address;
    const large = small.alloc(4 * mega, { label: 'large' });
    large.at(4).write(Uint32Array.of(17));
    await small.synchronize();
    const missing = small.alloc(17 * mega, { label: 'missing' });
    await expect(small.synchronize()).rejects.toThrow(told('out-of-memory', /^`missing` of 17825792 bytes: /));
    // The error is reported once. A later use of the failed allocation reports that it does not
    // exist.
    await small.synchronize();
    const gone = told('out-of-memory', /^`missing` of 17825792 bytes was not allocated: the device is out of memory$/);
    for (const use of [() => missing.write(new Uint8Array(4)), () => missing.address, () => missing.buffer, () => add.launch(one, [missing, 1])])
      expect(use).toThrow(gone); // biome-ignore format: one line
    await expect(missing.read(Uint8Array)).rejects.toThrow(gone);
    // Work in the same submission that uses that memory does not run.
    const used = small.alloc(17 * mega, { label: 'used' });
    add.launch(one, [first, 1]);
    add.launch(one, [used, 1]);
    await expect(small.synchronize()).rejects.toThrow(told('out-of-memory', /`used`/));
    expect(await word(first)).toBe(0);
    for (const pointer of [missing, used]) pointer.free();
    await small.synchronize();
    // If the heap cannot grow, it is unchanged, and so is the memory that would have moved into it.
    const piece = small.alloc(full.freeBytes - mega);
    await small.synchronize();
    void large.address;
    await expect(small.synchronize()).rejects.toThrow(told('out-of-memory', /^a heap of \d+ bytes: /));
    add.launch(one, [inHeap, 4]);
    expect([await word(inHeap), (await large.read(Uint32Array, 2))[1]]).toEqual([4, 17]);
    piece.free();
    await small.synchronize();
    await small.synchronize();
    mod.kernel('keep').launch(one, [large.at(4), first]);
    const [address] = await first.read(BigUint64Array, 1);
    expect([address === large.address + 4n, (await large.read(Uint32Array, 2))[1]]).toEqual([true, 17]);
    expect(small.close().map(({ label }) => label)).toEqual(['first', 'in the heap', 'large']);
    expect(full.uncaptured).toEqual([]);
  });

  test('freed memory is available again, and close frees everything', async () => {
    const own = await openDevice(['timestamp-query']);
    const before = own.freeBytes;
    const other = await Runtime.open({ device: own, onPrint: () => undefined });
    const opened = own.freeBytes;
    const mod = await other.load(text);
    const lent = own.createBuffer({ size: 256, usage: STORAGE | COPY_SRC | COPY_DST });
    // Uses each kind of buffer that a runtime creates.
    const use = async () => {
      using x = other.alloc(1000);
      using moved = other.alloc(2000);
      using adopted = other.adopt(lent);
      using event = other.event();
      for (const pointer of [moved, adopted]) expect(pointer.address).toBeGreaterThan(0n);
      other.memset(x.at(1), 1, 3);
      other.memcpy(x.at(5), moved, 3);
      other.record(() => mod.kernel('add').launch(one, [null, 1])).replay();
      mod.kernel('say').launch(one, [1, 1]);
      mod.kernel('follow').launch(one, [moved, x]);
      event.record();
      await x.read(Uint32Array);
      await event.elapsedSince(event);
    };
    await use();
    await other.synchronize();
    const used = own.freeBytes;
    for (let round = 0; round < 3; round++) await use();
    await other.synchronize();
    expect(own.freeBytes).toBe(used);
    expect(used).toBeLessThan(opened);
    // Variables of a loaded module are not a leak.
    expect(other.close()).toEqual([]);
    lent.destroy();
    await own.queue.onSubmittedWorkDone();
    expect(own.freeBytes).toBe(before);
  });
});
