// The CUDA session on a stub of the driver: arguments, results and failures.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Launch, LaunchParam } from '../../../../src/base/launch.ts';
import { type CudaSession, openCuda } from '../../../../src/harness/cuda/session.ts';
import { openExecutor } from '../../../../src/harness/executors/open-executor.ts';
import { smokeTest } from '../../../../src/harness/runs/cuda-smoke.ts';
import { recordGolden } from '../../../../src/harness/runs/golden.ts';
import { KernelError } from '../../../../src/runtime/launch/kernel-error.ts';
import { buildStub, launchOf, missing, words, wordsOf } from './cuda-stub.ts';

const out: LaunchParam = words('out', 4);
const launches = {
  illegal: launchOf('illegal', ['.u64 $'], [out]),
  endless: launchOf('endless', ['.u64 $'], [out]),
  crash: launchOf('crash', ['.u64 $'], [out]),
  countUp: launchOf('count_up', ['.u64 $'], [out]),
} as const;

async function countUp(session: CudaSession, launch: Launch = launches.countUp) {
  const [counter, loads, allocations, pid] = wordsOf((await session.run(launch)).outputs.get(0));
  return { counter, loads, allocations, pid };
}

describe.skipIf(missing !== undefined)(`CUDA on a stub driver${missing ? ` (${missing})` : ''}`, () => {
  let stub: string;
  let session: CudaSession;

  beforeAll(async () => {
    stub = buildStub();
    process.env.LANEWISE_LIBCUDA = stub;
    session = await openCuda();
  });

  afterAll(async () => {
    await session?.close();
    delete process.env.LANEWISE_LIBCUDA;
  });

  test('describes the GPU', () => {
    expect(session.describe()).toMatchObject({
      gpu: 'Stub GPU',
      computeCapability: '9.0',
      cuda: '12.8',
      multiprocessors: 4,
      clockKhz: 1_980_000,
      memoryBytes: 2 ** 37,
      sharedBytesPerBlock: 232_448,
    });
  });

  test('the output of a kernel is returned with its own launch only', async () => {
    const print = launchOf('print', ['.u64 $'], [out]);
    expect((await session.run(print)).printed).toBe('lane 1\nlane 0: Grüße\n');
    expect((await session.run(launches.countUp)).printed).toBe('');
    await session.time(print, 2);
    expect((await session.run(launches.countUp)).printed).toBe('');
    expect((await session.run(print)).printed).toBe('lane 1\nlane 0: Grüße\n');
  });

  test('the smoke test passes', async () => {
    await expect(smokeTest()).resolves.toMatchObject({ report: { gpu: 'Stub GPU' } });
  });

  test('parameters of every kind arrive bit by bit', async () => {
    const scalar = (type: Extract<LaunchParam, { kind: 'scalar' }>['type'], value: number | bigint): LaunchParam => ({
      name: type,
      kind: 'scalar',
      type,
      value,
    });
    const declarations = '.u64 .u8 .s8 .u16 .s16 .u32 .s32 .u64 .s64 .f32 .f64'.split(' ').map((type) => `${type} $`);
    const launch = launchOf(
      'dump_params',
      [...declarations, '.align 4 .b8 $[12]', '.u8 $'],
      [
        { name: 'out', kind: 'buffer', type: 'u8', bytes: 64 },
        scalar('u8', 0xfe),
        scalar('s8', -2),
        scalar('u16', 0xfedc),
        scalar('s16', -3),
        scalar('u32', 0xfedcba98),
        scalar('s32', -4),
        scalar('u64', 0xfedcba9876543210n),
        scalar('s64', -5n),
        scalar('f32', 1.5),
        scalar('f64', -0.1),
        { name: 'struct', kind: 'bytes', data: Uint8Array.from({ length: 12 }, (_, i) => 0xa0 + i) },
        scalar('u8', 7),
      ],
    );
    const { outputs } = await session.run(launch);
    const hex = Buffer.from(outputs.get(0) ?? []).toString('hex');
    expect(hex).toBe(
      [
        'fe',
        'fe',
        'dcfe',
        'fdff',
        '98badcfe',
        'fcffffff',
        '1032547698badcfe',
        'fbffffffffffffff',
        '0000c03f',
        '9a9999999999b9bf',
        'a0a1a2a3a4a5a6a7a8a9aaab',
        '07',
      ]
        .join('')
        .padEnd(128, '0'),
    );
  });

  test('geometry and shared memory arrive, even more than 48 KB', async () => {
    const launch = launchOf('geometry', ['.u64 $'], [words('out', 7)], {
      grid: [3, 2, 1],
      block: [8, 4, 2],
      sharedBytes: 100_000,
    });
    expect(wordsOf((await session.run(launch)).outputs.get(0))).toEqual([3, 2, 1, 8, 4, 2, 100_000]);
    const tooMuch = session.run({ ...launch, sharedBytes: 232_449 });
    await expect(tooMuch).rejects.toMatchObject({ kind: 'validation', call: 'cuFuncSetAttribute' });
  });

  test('the size of clusters arrives, also in cooperative launches and for more than 8 blocks', async () => {
    const launch = launchOf('geometry', ['.u64 $'], [words('out', 11)], { grid: [12, 4, 2], sharedBytes: 256 });
    const geometry = [12, 4, 2, 32, 1, 1, 256];
    const shapes: readonly Partial<Launch>[] = [
      { cluster: [3, 2, 1] },
      { cluster: [1, 4, 2], cooperative: true },
      { cluster: [4, 2, 2] },
    ];
    for (const shape of shapes) {
      const { outputs } = await session.run({ ...launch, ...shape });
      const expected = [...geometry, ...(shape.cluster ?? []), shape.cooperative ? 1 : 0];
      expect(wordsOf(outputs.get(0))).toEqual(expected);
    }
    await expect(session.run({ ...launch, cluster: [5, 1, 1] })).rejects.toMatchObject({ call: 'cuLaunchKernelEx' });
  });

  test('a kernel without parameters and large buffers work', async () => {
    expect((await session.run(launchOf('no_params', [], []))).outputs.size).toBe(0);
    const data = Uint8Array.from({ length: 5_000_003 }, (_, i) => i * 7);
    const buffer: LaunchParam = { name: 'out', kind: 'buffer', type: 'u8', bytes: data.length, data, expect: data };
    const { outputs } = await session.run(launchOf('add_one', ['.u64 $'], [buffer]));
    const got = outputs.get(0) ?? new Uint8Array();
    expect(got[0]).toBe(1);
    expect(Buffer.compare(got.subarray(1), data.subarray(1))).toBe(0);
    // The caller's data is unchanged, and the result owns its bytes.
    expect(data[0]).toBe(0);
    expect(got.buffer.byteLength).toBe(data.length);
  });

  test('a module is loaded once, and one with variables for each launch; no memory remains', async () => {
    const first = await countUp(session);
    const second = await countUp(session);
    expect(second).toMatchObject({ counter: (first.counter ?? 0) + 1, loads: first.loads, allocations: 1 });
    const withVariable = launchOf('count_up', ['.u64 $'], [out], { before: '.global .u32 total;' });
    const fresh = [await countUp(session, withVariable), await countUp(session, withVariable)];
    expect(fresh.map(({ counter }) => counter)).toEqual([1, 1]);
    expect(fresh.map(({ loads }) => (loads ?? 0) - (first.loads ?? 0))).toEqual([1, 2]);
  });

  test('later kernels are compiled with the first one, unless one of them fails', async () => {
    const text = launches.countUp.ptx;
    const variant = (end: string): Launch => ({ ...launches.countUp, ptx: text.replace('{ ret; }', `{ ${end}ret; }`) });
    const [first, second] = [variant(' '), variant('  ')];
    const [third, fourth, plain] = [variant('   '), variant('    '), variant('     ')];
    const loadsAfter = async (launch: Launch, soon: readonly Launch[] = [], optimize?: number) =>
      wordsOf(
        (await session.run(launch, { soon, ...(optimize === undefined ? {} : { optimize }) })).outputs.get(0),
      )[1] ?? 0;
    const before = await loadsAfter(variant(''));
    expect(await loadsAfter(first, [second])).toBe(before + 1);
    expect(await loadsAfter(second)).toBe(before + 1);
    // The driver refuses the joined module and accepts the single module, so there are two loads.
    expect(await loadsAfter(third, [variant('WRONG; ')])).toBe(before + 3);
    // Each optimization level has its own modules.
    expect(await loadsAfter(plain, [first, second], 0)).toBe(before + 4);
    expect(await loadsAfter(first, [], 0)).toBe(before + 4);
    const { pid } = await countUp(session);
    expect(await loadsAfter(fourth, [variant('// ENDS THE COMPILER\n')])).toBe(1);
    expect((await countUp(session)).pid).not.toBe(pid);
  });

  test('launches run one after another', async () => {
    const counters = await Promise.all(Array.from({ length: 5 }, () => countUp(session)));
    const [first = 0] = counters.map(({ counter }) => counter ?? 0);
    expect(counters.map(({ counter }) => counter)).toEqual([first, first + 1, first + 2, first + 3, first + 4]);
  });

  test('the compiler log is returned with a run', async () => {
    const launch = launchOf('no_params', [], [], { before: '// NOTED' });
    expect((await session.run(launch)).log).toBe('ptxas info    : noted');
  });

  test.each([
    ['PTX that does not compile', { before: '// WRONG' }, 'shader', /line 4; error {3}: Unknown symbol 'WRONG'/],
    ['an unknown kernel', { entry: 'other' }, 'shader', /count_up\.ptx has no kernel named `other`/],
    ['a block too large', { block: [1024, 2, 1] }, 'validation', /cuLaunchKernel: invalid argument \(CUDA_ERROR_INV/],
    ['too few parameters', { params: [] }, 'validation', /the kernel has 1 parameters, but the launch has 0/],
    [
      'a parameter of another size',
      { params: [{ name: 'n', kind: 'scalar', type: 'u32', value: 1 }] },
      'validation',
      /parameter `n` has 8 bytes, but the launch passes 4/,
    ],
    [
      'a buffer too large',
      { params: [{ name: 'out', kind: 'buffer', type: 'u8', bytes: 2 ** 28 }] },
      'out-of-memory',
      /cuMemAlloc_v2: out of memory \(CUDA_ERROR_OUT_OF_MEMORY 2\)/,
    ],
  ] as const)('%s is refused, and the process continues', async (_, change, kind, message) => {
    const { pid, allocations } = await countUp(session);
    const launch = launchOf('count_up', ['.u64 $'], [out], change);
    await expect(session.run(launch)).rejects.toMatchObject({ kind, message: expect.stringMatching(message) });
    expect(await countUp(session)).toMatchObject({ pid, allocations });
  });

  test('a write beside a buffer is found, before and after it', async () => {
    const launch = (offset: number): Launch =>
      launchOf(
        'write_at',
        ['.u64 $', '.s32 $'],
        [words('out', 4), { name: 'at', kind: 'scalar', type: 's32', value: offset }],
      );
    await expect(session.run(launch(15))).resolves.toBeDefined();
    await expect(session.run(launch(16))).rejects.toThrow('out of bounds: byte 16 of `out`, which has 16 bytes');
    await expect(session.run(launch(-1))).rejects.toMatchObject({
      kind: 'validation',
      message: expect.stringContaining('byte -1 of `out`'),
    });
  });

  test.each([
    ['an illegal access', launches.illegal, 'lost', /illegal memory access was encountered \(CUDA_ERROR_ILLEGAL_ADDR/],
    ['a crash of the driver', launches.crash, 'lost', /was killed by SIGABRT\nthe stub driver crashes/],
    ['an endless kernel', launches.endless, 'timeout', /endless: no answer within 300 ms/],
  ] as const)('%s ends the process; the next launch starts a new one', async (_, launch, kind, message) => {
    const { pid } = await countUp(session);
    const failed = session.run(launch, { timeoutMs: launch === launches.endless ? 300 : 300_000 });
    const queued = countUp(session);
    await expect(failed).rejects.toMatchObject({ kind, message: expect.stringMatching(message) });
    const after = await queued;
    expect(after).toMatchObject({ counter: 1, loads: 1 });
    expect(after.pid).not.toBe(pid);
    expect(() => process.kill(pid ?? 0, 0)).toThrow('ESRCH');
  });

  test('an endless kernel reaches its own limit once, even if other kernels were compiled with it', async () => {
    const { pid } = await countUp(session);
    const soon = [{ ...launches.countUp, ptx: launches.countUp.ptx.replace('{ ret; }', '{  ret; }') }];
    const begin = performance.now();
    await expect(
      session.run(launches.endless, { kernelTimeoutMs: 50, timeoutMs: 300_000, soon }),
    ).rejects.toMatchObject({
      kind: 'timeout',
      message: 'the kernel did not end within 50 ms',
    });
    expect(performance.now() - begin).toBeGreaterThan(50);
    const after = await countUp(session);
    expect(after).toMatchObject({ counter: 1, loads: 1 });
    expect(after.pid).not.toBe(pid);
  });

  test('time returns a number for each sample', async () => {
    expect(await session.time(launchOf('add_one', ['.u64 $'], [out]), 3)).toEqual([1.5, 1.5, 1.5]);
    await expect(session.time(launches.endless, 1, { timeoutMs: 200 })).rejects.toMatchObject({ kind: 'timeout' });
  });

  test('after close nothing runs, and closing again has no effect', async () => {
    const other = await openCuda();
    await Promise.all([other.close(), other.close()]);
    await expect(other.run(launches.countUp)).rejects.toMatchObject({ kind: 'lost' });
  });

  test('without a GPU or a driver the session is unavailable, and the error names the missing part', async () => {
    process.env.STUB_CUDA_INIT = '100';
    try {
      await expect(openCuda()).rejects.toMatchObject({
        kind: 'unavailable',
        message: expect.stringContaining('no CUDA-capable device'),
      });
    } finally {
      delete process.env.STUB_CUDA_INIT;
    }
    process.env.LANEWISE_LIBCUDA = '/nowhere/libcuda.so.1';
    try {
      await expect(openCuda()).rejects.toMatchObject({
        kind: 'unavailable',
        message: expect.stringContaining('/nowhere/libcuda.so.1'),
      });
    } finally {
      process.env.LANEWISE_LIBCUDA = stub;
    }
  });

  test('the executor describes, runs, and reports PTX errors at their lines', async () => {
    const executor = await openExecutor('cuda');
    try {
      expect(executor.describe()).toMatchObject({
        name: 'cuda',
        subgroupSize: 32,
        adapter: { device: 'Stub GPU', architecture: 'sm_90', software: false },
      });
      const { outputs } = await executor.run(launches.countUp);
      expect(wordsOf(outputs.get(0))[0]).toBe(1);
      const wrong = await rejection(executor.run(launchOf('count_up', ['.u64 $'], [out], { before: '  WRONG' })));
      expect(wrong.kind).toBe('invalid');
      expect(wrong.render(false)).toContain("Unknown symbol 'WRONG'");
      expect(wrong.render(false)).toContain('count_up.ptx:4:3');
      const newer = launchOf('count_up', ['.u64 $'], [out], { before: '// .target sm_999' });
      expect((await rejection(executor.run(newer))).kind).toBe('unsupported');
    } finally {
      await executor.close();
    }
  });

  test('a fragment reaches the driver as a module', async () => {
    const executor = await openExecutor('cuda');
    try {
      const launch = launchOf('fragment', [], [words('in_x', [5, 6]), words('out_y', 2)], { block: [2, 1, 1] });
      const { outputs } = await executor.run({ ...launch, ptx: 'add.u32 y, x, 1;' });
      expect(wordsOf(outputs.get(1))).toEqual([6, 7]);
      const wrong = await rejection(executor.run({ ...launch, ptx: 'add.u33 y, x, 1;' }));
      expect(wrong.kind).toBe('invalid');
    } finally {
      await executor.close();
    }
  });

  test('a golden records every buffer, the GPU and the day', async () => {
    const ptx = launchOf('vector_add', ['.u64 $', '.u64 $', '.u64 $', '.u32 $'], []).ptx;
    const base64 = (...values: number[]) => Buffer.from(Float32Array.from(values).buffer).toString('base64');
    const document = {
      id: 'sum',
      note: 'stays',
      ptx: 'sum.ptx',
      entry: 'vector_add',
      grid: [1, 1, 1],
      block: [32, 1, 1],
      params: [
        { name: 'x', kind: 'buffer', type: 'f32', bytes: 8, data: base64(1, 2) },
        { name: 'y', kind: 'buffer', type: 'f32', bytes: 8, data: base64(10, 20) },
        { name: 'sum', kind: 'buffer', type: 'f32', bytes: 8, tolerance: { rel: 0, abs: 0.5 } },
        { name: 'n', kind: 'u32', value: 2 },
      ],
    };
    const [x, y, sum, n] = document.params;
    expect(await recordGolden(JSON.stringify(document), ptx, session, { date: '2030-01-02' })).toEqual({
      ...document,
      params: [{ ...x, expect: base64(1, 2) }, { ...y, expect: base64(10, 20) }, { ...sum, expect: base64(11, 22) }, n],
      golden: {
        gpu: 'Stub GPU',
        driver: session.describe().driver,
        date: '2030-01-02',
        ptxSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    });
  });

  test.each([
    ['reads beside its buffer', 'read_before', /`out` differs between launches/],
    ['writes nothing', 'write_nothing', /changed no buffer/],
  ])('golden refuses a kernel that %s', async (_, entry, message) => {
    const launch = launchOf(entry, ['.u64 $'], []);
    const document = {
      id: entry,
      ptx: 'x.ptx',
      entry,
      grid: [1, 1, 1],
      block: [1, 1, 1],
      params: [{ name: 'out', kind: 'buffer', type: 'u32', bytes: 4 }],
    };
    await expect(recordGolden(JSON.stringify(document), launch.ptx, session)).rejects.toThrow(message);
  });
});

async function rejection(run: Promise<unknown>): Promise<KernelError> {
  const error = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof KernelError)) throw new Error(`not a KernelError: ${error}`);
  return error;
}
