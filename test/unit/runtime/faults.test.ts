// Times, and device errors: the next promise rejects with the error, and later work runs.
import { expect, test } from 'vitest';
import { addKernel, kernelOf, moduleOf, printDeclarations, printKernel } from '../../runtime-ptx.ts';
import { onEachPlatform, openFake } from './fake-runtime.ts';

const functions = `
.extern .func __assertfail (.param .b64 message, .param .b64 file, .param .b32 line, .param .b64 fn, .param .b64 size);
.global .align 1 .b8 message[6] = {120, 32, 62, 32, 48, 0};
.global .align 1 .b8 file[5] = {97, 46, 99, 117, 0};
.global .align 1 .b8 fn[2] = {107, 0};
`;

const text = moduleOf(
  printDeclarations,
  functions,
  addKernel,
  kernelOf('stop', ['u32 n'], 'setp.ne.u32 %p1, %i, %n; @%p1 bra L; trap; L:'),
  // Lane 0 waits for all other lanes at a barrier, and they wait for it at a shuffle.
  kernelOf(
    'stuck',
    ['u64 out'],
    `setp.eq.u32 %p1, %thread, 0; @%p1 bra A; shfl.sync.idx.b32 %r1, %r2, 0, 31, -1; bra.uni B;
  A: bar.warp.sync -1; B: st.global.u32 [%out], %r1;`,
  ),
  printKernel('say'),
  printKernel('tell'),
  `.visible .entry claim(.param .u32 claim_n)
{ .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %s<8>;
  ld.param.u32 %r1, [claim_n]; mov.u32 %r2, %tid.x; setp.ne.u32 %p, %r1, %r2; @%p ret;
  mov.u64 %s1, message; cvta.global.u64 %s1, %s1; mov.u64 %s2, file; cvta.global.u64 %s2, %s2; mov.u64 %s3, fn; cvta.global.u64 %s3, %s3;
  { .param .b64 a; st.param.b64 [a], %s1; .param .b64 b; st.param.b64 [b], %s2; .param .b32 c; st.param.b32 [c], 7; .param .b64 d; st.param.b64 [d], %s3;
    .param .b64 e; st.param.b64 [e], 1; call.uni __assertfail, (a, b, c, d, e); }
  ret; }
`,
); // biome-ignore format: PTX

onEachPlatform('faults', (fake) => {
  test('a trap is reported once, at its place, and later launches run', async () => {
    const mod = await fake.rt.load(text, { file: 'faults.ptx' });
    using x = fake.rt.alloc(16);
    mod.kernel('stop').launch({ grid: 2, block: 32 }, [40]);
    mod.kernel('add').launch({ grid: 1, block: 4 }, [x, 1]);
    await expect(x.read(Uint32Array)).rejects.toThrow(
      /stop: faults\.ptx:\d+:\d+: error\[RUN013\]: a thread trapped, block: \[1,0,0\], thread: \[8,0,0\]/,
    );
    // The error is reported once, and the launches after it have run.
    expect([...(await x.read(Uint32Array))]).toEqual([1, 1, 1, 1]);
    mod.kernel('stop').launch({ grid: 1, block: 32 }, [40]);
    await fake.rt.synchronize();
  });

  test('a failed assertion is reported with its text, file, line, block and thread', async () => {
    const mod = await fake.rt.load(text);
    mod.kernel('claim').launch({ grid: 1, block: 32 }, [5]);
    await expect(fake.rt.synchronize()).rejects.toThrow(
      /a\.cu:7: k: block: \[0,0,0\], thread: \[5,0,0\] Assertion `x > 0` failed/,
    );
    mod.kernel('claim').launch({ grid: 1, block: 32 }, [99]);
    await fake.rt.synchronize();
  });

  test('lanes that wait for each other forever are reported', async () => {
    const mod = await fake.rt.load(text);
    using out = fake.rt.alloc(4);
    mod.kernel('stuck').launch({ grid: 1, block: 32 }, [out]);
    await expect(out.read(Uint32Array)).rejects.toThrow(/stuck: lanes wait for each other forever/);
  });

  test('the output of kernels is in the order of the launches, of one kernel or of several', async () => {
    const mod = await fake.rt.load(text);
    const launches = [['say', 1], ['say', 2], ['tell', 3], ['say', 4], ['tell', 5], ['tell', 6]] as const; // biome-ignore format: one line
    for (const [name, n] of launches) mod.kernel(name).launch({ grid: 1, block: 1 }, [n, 1]);
    await fake.rt.synchronize();
    expect(fake.printed).toEqual(launches.map(([name, n]) => `${name}: ${n}\n`));
  });

  test('a time limit names the pending work, and the work continues', async () => {
    using x = fake.rt.alloc(4);
    const mod = await fake.rt.load(text);
    fake.device.timeline.hold();
    mod.kernel('add').launch({ grid: 1, block: 1 }, [x, 1]);
    const late = { kind: 'timeout', message: 'launches up to one of add: no answer within 1 ms' };
    await expect(fake.rt.synchronize({ timeoutMs: 1 })).rejects.toThrow(expect.objectContaining(late));
    fake.device.timeline.release();
    await fake.rt.synchronize({ timeoutMs: 60_000 });
    expect([...(await x.read(Uint32Array))]).toEqual([1]);
  });

  test('events are in order, and their distance is a time', async () => {
    const mod = await fake.rt.load(text);
    using x = fake.rt.alloc(4);
    using before = fake.rt.event();
    using after = fake.rt.event();
    const stream = fake.rt.stream('work');
    await expect(after.elapsedSince(before)).rejects.toThrow(/recorded/);
    stream.record(before);
    for (let round = 0; round < 50; round++) mod.kernel('add').launch({ grid: 1, block: 1, stream }, [x, 1]);
    stream.record(after);
    await after.synchronize();
    const ms = await after.elapsedSince(before);
    expect(ms).toBeGreaterThan(0);
    expect(ms).toBeLessThan(60_000);
    await stream.synchronize();
    expect((await x.read(Uint32Array))[0]).toBe(50);
  });

  test('after a lost device every call fails', async () => {
    const { rt: other } = await openFake();
    const x = other.alloc(64);
    const reading = x.read(Uint32Array);
    other.device.destroy();
    await reading.catch(() => undefined);
    await other.device.lost;
    await expect(other.synchronize()).rejects.toThrow(expect.objectContaining({ kind: 'lost' }));
    expect(() => other.alloc(4)).toThrow(expect.objectContaining({ kind: 'lost' }));
    expect(other.close()).toEqual([{ label: '', bytes: 64 }]);
  });
});
