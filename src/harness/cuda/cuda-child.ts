// The process that holds the CUDA context. It is a separate process because only a kill ends a
// kernel that never returns, and because a faulting kernel destroys the context of its whole
// process.

import { GpuError, messageOf } from '../../runtime/device/gpu-error.ts';
import { CudaError, type CudaFailure } from './cuda-error.ts';
import type { FromChild, RunRequest, SequenceRequest, TimeRequest, ToChild } from './cuda-messages.ts';
import { CudaDevice } from './device.ts';
import { loadDriver } from './driver.ts';

function send(message: FromChild): void {
  // If the send fails because the parent has exited, the 'disconnect' event follows.
  process.send?.(message, () => undefined);
}

function failureOf(error: unknown): CudaFailure {
  const { call = '', code = 0, log = '' } = error instanceof CudaError ? error : {};
  const kind = error instanceof GpuError ? error.kind : 'lost';
  return { kind, message: messageOf(error), call, code, log };
}

async function answer(device: CudaDevice, request: RunRequest | TimeRequest | SequenceRequest): Promise<FromChild> {
  try {
    if (request.kind === 'sequence') return { kind: 'timed-sequence', ...(await device.timeSequence(request)) };
    if (request.kind === 'time') return { kind: 'timed', times: await device.time(request) };
    return { kind: 'ran', ...(await device.run(request)) };
  } catch (error) {
    const failure = failureOf(error);
    const isLost = failure.kind !== 'timeout' && device.isLost();
    return { kind: 'failed', failure: isLost ? { ...failure, kind: 'lost' } : failure };
  }
}

// The parent has exited. Kill the process, because an orderly exit would wait for a kernel that may
// never return.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

try {
  const device = new CudaDevice(await loadDriver());
  process.on('message', (message: ToChild) => {
    if (message.kind === 'close') process.exit(0);
    void answer(device, message).then(send);
  });
  send({ kind: 'opened', report: device.describe() });
} catch (error) {
  // A failure before the device is open means that CUDA cannot be used.
  send({ kind: 'failed', failure: { ...failureOf(error), kind: 'unavailable' } });
}
