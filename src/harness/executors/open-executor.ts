// Opens an executor by name. For Node only.
import type { ExecutorName, KernelExecutor, MeasuringExecutor, OpenOptions } from './executor.ts';

/// Opens an executor. Throws `GpuError` 'unavailable' where this machine has none, and RangeError for an adapter's name that is none. Only
/// what is opened is loaded.
export async function openExecutor(
  name: MeasuringExecutor['name'],
  options?: OpenOptions,
): Promise<KernelExecutor & MeasuringExecutor>;
export async function openExecutor(name: ExecutorName, options?: OpenOptions): Promise<KernelExecutor>;
export async function openExecutor(name: ExecutorName, options: OpenOptions = {}): Promise<KernelExecutor> {
  if (name === 'cpu') return (await import('./reference-thread.ts')).openCpuExecutor();
  return await openers[name](options);
}

type Opener = (options: OpenOptions) => Promise<KernelExecutor & MeasuringExecutor>;

const openers: Readonly<Record<MeasuringExecutor['name'], Opener>> = {
  chrome: async (options) => (await import('./open-gpu-executor.ts')).openGpuExecutor('chrome', options),
  firefox: async (options) => (await import('./open-gpu-executor.ts')).openGpuExecutor('firefox', options),
  dawn: async (options) => (await import('./open-gpu-executor.ts')).openGpuExecutor('dawn', options),
  cuda: async () => (await import('./cuda-executor.ts')).openCudaExecutor(),
};
