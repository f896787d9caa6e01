// The process that holds Dawn. It is a separate process because only a kill ends a kernel that
// never returns, and because a crash of a driver then ends nothing else.

import { create } from 'webgpu';
import { openDevice } from '../../../runtime/device/device.ts';
import { Engine } from '../../../runtime/device/engine.ts';
import { GpuError, type JobPhase } from '../../../runtime/device/job.ts';
import { GpuRunner } from '../../../runtime/device/runner.ts';
import type { FromChild, ToChild } from './dawn-messages.ts';
import { throttleTicks, tickEagerly } from './dawn-ticks.ts';

const FLAGS = [
  // Enables experimental subgroup features. Also enables f16 and f16 matrices on NVIDIA's Vulkan
  // driver, which supports them although Dawn disables them by default.
  'enable-dawn-features=allow_unsafe_apis,vulkan_enable_f16_on_nvidia',
  // By default, Dawn rounds timestamps to 65 microseconds. By default, the package also makes Dawn
  // validate the SPIR-V from Tint, which browsers do not. This validation is a sixth of the work on
  // a shader before the driver receives it.
  'disable-dawn-features=timestamp_quantization,enable_spirv_validation',
];

/**
 * The time in milliseconds for which Dawn polls continuously after a submission. Most kernels
 * finish within it.
 */
const EAGER_MS = 2;

throttleTicks();
const gpu = create([...FLAGS]);

function send(message: FromChild): void {
  // If the parent has exited, the 'disconnect' event follows.
  process.send?.(message, () => undefined);
}

function sendFailure(error: unknown): void {
  const kind = error instanceof GpuError ? error.kind : 'lost';
  send({ kind: 'failed', error: kind, message: error instanceof Error ? error.message : String(error) });
}

// The parent has exited. A hanging device would delay an orderly exit.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

try {
  const { adapter, device, report } = await openDevice(gpu);
  const runner = new GpuRunner(new Engine(device), { onSubmit: () => tickEagerly(EAGER_MS) });
  // Dawn crashes if these objects are garbage-collected while the device lives. Module variables do
  // not keep them alive, because V8 drops a variable that no function uses.
  Object.assign(globalThis, { lanewiseKeepsAlive: [gpu, adapter, device] });
  const onPhase = (phase: JobPhase): void => send({ kind: 'phase', phase });
  process.on('message', (message: ToChild) => {
    if (message.kind === 'close') {
      device.destroy();
      process.exit(0);
    }
    if (message.kind === 'prepare') {
      runner.prepare(message.shader);
      return;
    }
    if (message.kind === 'compile') {
      runner.compile(message.shader).then((times) => send({ kind: 'compiled', times }), sendFailure);
      return;
    }
    if (message.kind === 'time') {
      tickEagerly(Number.POSITIVE_INFINITY);
      runner
        .time(message.sequence, onPhase)
        .then((result) => send({ kind: 'timed', result }), sendFailure)
        .finally(() => tickEagerly(0));
      return;
    }
    runner.run(message.job, onPhase).then(({ buffers, ms }) => send({ kind: 'done', buffers, ms }), sendFailure);
  });
  send({ kind: 'opened', report, flags: FLAGS });
} catch (error) {
  sendFailure(error);
}
