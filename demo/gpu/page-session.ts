// A GPU session in the page's worker, with the same interface as a session in a headless browser or
// with Dawn.

import { startSession } from '../../src/harness/webgpu/session.ts';
import { openDevice } from '../../src/runtime/device/device.ts';
import { Engine } from '../../src/runtime/device/engine.ts';
import type { GpuSession } from '../../src/runtime/device/job.ts';
import { GpuRunner } from '../../src/runtime/device/runner.ts';
import { hostOf } from './browser.ts';

const timeoutMs = 20_000;

export interface PageSession extends GpuSession {
  /** Destroys the device, to simulate a failure of the driver. */
  lose(): void;
}

/**
 * Opens the fastest adapter. `onLost` is called if the device is lost. Throws `GpuError`
 * 'unavailable' if there is no adapter.
 */
export async function openPageSession(onLost: (message: string) => void): Promise<PageSession> {
  const { device, report } = await openDevice(navigator.gpu);
  const runner = new GpuRunner(new Engine(device));
  let closed = false;
  const destroy = (): void => {
    closed = true;
    device.destroy();
  };
  void device.lost.then(({ reason, message }) => {
    if (!closed) onLost(message || reason || 'no reason given');
    closed = true;
  });
  const session = startSession(
    { ...report, host: hostOf(navigator.userAgent), flags: [] },
    {
      send: (job, onPhase) => runner.run(job, onPhase),
      prepare: (shader) => runner.prepare(shader),
      time: (sequence, onPhase) => runner.time(sequence, onPhase),
      compile: (shader) => runner.compile(shader),
      close: async () => destroy(),
      kill: destroy,
    },
    { timeoutMs },
  );
  return { ...session, lose: () => device.destroy() };
}
