// Opens executors by name. For Node only.
import type { PlanKind } from '../../base/lane-plan.ts';
import type { MatrixMode } from '../../base/matrix-mode.ts';
import type {
  ExecutorChoice,
  FloatMode,
  KernelExecutor,
  MeasuringExecutor,
  OpenOptions,
  StartedExecutor,
} from './executor.ts';

/**
 * Opens an executor. Rejects with `GpuError` 'unavailable' if this machine lacks the browser,
 * package, driver or adapter, and with RangeError for an unknown adapter name. Only the required
 * packages are loaded.
 */
export async function openExecutor(
  choice: Exclude<ExecutorChoice, 'cpu'>,
  options?: OpenOptions,
): Promise<KernelExecutor & MeasuringExecutor>;
export async function openExecutor(choice: ExecutorChoice, options?: OpenOptions): Promise<KernelExecutor>;
export async function openExecutor(choice: ExecutorChoice, options: OpenOptions = {}): Promise<KernelExecutor> {
  if (choice === 'cpu') return (await import('./reference-thread.ts')).openCpuExecutor(options);
  return await (await startExecutor(choice, options)).opened;
}

/** Starts an executor as `openExecutor` does, without waiting until it is open. */
export async function startExecutor(choice: ExecutorChoice, options: OpenOptions = {}): Promise<StartedExecutor> {
  if (choice === 'cpu') {
    return {
      opened: Promise.resolve((await import('./reference-thread.ts')).openCpuExecutor({ ...options, startsNow: true })),
    };
  }
  if (choice === 'cuda') return { opened: (await import('./cuda-executor.ts')).openCudaExecutor() };
  return (await import('./open-gpu-executor.ts')).startGpuExecutor(choice, options);
}

/** The executors that a process must open, and their options. */
export interface ExecutorsOrder {
  readonly on: readonly ExecutorChoice[];
  readonly adapter?: string | undefined;
  readonly plan?: PlanKind | undefined;
  readonly float: FloatMode;
  readonly matrix?: MatrixMode | undefined;
  /** The same as `OpenOptions.compileTimeoutMs`. */
  readonly compileTimeoutMs?: number | undefined;
}

type OnPhase = Pick<OpenOptions, 'onPhase'>;

export interface StartedExecutors {
  /** Resolves when each executor has its device or has failed to open one. */
  readonly devices: Promise<unknown>;
  /**
   * Resolves with the open executors. If one executor cannot be opened, rejects and closes the
   * others.
   */
  readonly opened: Promise<KernelExecutor[]>;
}

/**
 * Starts all executors concurrently. Resolves when all their browsers and processes have been
 * started.
 */
export async function startExecutors({ on, ...options }: ExecutorsOrder & OnPhase): Promise<StartedExecutors> {
  const startings = on.map(
    async (name): Promise<StartedExecutor> =>
      name === 'cpu' ? { opened: openExecutor(name, options) } : await startExecutor(name, options),
  );
  const started = (await Promise.allSettled(startings)).map(
    (starting): StartedExecutor =>
      starting.status === 'fulfilled' ? starting.value : { opened: Promise.reject(starting.reason) },
  );
  return {
    devices: Promise.allSettled(started.map(({ device, opened }) => device ?? opened)),
    opened: allOpened(started.map(({ opened }) => opened)),
  };
}

/** Starts all executors as `startExecutors` does, and resolves when all are open. */
export async function openExecutors(order: ExecutorsOrder & OnPhase): Promise<KernelExecutor[]> {
  return await (await startExecutors(order)).opened;
}

async function allOpened(opened: readonly Promise<KernelExecutor>[]): Promise<KernelExecutor[]> {
  const openings = await Promise.allSettled(opened);
  const executors = openings.flatMap((opening) => (opening.status === 'fulfilled' ? [opening.value] : []));
  const failed = openings.find((opening) => opening.status === 'rejected');
  if (failed === undefined) return executors;
  await Promise.all(executors.map((executor) => executor.close()));
  throw failed.reason;
}
