// Native CUDA as an executor: the hardware's own results, without translation.

import type { Launch } from '../../base/launch.ts';
import type { Timing } from '../../runtime/device/sequence.ts';
import { CudaError, type CudaReport, type CudaSession, openCuda } from '../cuda/session.ts';
import type { LaunchSequence, SequenceRun } from '../launches/launch-sequence.ts';
import type {
  ExecutorReport,
  ExecutorRun,
  KernelExecutor,
  MeasuringExecutor,
  RunOptions,
  TimeOptions,
} from './executor.ts';
import { fragmentText } from './fragment-text.ts';
import { jitError } from './jit-diagnostics.ts';
import { fragmentIo, parseModule } from './load-kernel.ts';

/** Opens the GPU. Throws `GpuError` 'unavailable' if koffi, the driver or a GPU is missing. */
export async function openCudaExecutor(): Promise<KernelExecutor & MeasuringExecutor> {
  return new CudaExecutor(await openCuda());
}

class CudaExecutor implements KernelExecutor, MeasuringExecutor {
  readonly name = 'cuda';
  readonly #session: CudaSession;

  constructor(session: CudaSession) {
    this.#session = session;
  }

  describe(): ExecutorReport {
    return reportOf(this.#session.describe());
  }

  /**
   * Runs a launch. Does not retry after a lost device, because in native code the kernel itself is
   * the cause. The next launch creates a new context.
   */
  async run(asked: Launch, options: RunOptions = {}): Promise<ExecutorRun> {
    const launch = wholeModule(asked);
    try {
      const { outputs, ms, log, printed } = await this.#session.run(launch, options);
      const texts = printed === undefined ? {} : { printed: { texts: [printed], dropped: 0, isJoined: true } };
      return { outputs, ms, note: log, ...texts };
    } catch (error) {
      const refused = error instanceof CudaError && error.call === 'cuModuleLoadDataEx' && error.kind === 'shader';
      if (refused) throw jitError(launch, error);
      throw error;
    }
  }

  async time(sequence: LaunchSequence, timing: Timing, { timeoutMs }: TimeOptions = {}): Promise<SequenceRun> {
    const limit = timeoutMs === undefined ? {} : { timeoutMs };
    const { times, windows } = await this.#session.timeSequence(sequence, timing, limit);
    return { times, stamps: [], clock: 'gpu', windows };
  }

  async close(): Promise<void> {
    await this.#session.close();
  }
}

/**
 * Returns the launch with a whole module. The driver rejects fragments, so a fragment becomes a
 * module that also loads and stores the buffers.
 */
function wholeModule(launch: Launch): Launch {
  if (/^\s*\.version\b/m.test(launch.ptx)) return launch;
  const module = parseModule(launch.ptx, launch.ptxFile, launch.origins);
  return module.dialect === 'module' ? launch : { ...launch, ptx: fragmentText(module, fragmentIo(module, launch)) };
}

/** Returns the report of the executor from the report of the GPU. */
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
    ...(computeCapability === '9.0' ? { matrix: 'hopper' } : {}),
  };
}
