// Opens the executors that `--on` names, and closes them however a command ends.
import type { KernelExecutor } from '../harness/executors/executor.ts';
import { openExecutor } from '../harness/executors/open-executor.ts';
import { describeExecutor } from '../harness/report/text.ts';
import { GpuError } from '../runtime/device/job.ts';
import type { Console } from './console.ts';
import type { ExecutorOptions } from './options.ts';

/// Opens every executor, says on stderr what each is, and runs `work` with them. Throws `GpuError` 'unavailable' where one cannot be
/// opened, or is software against `--require-hardware`.
export async function withExecutors<T>(
  options: ExecutorOptions,
  console: Console,
  work: (executors: readonly KernelExecutor[]) => Promise<T>,
): Promise<T> {
  const { adapter, float, plan, facts } = options;
  const executors: KernelExecutor[] = [];
  try {
    for (const name of options.on) {
      const executor = await openExecutor(name, { adapter, float, plan, facts });
      executors.push(executor);
      const report = executor.describe();
      if (options.requireHardware && report.adapter?.software) {
        throw new GpuError(
          'unavailable',
          `${describeExecutor(report)}: a software adapter, and --require-hardware refuses it`,
        );
      }
      console.err(`${describeExecutor(report)}\n`);
    }
    return await work(executors);
  } finally {
    await Promise.all(executors.map((executor) => executor.close()));
  }
}
