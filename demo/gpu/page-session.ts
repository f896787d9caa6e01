// A GPU session in the page's worker: the same contract as a headless browser's or Dawn's.
import { openDevice } from '../../src/harness/webgpu/device.ts';
import { GpuError, type GpuSession } from '../../src/harness/webgpu/job.ts';
import { JobRunner } from '../../src/harness/webgpu/runner.ts';
import { SequenceRunner } from '../../src/harness/webgpu/sequence-runner.ts';

const defaultTimeoutMs = 20_000;

export interface PageSession extends GpuSession {
  /// Destroys the device, as a driver that fails would.
  lose(): void;
}

/// Opens the fastest adapter. `onLost` hears of a device that goes away by itself. Throws `GpuError` 'unavailable'.
export async function openPageSession(onLost: (message: string) => void): Promise<PageSession> {
  const { device, report } = await openDevice(navigator.gpu);
  const runner = new JobRunner(device);
  const sequences = new SequenceRunner(device);
  let closed = false;
  let last: Promise<unknown> = Promise.resolve();
  const end = (): void => {
    closed = true;
    device.destroy();
  };
  void device.lost.then(({ reason, message }) => {
    if (!closed) onLost(message || reason || 'no reason given');
    closed = true;
  });
  const limited = async <T>(start: () => Promise<T>, timeoutMs: number): Promise<T> => {
    if (closed) throw new GpuError('lost', 'the GPU device was lost');
    let timer: ReturnType<typeof setTimeout> | undefined;
    const limit = new Promise<never>((_, reject) => {
      const seconds = timeoutMs / 1000;
      timer = setTimeout(
        () => reject(new GpuError('timeout', `the GPU gave no answer within ${seconds} s`)),
        timeoutMs,
      );
    });
    const work = start();
    work.catch(() => undefined);
    try {
      return await Promise.race([work, limit]);
    } catch (error) {
      if (error instanceof GpuError && (error.kind === 'timeout' || error.kind === 'lost')) end();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  };
  /// One at a time, in order.
  const inTurn = <T>(start: () => Promise<T>, timeoutMs: number): Promise<T> => {
    const turn = last.then(() => limited(start, timeoutMs));
    last = turn.catch(() => undefined);
    return turn;
  };
  return {
    adapter: { ...report, host: browserName(navigator.userAgent), flags: [] },
    prepare: (shader) => runner.prepare(shader),
    run: (job, { timeoutMs = defaultTimeoutMs } = {}) => inTurn(() => runner.run(job), timeoutMs),
    time: (sequence, { timeoutMs = defaultTimeoutMs } = {}) => inTurn(() => sequences.time(sequence), timeoutMs),
    async close() {
      end();
    },
    lose: () => device.destroy(),
  };
}

/// `Chrome/131.0.0.0` out of a user agent.
function browserName(userAgent: string): string {
  return /(?:Firefox|Edg|OPR|Chrome|Version)\/[\d.]+/.exec(userAgent)?.[0] ?? userAgent.slice(0, 60);
}
