// Errors of workers that run kernels, as messages for the page.
import { GpuError } from '../../src/runtime/device/gpu-error.ts';
import { KernelError } from '../../src/runtime/launch/kernel-error.ts';
import type { PlainError } from '../workers/protocol.ts';

/** Converts an error to a message. The message of a `KernelError` has its lines of the source. */
export function plain(error: unknown): PlainError {
  const kind = error instanceof GpuError ? error.kind : undefined;
  if (error instanceof KernelError) return { name: error.name, kind, message: error.render(false) };
  if (error instanceof Error) return { name: error.name, kind, message: error.message };
  return { name: 'Error', kind, message: String(error) };
}
