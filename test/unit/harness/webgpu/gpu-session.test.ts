// Queueing, time limits and closing, on a transport that each test defines.

import { expect, onTestFinished, test, vi } from 'vitest';
import { guard } from '../../../../src/harness/sessions/open-sessions.ts';
import type { Transport } from '../../../../src/harness/webgpu/session.ts';
import { startSession } from '../../../../src/harness/webgpu/session.ts';
import type { AdapterReport, GpuJob, GpuResult } from '../../../../src/runtime/device/job.ts';
import { GpuError } from '../../../../src/runtime/device/job.ts';

const ADAPTER: AdapterReport = {
  vendor: '',
  architecture: '',
  device: '',
  description: 'a test',
  software: true,
  features: [],
  wgslFeatures: [],
  limits: {},
  subgroupMinSize: 0,
  subgroupMaxSize: 0,
  host: '',
  flags: [],
};

const RESULT: GpuResult = { ms: 0, buffers: new Map() };

function job(label: string): GpuJob {
  return { label, code: '', entryPoint: 'main', buffers: [], workgroups: [1, 1, 1] };
}

function recorder(send: Transport['send']): { log: string[]; transport: Transport } {
  const log: string[] = [];
  const transport: Transport = {
    send,
    compile: async () => ({ moduleMs: 1, pipelineMs: 2 }),
    time: async () => ({ stamps: [], clock: 'host', windows: new Map() }),
    close: async () => void log.push('close'),
    kill: () => void log.push('kill'),
  };
  return { log, transport };
}

test('runs one job at a time, in order, even after a failed one', async () => {
  const seen: string[] = [];
  const { transport } = recorder(async ({ label }) => {
    seen.push(`${label} starts`);
    await new Promise((done) => setTimeout(done, 5));
    seen.push(`${label} ends`);
    if (label === 'b') throw new GpuError('shader', 'b is wrong');
    return RESULT;
  });
  const session = startSession(ADAPTER, transport, { guard });
  const settled = await Promise.allSettled(['a', 'b', 'c'].map((label) => session.run(job(label))));
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(seen).toEqual(['a starts', 'a ends', 'b starts', 'b ends', 'c starts', 'c ends']);
  await session.close();
});

test('prepares before its turn, and not after closing', async () => {
  const seen: string[] = [];
  const { transport } = recorder(async ({ label }) => {
    await new Promise((done) => setTimeout(done, 5));
    seen.push(`${label} ends`);
    return RESULT;
  });
  const session = startSession(
    ADAPTER,
    { ...transport, prepare: ({ label }) => void seen.push(`${label} prepared`) },
    { guard },
  );
  const first = session.run(job('a'));
  session.prepare(job('b'));
  await first;
  await session.run(job('b'));
  expect(seen).toEqual(['b prepared', 'a ends', 'b ends']);
  await session.close();
  session.prepare(job('c'));
  expect(seen).toHaveLength(3);
});

test('the time limit of a job starts with the job', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { transport } = recorder(() => new Promise((done) => setTimeout(() => done(RESULT), 60)));
  const session = startSession(ADAPTER, transport, { guard });
  // The runs together take longer than the limit of one.
  const runs = Promise.all(['a', 'b', 'c'].map((label) => session.run(job(label), { timeoutMs: 100 })));
  const ended = expect(runs).resolves.toHaveLength(3);
  await vi.advanceTimersByTimeAsync(200);
  await ended;
  await session.close();
});

test.each([
  ['timeout', () => new Promise<GpuResult>(() => undefined)],
  ['lost', () => Promise.reject(new GpuError('lost', 'the device has gone'))],
  // An unexpected error counts as a lost device.
  ['lost', () => Promise.reject(new TypeError('a bug'))],
] as const)('%s kills the browser, and ends the session', async (kind, send) => {
  const { log, transport } = recorder(send);
  const session = startSession(ADAPTER, transport, { guard });
  await expect(session.run(job('a'), { timeoutMs: 20 })).rejects.toMatchObject({ kind });
  expect(log).toEqual(['kill', 'close']);
  await expect(session.run(job('b'))).rejects.toMatchObject({
    kind: 'lost',
    message: expect.stringContaining('has ended'),
  });
  await session.close();
  expect(log).toEqual(['kill', 'close']);
});

test('closing twice closes once, and removes the signal handlers', async () => {
  // The handlers of earlier sessions remain for some turns of the event loop.
  await new Promise((done) => setTimeout(done, 20));
  const before = process.listenerCount('SIGINT');
  const { log, transport } = recorder(async () => RESULT);
  const session = startSession(ADAPTER, transport, { guard });
  expect(process.listenerCount('SIGINT')).toBe(before + 1);
  await Promise.all([session.close(), session.close()]);
  await session.close();
  expect(log).toEqual(['close']);
  await expect.poll(() => process.listenerCount('SIGINT')).toBe(before);
});

test('a time limit beyond the range of timers does not expire early', async () => {
  const { transport } = recorder(async () => {
    await new Promise((done) => setTimeout(done, 30));
    return RESULT;
  });
  const session = startSession(ADAPTER, transport, { guard });
  // 3,000,000 seconds, which `setTimeout` would replace by one millisecond.
  await expect(session.run(job('slow'), { timeoutMs: 3_000_000_000 })).resolves.toEqual(RESULT);
  await session.close();
});

test('compilation and execution have limits of their own', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const phases: string[] = [];
  const { transport } = recorder(async (_, onPhase) => {
    onPhase('compiling');
    await new Promise((done) => setTimeout(done, 300));
    onPhase('running');
    await new Promise((done) => setTimeout(done, 80));
    return RESULT;
  });
  const session = startSession(ADAPTER, transport, { guard });
  const onPhase = (phase: string) => void phases.push(phase);
  const ended = session.run(job('a'), { timeoutMs: 100, compileTimeoutMs: 400, onPhase });
  await vi.advanceTimersByTimeAsync(400);
  await expect(ended).resolves.toEqual(RESULT);
  expect(phases).toEqual(['compiling', 'running']);
  const late = expect(session.run(job('b'), { timeoutMs: 1_000, compileTimeoutMs: 200 })).rejects.toMatchObject({
    kind: 'timeout',
    limitMs: 200,
    message: 'b: the driver did not compile the shader within 200 ms',
  });
  await vi.advanceTimersByTimeAsync(400);
  await late;
  await session.close();
});

test.each([
  ['a software adapter', true, {}, 50_000],
  ['a GPU', false, {}, 120_000],
  ['a software adapter with a longer time limit of the launch', true, { timeoutMs: 90_000 }, 90_000],
  ['a software adapter with a time limit of compilations', true, { compileTimeoutMs: 7_000 }, 7_000],
])('the driver has a time limit on %s', async (_, software, options, limitMs) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { transport } = recorder(async (_, onPhase) => {
    onPhase('compiling');
    return await new Promise(() => undefined);
  });
  const session = startSession({ ...ADAPTER, software }, transport, { guard });
  const late = expect(session.run(job('a'), options)).rejects.toMatchObject({ kind: 'timeout', limitMs });
  await vi.advanceTimersByTimeAsync(limitMs);
  await late;
});
