// Reports of long compilations, and their time limit.
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Compilations, type CompileEvent, writeCompilations } from '../../../src/runtime/device/compilations.ts';
import { Faults } from '../../../src/runtime/device/faults.ts';
import { CompileTimeout } from '../../../src/runtime/device/gpu-error.ts';
import { Shaders } from '../../../src/runtime/device/shaders.ts';
import { plainWaits } from '../../../src/runtime/device/waits.ts';
import { compileTimeout, runtimeWaysOut } from '../../../src/runtime/launch/compile-limit.ts';

function setUp() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const compilations = new Compilations();
  const events: CompileEvent[] = [];
  compilations.onCompile = (event) => void events.push(event);
  return { compilations, events };
}

const delay = (ms: number, error?: Error) =>
  new Promise<string>((resolve, reject) => setTimeout(() => (error ? reject(error) : resolve('done')), ms));
const late = (limitMs: number) => new CompileTimeout('late', limitMs);

test('lines follow after 2, 4 and 8 seconds of each compilation, and at its end', () => {
  const lines: string[] = [];
  const write = writeCompilations((line) => lines.push(line));
  for (const kernel of ['a', 'b', 'a']) {
    for (let ms = 2_000; ms <= 9_000; ms += 1_000) write({ kernel, ms, state: 'compiling' });
    write({ kernel, ms: 9_400, state: 'compiled' });
  }
  const texts = [2, 4, 8].map((seconds) => `compiling (the driver), ${seconds} s`);
  expect(lines).toEqual(
    ['a', 'b', 'a'].flatMap((kernel) => [...texts, 'compiled (the driver), 9 s'].map((text) => `${kernel}: ${text}`)),
  );
});

describe('a compilation', () => {
  test('of less than two seconds is not reported', async () => {
    const { compilations, events } = setUp();
    const watched = compilations.watch('saxpy', delay(1_500));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await watched).toBe('done');
    expect(events).toEqual([]);
  });

  test('of several seconds is reported every second, and at its end', async () => {
    const { compilations, events } = setUp();
    const watched = compilations.watch('saxpy', delay(3_500));
    await vi.advanceTimersByTimeAsync(9_000);
    await watched;
    const expected = [
      [2_000, 'compiling'],
      [3_000, 'compiling'],
      [3_500, 'compiled'],
    ].map(([ms, state]) => ({ kernel: 'saxpy', ms, state }));
    expect(events).toEqual(expected);
  });

  test.each([
    ['is abandoned at the limit', 9_000, undefined, 'abandoned'],
    ['fails', 2_500, new Error('a bug of the driver'), 'failed'],
  ] as const)('that %s says so', async (_, ms, error, state) => {
    const { compilations, events } = setUp();
    compilations.timeoutMs = 4_000;
    const watched = expect(compilations.watch('saxpy', delay(ms, error), late)).rejects.toThrow();
    await vi.advanceTimersByTimeAsync(10_000);
    await watched;
    expect(events.at(-1)?.state).toBe(state);
  });

  test('has no limit without an error for it', async () => {
    const { compilations } = setUp();
    compilations.timeoutMs = 1_000;
    const watched = compilations.watch('saxpy', delay(5_000));
    await vi.advanceTimersByTimeAsync(6_000);
    expect(await watched).toBe('done');
  });
});

test('a later launch continues an abandoned compilation', async () => {
  const { compilations } = setUp();
  compilations.timeoutMs = 1_000;
  let started = 0;
  const device: GPUDevice = Object.assign(Object.create(null), {
    lost: new Promise<never>(() => undefined),
    pushErrorScope: () => undefined,
    popErrorScope: async () => null,
    createBindGroupLayout: () => ({}),
    createPipelineLayout: () => ({}),
    createShaderModule: () => ({ getCompilationInfo: async () => ({ messages: [] }) }),
    createComputePipelineAsync: () => {
      started++;
      return delay(1_500);
    },
  });
  const shaders = new Shaders(device, new Faults(device, plainWaits), compilations);
  const shader = shaders.get({ label: 'a', code: '', entryPoint: 'main', buffers: [] });
  const first = expect(shader.prepare()).rejects.toMatchObject({ kind: 'timeout', limitMs: 1_000 });
  await vi.advanceTimersByTimeAsync(1_000);
  await first;
  const second = shader.prepare();
  await vi.advanceTimersByTimeAsync(500);
  await second;
  expect([started, shader.pipeline]).toEqual([1, 'done']);
});

test('the error names the kernel, its size and the ways out', () => {
  const source = { file: 'k.ptx', text: '.entry k()' };
  const program = { kernel: 'k', code: 'x'.repeat(3_000), block: [64, 1, 1] } as const;
  const abandoned = { program, source, span: { start: 0, end: 10 } };
  const slow = compileTimeout({ ...abandoned, isFast: false }, 5_000, runtimeWaysOut);
  expect([slow.kind, slow.limitMs]).toEqual(['timeout', 5_000]);
  expect(slow.message).toContain(
    'k.ptx:1:1: error[LW2016]: the driver did not compile `k` within 5 s: its shader has 3 KiB of WGSL',
  );
  expect(slow.message).toContain("fast f32 (`float: 'fast'`)");
  expect(slow.message).toContain('a smaller block');
  expect(compileTimeout({ ...abandoned, isFast: true }, 5_000, runtimeWaysOut).message).not.toContain('fast f32');
});
