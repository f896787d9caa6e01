// Recorded launches: replayed unchanged, with other arguments, and after memory has moved.
import { expect, test } from 'vitest';
import { KernelError, type NamedArgument } from '../../../src/runtime/index.ts';
import { addKernel, copyKernel, kernelOf, moduleOf, printDeclarations, printKernel } from '../../runtime-ptx.ts';
import { onEachPlatform } from './fake-runtime.ts';

const text = moduleOf(
  printDeclarations,
  addKernel,
  copyKernel,
  // Stores the address, so the parameter is a number as well as a pointer.
  kernelOf(
    'keep',
    ['u64 x', 'u64 out'],
    'st.global.u64 [%out], %x; ld.global.u32 %r1, [%x]; st.global.u32 [%out+8], %r1;',
  ),
  kernelOf('stop', ['u32 n'], 'setp.ne.u32 %p1, %i, %n; @%p1 bra L; trap; L:'),
  printKernel('say'),
  printKernel('tell'),
);

const one = { grid: 1, block: 32 } as const;

onEachPlatform('recorded launches', (fake) => {
  test('run as often as they are replayed, with copies and fills among them, and reuse their objects', async () => {
    const mod = await fake.rt.load(text);
    using x = fake.rt.alloc(128);
    using y = fake.rt.alloc(128);
    using done = fake.rt.event();
    const sequence = fake.rt.record(() => {
      for (let round = 0; round < 300; round++) mod.kernel('add').launch(one, [x, 1]);
      fake.rt.memcpy(y, x, 64);
      fake.rt.memset(x.at(64), 0, 4);
      done.record();
      mod.kernel('add').launch(one, [y, 1000]);
    });
    expect([...(await y.read(Uint32Array, 1)), ...(await x.read(Uint32Array, 1))]).toEqual([0, 0]);
    await expect(done.elapsedSince(done)).rejects.toThrow(/never recorded/);
    const before = fake.device.made.bindGroups;
    sequence.replay();
    x.write(Uint32Array.of(7));
    sequence.replay();
    sequence.replay({});
    expect(fake.device.made.bindGroups).toBe(before);
    expect([...(await x.read(Uint32Array, 2))]).toEqual([607, 900]);
    expect([...(await y.read(Uint32Array, 2))]).toEqual([1607, 1900]);
    expect(await x.at(64).read(Uint32Array, 2)).toEqual(Uint32Array.of(0, 900));
    expect(await y.at(64).read(Uint32Array, 2)).toEqual(Uint32Array.of(3000, 3000));
    await done.synchronize();
  });

  test('accept other numbers and other pointers by name', async () => {
    const mod = await fake.rt.load(text);
    using x = fake.rt.alloc(128, { label: 'x' });
    using y = fake.rt.alloc(128, { label: 'y' });
    using z = fake.rt.alloc(128, { label: 'z' });
    const [add, copy] = [mod.kernel('add'), mod.kernel('copy')];
    const sequence = fake.rt.record((argument) => {
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
    const mod = await fake.rt.load(text);
    using x = fake.rt.alloc(128);
    const gone = fake.rt.alloc(128, { label: 'gone' });
    const add = mod.kernel('add');
    const sequence = fake.rt.record((argument) => {
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
    expect(() => fake.rt.record((argument) => add.launch(one, [x, argument('n', 'one' as never)]))).toThrow(TypeError);
    expect(() => fake.rt.record((argument) => [argument('n', 1), argument('n', 2)])).toThrow(/already has a value/);
    expect(() => fake.rt.record(() => fake.rt.record(() => undefined))).toThrow(/cannot contain another recording/);
    expect(() => fake.rt.record(() => x.write(Uint32Array.of(1)))).toThrow(/`write` cannot be recorded/);
    expect(() => fake.rt.record(() => sequence.replay())).toThrow(/`replay` cannot be recorded/);
    let named: NamedArgument | undefined;
    fake.rt.record((argument) => {
      named = argument('n', 1);
    });
    const theirs = named ?? 1;
    expect(() => add.launch(one, [x, theirs])).toThrow(/`n` belongs to another recording/);
    expect(() => fake.rt.record(() => add.launch(one, [x, theirs]))).toThrow(/`n` belongs to another recording/);
    await fake.rt.synchronize();
  });

  test('follow moved memory, and refuse freed memory', async () => {
    const mod = await fake.rt.load(text);
    using x = fake.rt.alloc(128);
    using out = fake.rt.alloc(16);
    const later = fake.rt.alloc(16, { label: 'later' });
    const sequence = fake.rt.record(() => {
      mod.kernel('add').launch(one, [x, 1]);
      mod.kernel('add').launch({ grid: 1, block: 4 }, [later, 1]);
    });
    sequence.replay();
    // x moves into the heap, which then grows.
    const keep = fake.rt.record(() => mod.kernel('keep').launch({ grid: 1, block: 1 }, [x, out]));
    sequence.replay();
    keep.replay();
    using large = fake.rt.alloc(5 << 20);
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
    const mod = await fake.rt.load(text);
    const buffer = fake.device.createBuffer({ size: 128, usage: 0x80 | 0x4 | 0x8 });
    const x = fake.rt.adopt(buffer);
    using out = fake.rt.alloc(16);
    const sequence = fake.rt.record(() => {
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
    const mod = await fake.rt.load(text, { file: 'record.ptx' });
    const sequence = fake.rt.record((argument) => {
      mod.kernel('say').launch({ grid: 1, block: 1 }, [argument('a', 1), 1]);
      mod.kernel('tell').launch({ grid: 1, block: 1 }, [2, 1]);
      mod.kernel('say').launch({ grid: 1, block: 1 }, [3, 1]);
    });
    sequence.replay();
    sequence.replay({ a: 4 });
    await fake.rt.synchronize();
    const lines = ['say: 1', 'tell: 2', 'say: 3', 'say: 4', 'tell: 2', 'say: 3'];
    expect(fake.printed).toEqual(lines.map((line) => `${line}\n`));
    const stop = fake.rt.record(() => mod.kernel('stop').launch(one, [3]));
    await fake.rt.synchronize();
    for (let round = 0; round < 2; round++) {
      stop.replay();
      await expect(fake.rt.synchronize()).rejects.toThrow(KernelError);
    }
    await fake.rt.synchronize();
  });
});
