// The process with the Dawn device. It is a separate process because a kernel that never returns
// can be ended only by killing the process, and because a crash of the driver must not end the main
// process.

import { create } from 'webgpu';
import { dawnFlags } from '../../../runtime/dawn-flags.ts';
import { openDevice } from '../../../runtime/device/device.ts';
import { Engine } from '../../../runtime/device/engine.ts';
import { GpuError, type JobPhase } from '../../../runtime/device/job.ts';
import { GpuRunner } from '../../../runtime/device/runner.ts';
import type { FromChild, ToChild } from './dawn-messages.ts';
import { throttleTicks, tickEagerly } from './dawn-ticks.ts';

const FLAGS = dawnFlags(process.env);

/** The time in milliseconds within which most kernels finish. */
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

// The parent has exited. End the process at once, because a hanging device would delay an orderly
// exit.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

try {
  const { adapter, device, report } = await openDevice(gpu);
  const runner = new GpuRunner(new Engine(device), { onSubmit: () => tickEagerly(EAGER_MS) });
  // Dawn crashes if these objects are garbage-collected while the device exists. A module variable
  // is not sufficient, because the engine drops a variable that no function uses.
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
