// Runs a door in another thread. For Node only.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { bundledProgram } from '../../sessions/dist-folder.ts';
import { guard } from '../../sessions/open-sessions.ts';
import type { DoorWork } from './door-worker.ts';
import { type DoorName, openDoor } from './doors.ts';
import { inputOf, type KnockOptions, type KnockResult } from './knock.ts';

export interface ThreadOptions extends Pick<KnockOptions, 'seed' | 'first' | 'count'> {
  readonly onProgress?: (done: number) => void;
}

/** The time in milliseconds after which an input counts as hanging. */
const hangMs = 120_000;
const watchIntervalMs = 500;

/**
 * Sends inputs to a door as `knock` does, but in another thread. An input that hangs is reported as
 * a failure and ends the run.
 */
export async function knockInThread(name: DoorName, { onProgress, ...options }: ThreadOptions): Promise<KnockResult> {
  const { seed, first = 0 } = options;
  const current = new Int32Array(new SharedArrayBuffer(4));
  const workerData: DoorWork = { ...options, door: name, current };
  const worker = new Worker(bundledProgram('harness/fuzz/doors/door-worker'), { workerData });
  const release = guard({ close: async () => void (await worker.terminate()), kill: () => void worker.terminate() });
  let last = { index: first, since: performance.now() };
  let end: (result: KnockResult) => void = () => undefined;
  const hung = new Promise<KnockResult>((resolve) => {
    end = resolve;
  });
  const watch = setInterval(() => {
    const index = Atomics.load(current, 0);
    onProgress?.(index - first);
    if (index !== last.index) last = { index, since: performance.now() };
    if (performance.now() - last.since > hangMs) end(failedAt(index, 'the input did not return'));
  }, watchIntervalMs);
  const failedAt = (index: number, problem: string): KnockResult => ({
    door: name,
    inputs: index - first + 1,
    outcomes: {},
    failures: [{ index, problem, input: inputOf(openDoor(name), seed, index) }],
    slowest: { index, ms: hangMs },
    peakBytes: process.memoryUsage.rss(),
  });
  try {
    const answered = once(worker, 'message').then(([result]): KnockResult => result);
    // The thread ended. For example, it ran out of memory.
    const crashed = once(worker, 'exit').then(() => failedAt(Atomics.load(current, 0), 'the thread ended'));
    return await Promise.race([answered, hung, crashed]);
  } finally {
    clearInterval(watch);
    release();
    await worker.terminate();
  }
}
