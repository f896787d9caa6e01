// Opens executors by name. For Node only.
import type { PlanKind } from '../../base/lane-plan.ts';
import type {
  ExecutorChoice,
  FloatMode,
  KernelExecutor,
  MeasuringExecutor,
  OpenOptions,
  StartedExecutor,
} from './executor.ts';

/// Opens an executor. Throws `GpuError` 'unavailable' where this machine has none, and RangeError for an adapter's name that is none. Only
/// what is opened is loaded.
export async function openExecutor(
  choice: Exclude<ExecutorChoice, 'cpu'>,
  options?: OpenOptions,
): Promise<KernelExecutor & MeasuringExecutor>;
export async function openExecutor(choice: ExecutorChoice, options?: OpenOptions): Promise<KernelExecutor>;
export async function openExecutor(choice: ExecutorChoice, options: OpenOptions = {}): Promise<KernelExecutor> {
  if (choice === 'cpu') return (await import('./reference-thread.ts')).openCpuExecutor();
  return await (await startExecutor(choice, options)).opened;
}

/// As `openExecutor`, without waiting until it is open.
export async function startExecutor(choice: ExecutorChoice, options: OpenOptions = {}): Promise<StartedExecutor> {
  if (choice === 'cpu') {
    return { opened: Promise.resolve((await import('./reference-thread.ts')).openCpuExecutor(true)) };
  }
  if (choice === 'cuda') return { opened: (await import('./cuda-executor.ts')).openCudaExecutor() };
  return (await import('./open-gpu-executor.ts')).startGpuExecutor(choice, options);
}

/// Executors that a process opens for itself.
export interface ExecutorsOrder {
  readonly on: readonly ExecutorChoice[];
  readonly adapter?: string | undefined;
  readonly plan?: PlanKind | undefined;
  readonly float: FloatMode;
}

/// Opens all at once; none stays open where one cannot be opened.
export async function openExecutors({ on, adapter, float, plan }: ExecutorsOrder): Promise<KernelExecutor[]> {
  const openings = await Promise.allSettled(on.map((name) => openExecutor(name, { adapter, float, plan })));
  const executors = openings.flatMap((opening) => (opening.status === 'fulfilled' ? [opening.value] : []));
  const failed = openings.find((opening) => opening.status === 'rejected');
  if (failed === undefined) return executors;
  await Promise.all(executors.map((executor) => executor.close()));
  throw failed.reason;
}
