// What a WebGPU device says when something fails, as `GpuError`.

import type { GpuErrorKind } from './job.ts';
import { GpuError } from './job.ts';

/// Innermost last. Each scope's error becomes a `GpuError` of the kind beside it.
const SCOPES: readonly { filter: GPUErrorFilter; kind: GpuErrorKind }[] = [
  { filter: 'internal', kind: 'validation' },
  { filter: 'out-of-memory', kind: 'out-of-memory' },
  { filter: 'validation', kind: 'validation' },
];

/// From here on the device's errors are collected, until `popErrors`.
export function pushErrors(device: GPUDevice): void {
  for (const { filter } of SCOPES) device.pushErrorScope(filter);
}

/// The error of what was done since `pushErrors`.
export async function popErrors(device: GPUDevice, label: string): Promise<GpuError | undefined> {
  const scopes = SCOPES.toReversed().map(async ({ kind }) => ({ kind, error: await device.popErrorScope() }));
  for (const { kind, error } of await Promise.all(scopes)) {
    if (error) return new GpuError(kind, `${label}: ${error.message}`);
  }
  return undefined;
}

/// Rejects with `GpuError` 'lost' when the device is lost: for jobs to race against.
export function lossOf(device: GPUDevice): Promise<never> {
  const lost = device.lost.then((info) => {
    throw new GpuError('lost', `the GPU device was lost (${info.reason || 'unknown reason'}): ${info.message}`);
  });
  // Between jobs nothing listens, which is no unhandled rejection.
  lost.catch(() => undefined);
  return lost;
}
