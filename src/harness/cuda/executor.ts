// Native CUDA as an executor: the hardware's own answers, with no translation between.
import type { ExecutorReport, ExecutorRun, KernelExecutor } from '../executors.ts';
import type { Launch } from '../launch.ts';
import { jitError } from './jit-diagnostics.ts';
import { CudaError, type CudaReport, type CudaSession, openCuda } from './session.ts';

/// Opens the GPU. Throws `GpuError` 'unavailable' where koffi, the driver or a GPU is missing. Its kernels are whole PTX modules: the
/// driver takes no fragments.
export async function openCudaExecutor(): Promise<KernelExecutor> {
  return new CudaExecutor(await openCuda());
}

class CudaExecutor implements KernelExecutor {
  readonly name = 'cuda';
  readonly #session: CudaSession;

  constructor(session: CudaSession) {
    this.#session = session;
  }

  describe(): ExecutorReport {
    return reportOf(this.#session.describe());
  }

  /// A lost device is no cause to try again: natively it is the kernel's fault. The next launch gets a fresh context.
  async run(launch: Launch, options: { readonly timeoutMs?: number } = {}): Promise<ExecutorRun> {
    try {
      const { outputs, ms, log } = await this.#session.run(launch, options);
      return { outputs, ms, note: log };
    } catch (error) {
      const refused = error instanceof CudaError && error.call === 'cuModuleLoadDataEx' && error.kind === 'shader';
      if (refused) throw jitError(launch, error);
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#session.close();
  }
}

function reportOf(report: CudaReport): ExecutorReport {
  const { gpu, computeCapability, driver, cuda, multiprocessors, clockKhz, memoryBytes, sharedBytesPerBlock } = report;
  return {
    name: 'cuda',
    adapter: {
      vendor: 'nvidia',
      architecture: `sm_${computeCapability.replace('.', '')}`,
      device: gpu,
      description: gpu,
      software: false,
      features: [],
      wgslFeatures: [],
      limits: { multiprocessors, clockKhz, memoryBytes, sharedBytesPerBlock },
      subgroupMinSize: 32,
      subgroupMaxSize: 32,
      host: `CUDA ${cuda}, driver ${driver}`,
      flags: [],
    },
    subgroupSize: 32,
  };
}
