// Opens the executors in `--on`, and closes them when a command ends, whether it succeeds or fails.
import type { KernelExecutor } from '../harness/executors/executor.ts';
import { startExecutor } from '../harness/executors/open-executor.ts';
import { describeExecutor } from '../harness/report/text.ts';
import type { OnKernelPhase } from '../harness/runs/compile-progress.ts';
import { GpuError } from '../runtime/device/job.ts';
import type { Console } from './console.ts';
import type { ExecutorOptions } from './options.ts';

/** Executors that are being opened. */
export interface Opening {
  /**
   * Resolves when the browsers and processes have started or failed to start. The caller can then
   * use the processor for other work.
   */
  readonly started: Promise<unknown>;
  /** The executors, in the order of `--on`. */
  readonly executors: readonly Promise<KernelExecutor>[];
}

export function startExecutors(options: ExecutorOptions, onPhase?: OnKernelPhase): Opening {
  const { on, adapter, float, matrix, plan, facts } = options;
  const compileTimeoutMs = options.compileTimeout;
  const starting = on.map((name) =>
    startExecutor(name, { adapter, float, matrix, plan, facts, compileTimeoutMs, onPhase }),
  );
  const executors = starting.map(async (started) => await (await started).opened);
  // The caller awaits the executors in order. Until then, a rejection of a later executor must not
  // count as unhandled.
  for (const opened of executors) opened.catch(() => undefined);
  return { started: Promise.allSettled(starting), executors };
}

/** Closes all executors, including those that are still opening. */
export async function closeExecutors({ executors }: Opening): Promise<void> {
  await Promise.all(
    executors.map((opened) =>
      opened.then(
        (executor) => executor.close(),
        () => undefined,
      ),
    ),
  );
}

/**
 * Opens every executor, describes each on stderr, and runs `work` with the executors. Throws
 * `GpuError` 'unavailable' if an executor cannot be opened, or uses a software adapter although
 * `--require-hardware` is set.
 */
export async function withExecutors<T>(
  options: ExecutorOptions,
  console: Console,
  work: (executors: readonly KernelExecutor[]) => Promise<T>,
): Promise<T> {
  const opening = startExecutors(options);
  try {
    return await work(await openedExecutors(opening, options, console));
  } finally {
    await closeExecutors(opening);
  }
}

/**
 * Waits until all executors are open, and describes each on stderr. Throws the same errors as
 * `withExecutors`.
 */
export async function openedExecutors(
  opening: Opening,
  { requireHardware }: ExecutorOptions,
  console: Console,
): Promise<KernelExecutor[]> {
  const executors: KernelExecutor[] = [];
  for (const opened of opening.executors) {
    const executor = await opened;
    const report = executor.describe();
    if (requireHardware && report.adapter?.software) {
      throw new GpuError(
        'unavailable',
        `${describeExecutor(report)}: a software adapter, which --require-hardware refuses`,
      );
    }
    console.err(`${describeExecutor(report)}\n`);
    executors.push(executor);
  }
  return executors;
}
