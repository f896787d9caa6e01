// Jobs and measurements on a device, and the rejection of pending calls when the device fails.
import { expect, test } from 'vitest';
import { Engine } from '../../../src/runtime/device/engine.ts';
import type { GpuJob } from '../../../src/runtime/device/job.ts';
import { GpuRunner } from '../../../src/runtime/device/runner.ts';
import type { GpuSequence } from '../../../src/runtime/device/sequence.ts';
import { FakeGpu, type FakeGpuOptions } from '../../fake-gpu/index.ts';

async function open(options: FakeGpuOptions = {}, features: GPUFeatureName[] = []) {
  const gpu = new FakeGpu(options);
  await (await gpu.requestAdapter())?.requestDevice({ requiredFeatures: features });
  const [device] = gpu.devices;
  if (!device) throw new Error('no device');
  const engine = new Engine(device);
  return { device, engine, runner: new GpuRunner(engine) };
}

const bindings = `@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<uniform> by: vec4u;`;
const codeOf = (statement: string): string => `${bindings}
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) { ${statement} }`;
const add = codeOf('out[id.x] += by.x;');

const job = (change: Partial<GpuJob> = {}): GpuJob => ({
  label: 'job',
  code: add,
  entryPoint: 'main',
  buffers: [
    { binding: 0, kind: 'storage', bytes: 16, data: Uint8Array.of(1, 0, 0, 0, 2), read: true },
    { binding: 1, kind: 'uniform', bytes: 16, data: Uint8Array.of(5), read: false },
  ],
  workgroups: [1, 1, 1],
  ...change,
});

const sequence = (change: Partial<GpuSequence> = {}): GpuSequence => ({
  label: 'sequence',
  buffers: [
    { bytes: 16, uniform: false, read: true },
    { bytes: 16, uniform: true, data: Uint8Array.of(1), read: false },
    { bytes: 256 * 1024, uniform: false, read: true },
  ],
  prepare: [step(0)],
  steps: [step(0), step(2)],
  timing: { repeat: 3, samples: 2, warmup: 1 },
  ...change,
});

function step(buffer: number) {
  const bound = [
    { binding: 0, kind: 'storage', buffer },
    { binding: 1, kind: 'uniform', buffer: 1 },
  ] as const;
  return { code: add, entryPoint: 'main', bindings: bound, workgroups: [1, 1, 1] } as const;
}

const wordsOf = (bytes: Uint8Array | undefined) => [...new Uint32Array(bytes?.slice().buffer ?? new ArrayBuffer(0))];

test('a job releases its buffers, and buffers without data start as zeros', async () => {
  const { runner, device } = await open();
  for (let round = 0; round < 3; round++) {
    const { buffers, ms } = await runner.run(job());
    expect(wordsOf(buffers.get(0))).toEqual([6, 7, 5, 5]);
    expect(buffers.has(1)).toBe(false);
    expect(ms).toBeGreaterThanOrEqual(0);
  }
  // The jobs share three buffers: the ring of uniforms, a buffer for data, and a buffer for reading
  // it.
  expect(device.made.buffers).toBe(3);
  const nothingRead = job({ buffers: job().buffers.map((buffer) => ({ ...buffer, read: false })) });
  expect((await runner.run(nothingRead)).buffers.size).toBe(0);
});

test.each<[string, Partial<GpuJob>, string, RegExp]>([
  ['sizes', { buffers: [{ binding: 0, kind: 'storage', bytes: 6, read: true }] }, 'validation', /^job: binding 0 has 6 bytes, 0 of data: expected a multiple of 4 bytes/],
  ['WGSL', { code: codeOf('out[0] = missing;') }, 'shader', /^job:3:1: WGSL line 3: missing is not declared\n {2}3 \| @compute .*\n {4}\| \^$/],
  ['an entry point', { entryPoint: 'other' }, 'shader', /^job: cannot create the pipeline of `other`: .*lacks the entry point/],
  ['workgroups', { workgroups: [65_536, 1, 1] }, 'validation', /^job: .*65536 workgroups are more than 65535/],
  ['memory', { buffers: [{ binding: 0, kind: 'storage', bytes: 2 ** 22, read: true }, { binding: 1, kind: 'uniform', bytes: 16, read: false }] }, 'out-of-memory', /^job: .*no room for 4194304 bytes/],
])('an invalid job is rejected, and the next one runs: %s', async (_, change, kind, message) => {
  const { runner, device } = await open({ memory: 2 ** 21 });
  const told = { kind, message: expect.stringMatching(message) };
  await expect(runner.run(job(change))).rejects.toThrow(expect.objectContaining(told));
  expect(wordsOf((await runner.run(job())).buffers.get(0))).toEqual([6, 7, 5, 5]);
  expect(device.uncaptured).toEqual([]);
}); // biome-ignore format: a line each

test('a shader that never ends loses the device, and the job is rejected', async () => {
  const { runner } = await open({ maxSteps: 1000 });
  const endless = job({ code: codeOf('loop { out[0] += 1u; if (out[0] == 0u) { break; } }') });
  const lost = {
    kind: 'lost',
    message: expect.stringMatching(/^the GPU device was lost \(unknown\): job: .*an endless loop/),
  };
  await expect(runner.run(endless)).rejects.toThrow(expect.objectContaining(lost));
  await expect(runner.run(job())).rejects.toThrow(expect.objectContaining(lost));
});

test.each([
  ['gpu', ['timestamp-query']],
  ['host', []],
] as const)('measures by the clock of the %s', async (clock, features) => {
  const { runner, device } = await open({}, [...features]);
  const result = await runner.time(sequence());
  expect(result.clock).toBe(clock);
  expect(result.stamps.map(([begin, end]) => end > begin)).toEqual([true, true]);
  // The kernel runs once to prepare, once to warm up, and three times in each of two samples.
  expect(wordsOf(result.windows.get(0))).toEqual([8, 8, 8, 8]);
  const large = wordsOf(result.windows.get(2));
  // Only the beginning, the middle and the end of a large buffer are read back.
  expect(large.length).toBe((3 * 64 * 1024) / 4);
  expect(large.slice(0, 5)).toEqual([7, 7, 7, 7, 0]);
  expect(result.windows.has(1)).toBe(false);
  const wrong = sequence({ steps: [step(9)] });
  await expect(runner.time(wrong)).rejects.toThrow(/^sequence: binding 0 names buffer 9, which does not exist$/);
  expect(device.uncaptured).toEqual([]);
});
