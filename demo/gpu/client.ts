// The page's side of the GPU worker.
import { WorkerClient } from '../workers/client.ts';
import type { GpuRequests } from './messages.ts';

export type GpuClient = WorkerClient<GpuRequests>;

/** The longest time without a message, in milliseconds. No single launch may take longer. */
const silenceMs = 40_000;

/**
 * Creates the page's side of the GPU worker. `script` is the address of the worker's script. Calls
 * `onLost` if the device or the worker is lost.
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
