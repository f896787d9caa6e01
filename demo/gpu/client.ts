// The page's client of the GPU worker.
import { WorkerClient } from '../workers/client.ts';
import type { GpuRequests } from './messages.ts';

export type GpuClient = WorkerClient<GpuRequests>;

/**
 * The maximum time between two messages of the worker, in milliseconds. It also limits the duration
 * of a launch.
 */
const silenceMs = 40_000;

/**
 * Creates the client of the GPU worker. `script` is the address of the worker's script. `onLost` is
 * called if the device or the worker is lost.
 */
export function openGpuClient(script: string, onLost: (message: string) => void): GpuClient {
  return new WorkerClient<GpuRequests>({
    script,
    name: 'gpu',
    limitMs: () => silenceMs,
    inTurn: false,
    overrun: () => `the GPU did not answer for ${silenceMs / 1000} s`,
    onLost,
  });
}
