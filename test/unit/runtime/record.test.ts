// Recorded launches: replayed unchanged, with other arguments, and after memory has moved.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KernelError, type NamedArgument, type Runtime } from '../../../src/runtime/index.ts';
import type { FakeDevice } from '../../fake-gpu/index.ts';
import { addKernel, copyKernel, kernelOf, moduleOf } from '../../runtime-ptx.ts';
import { onEachPlatform, openFake } from './fake-runtime.ts';

const text = moduleOf(
  '.extern .func (.param .b32 printed) vprintf (.param .b64 format, .param .b64 values);',
  '.global .align 1 .b8 format[4] = {37, 100, 0};',
  addKernel,
  copyKernel,
  // Stores the address, so the parameter is a number as well as a pointer.
  kernelOf(
    'keep',
    ['u64 x', 'u64 out'],
    'st.global.u64 [%out], %x; ld.global.u32 %r1, [%x]; st.global.u32 [%out+8], %r1;',
  ),
  kernelOf('stop', ['u32 n'], 'setp.ne.u32 %p1, %i, %n; @%p1 bra L; trap; L:'),
  `.visible .entry say(.param .u32 say_n)
{ .local .align 4 .b8 values[4]; .reg .b32 %r<4>; .reg .b64 %s<6>;
  ld.param.u32 %r1, [say_n]; mov.u64 %s1, values; cvta.local.u64 %s2, %s1; st.local.u32 [%s1], %r1;
  mov.u64 %s3, format; cvta.global.u64 %s4, %s3;
  { .param .b64 a; st.param.b64 [a], %s4; .param .b64 b; st.param.b64 [b], %s2; .param .b32 r; call.uni (r), vprintf, (a, b); ld.param.b32 %r2, [r]; }
  ret; }`,
);

const one = { grid: 1, block: 32 } as const;

onEachPlatform('recorded launches', () => {
  let rt: Runtime;
  let device: FakeDevice;
  const printed: string[] = [];
  beforeAll(async () => {
    ({ rt, device } = await openFake({}, { onPrint: (line) => printed.push(line) }));
  });
  afterAll(() => {
    rt.close();
  });

  test('run as often as they are replayed, with copies and fills among them, and reuse their objects', async () => {
    const mod = await rt.load(text);
    using x = rt.alloc(128);
    using y = rt.alloc(128);
    using done = rt.event();
    const sequence = rt.record(() => {
      for (let round = 0; round < 300; round++) mod.kernel('add').launch(one, [x, 1]);
      rt.memcpy(y, x, 64);
      rt.memset(x.at(64), 0, 4);
      done.record();
      mod.kernel('add').launch(one, [y, 1000]);
    });
    expect([...(await y.read(Uint32Array, 1)), ...(await x.read(Uint32Array, 1))]).toEqual([0, 0]);
    await expect(done.elapsedSince(done)).rejects.toThrow(/never recorded/);
    const before = device.made.bindGroups;
    sequence.replay();
    x.write(Uint32Array.of(7));
    sequence.replay();
    sequence.replay({});
    expect(device.made.bindGroups).toBe(before);
    expect([...(await x.read(Uint32Array, 2))]).toEqual([607, 900]);
    expect([...(await y.read(Uint32Array, 2))]).toEqual([1607, 1900]);
    expect(await x.at(64).read(Uint32Array, 2)).toEqual(Uint32Array.of(0, 900));
    expect(await y.at(64).read(Uint32Array, 2)).toEqual(Uint32Array.of(3000, 3000));
    await done.synchronize();
  });

  test('accept other numbers and other pointers by name', async () => {
    const mod = await rt.load(text);
    using x = rt.alloc(128, { label: 'x' });
    using y = rt.alloc(128, { label: 'y' });
    using z = rt.alloc(128, { label: 'z' });
    const [add, copy] = [mod.kernel('add'), mod.kernel('copy')];
    const sequence = rt.record((argument) => {
      const n = argument('n', 1);
      add.launch(one, [x, n]);
      copy.launch(one, [x, argument('to', y)]);
      add.launch(one, [argument('to', y), n]);
    });
    expect(sequence.arguments).toEqual(['n', 'to']);
    const first = async () => Promise.all([x, y, z].map(async (p) => (await p.read(Uint32Array, 1))[0]));
    sequence.replay();
    expect(await first()).toEqual([1, 2, 0]);
    sequence.replay({ n: 10 });
    expect(await first()).toEqual([11, 21, 0]);
    sequence.replay({ to: z });
    expect(await first()).toEqual([21, 21, 31]);
    sequence.replay({ n: Uint32Array.of(100), to: y });
    expect(await first()).toEqual([121, 221, 31]);
    // The pointer is inside an allocation, and later equals the other pointer. Such replays need
    // other shaders.
    sequence.replay({ n: 1, to: z.at(4) });
    expect([...(await z.read(Uint32Array, 2))]).toEqual([31, 123]);
    sequence.replay({ to: x });
    expect(await first()).toEqual([124, 221, 31]);
    sequence.replay({ to: y });
    expect(await first()).toEqual([125, 126, 31]);
  });

  test('refuse values that the kernels do not accept, without any effect', async () => {
    const mod = await rt.load(text);
    using x = rt.alloc(128);
    const gone = rt.alloc(128, { label: 'gone' });
    const add = mod.kernel('add');
    const sequence = rt.record((argument) => {
      add.launch(one, [argument('x', x), argument('n', 1)]);
      add.launch(one, [x, argument('n', 1)]);
    });
    gone.free();
    expect(() => sequence.replay({ m: 1 })).toThrow(/lacks an argument `m`; its arguments are `x`, `n`/);
    expect(() => sequence.replay({ n: 0.5 })).toThrow(/argument 1 of add .*: expected an integer of 32 bits, got 0.5/);
    expect(() => sequence.replay({ n: 5, x: gone })).toThrow(/`gone` of 128 bytes is freed/);
    expect(() => sequence.replay({ n: 5, x: 7n })).toThrow(/the value is not an address/);
    sequence.replay();
    expect((await x.read(Uint32Array))[0]).toBe(2);
    expect(() => rt.record((argument) => add.launch(one, [x, argument('n', 'one' as never)]))).toThrow(TypeError);
    expect(() => rt.record((argument) => [argument('n', 1), argument('n', 2)])).toThrow(/already has a value/);
    expect(() => rt.record(() => rt.record(() => undefined))).toThrow(/cannot contain another recording/);
    expect(() => rt.record(() => x.write(Uint32Array.of(1)))).toThrow(/`write` cannot be recorded/);
    expect(() => rt.record(() => sequence.replay())).toThrow(/`replay` cannot be recorded/);
    let named: NamedArgument | undefined;
    rt.record((argument) => {
      named = argument('n', 1);
    });
    const theirs = named ?? 1;
    expect(() => add.launch(one, [x, theirs])).toThrow(/`n` belongs to another recording/);
    expect(() => rt.record(() => add.launch(one, [x, theirs]))).toThrow(/`n` belongs to another recording/);
    await rt.synchronize();
  });

  test('follow moved memory, and refuse freed memory', async () => {
    const mod = await rt.load(text);
    using x = rt.alloc(128);
    using out = rt.alloc(16);
    const later = rt.alloc(16, { label: 'later' });
    const sequence = rt.record(() => {
      mod.kernel('add').launch(one, [x, 1]);
      mod.kernel('add').launch({ grid: 1, block: 4 }, [later, 1]);
    });
    sequence.replay();
    // x moves into the heap, which then grows.
    const keep = rt.record(() => mod.kernel('keep').launch({ grid: 1, block: 1 }, [x, out]));
    sequence.replay();
    keep.replay();
    using large = rt.alloc(5 << 20);
    expect(large.address).toBeGreaterThan(0n);
    sequence.replay();
    keep.replay();
    expect((await out.read(BigUint64Array))[0]).toBe(x.address);
    expect((await out.at(8).read(Uint32Array))[0]).toBe(3);
    later.free();
    expect(() => sequence.replay()).toThrow(/`later` of 16 bytes is freed/);
    keep.replay();
    expect((await out.at(8).read(Uint32Array))[0]).toBe(3);
  });

  test('work on a page’s own buffers, whose addresses kernels store', async () => {
    const mod = await rt.load(text);
    const { device } = rt;
    const buffer = device.createBuffer({ size: 128, usage: 0x80 | 0x4 | 0x8 });
    const x = rt.adopt(buffer);
    using out = rt.alloc(16);
    const sequence = rt.record(() => {
      mod.kernel('add').launch(one, [x, 5]);
      mod.kernel('keep').launch({ grid: 1, block: 1 }, [x, out]);
    });
    sequence.replay();
    sequence.replay();
    expect((await out.at(8).read(Uint32Array))[0]).toBe(10);
    expect((await x.read(Uint32Array))[0]).toBe(10);
    x.free();
    buffer.destroy();
  });

  test('print in order, and report traps', async () => {
    const mod = await rt.load(text, { file: 'record.ptx' });
    const sequence = rt.record((argument) => {
      mod.kernel('say').launch({ grid: 1, block: 1 }, [argument('a', 1)]);
      mod.kernel('say').launch({ grid: 1, block: 1 }, [2]);
    });
    sequence.replay();
    sequence.replay({ a: 3 });
    await rt.synchronize();
    expect(printed).toEqual(['1', '2', '3', '2']);
    const stop = rt.record(() => mod.kernel('stop').launch(one, [3]));
    await rt.synchronize();
    for (let round = 0; round < 2; round++) {
      stop.replay();
      await expect(rt.synchronize()).rejects.toThrow(KernelError);
    }
    await rt.synchronize();
  });
});
