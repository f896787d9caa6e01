// Opens an executor by name. For Node only.
import type { ExecutorName, KernelExecutor, OpenOptions } from './executor.ts';

/// Opens an executor. Throws `GpuError` 'unavailable' where this machine has none. Only what is opened is loaded.
export async function openExecutor(name: ExecutorName, options: OpenOptions = {}): Promise<KernelExecutor> {
  return await openers[name](options);
}

const openers: Readonly<Record<ExecutorName, (options: OpenOptions) => Promise<KernelExecutor>>> = {
  cpu: async () => (await import('./reference-thread.ts')).openCpuExecutor(),
  chrome: async (options) => (await import('./open-gpu-executor.ts')).openGpuExecutor('chrome', options),
  dawn: async (options) => (await import('./open-gpu-executor.ts')).openGpuExecutor('dawn', options),
  cuda: async () => (await import('./cuda-executor.ts')).openCudaExecutor(),
};
