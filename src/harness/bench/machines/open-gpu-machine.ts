// Opens a WebGPU adapter in Node to measure on.
import { GpuMachine } from './gpu-machine.ts';
import type { BenchMachine } from './machine.ts';

/// Opens the adapter and measures what its kernels may rely on. Throws `GpuError` 'unavailable', and RangeError for an adapter's name
/// that is none.
export async function openGpuMachine(name: 'chrome' | 'dawn', adapter: string | undefined): Promise<BenchMachine> {
  const { sessionOpener } = await import('../../executors/open-gpu-executor.ts');
  const { preflight } = await import('../../webgpu/preflight/preflight.ts');
  const open = await sessionOpener(name, adapter);
  const session = await open();
  try {
    return new GpuMachine(name, open, session, await preflight(session));
  } catch (error) {
    await session.close();
    throw error;
  }
}
