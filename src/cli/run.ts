// The command `lanewise run`. A browser or a driver takes the longest time to start, so it is
// started first. In the meantime, the command loads and prepares everything else.

import { existsSync } from 'node:fs';
import { openExecutor, startExecutor } from '../harness/executors/open-executor.ts';
import { showCompilations } from '../harness/runs/compile-progress.ts';
import type { Console } from './console.ts';
import { isKernelFile, refuseKernelOptions } from './kernel-file.ts';
import { closeExecutors, startExecutors } from './open-executors.ts';
import type { RunKernelOptions } from './run-kernel.ts';

export async function runCommand(
  paths: readonly string[],
  options: RunKernelOptions,
  console: Console,
): Promise<number> {
  const [file, ...args] = paths;
  if (isKernelFile(file)) return await (await import('./run-kernel.ts')).runKernelCommand(file, args, options, console);
  refuseKernelOptions(options);
  // If none of the paths exists, there is no case to run, so do not start executors.
  const on = paths.some((path) => existsSync(path)) ? options.on : [];
  const compiling = showCompilations(console.errStream);
  const opening = startExecutors({ ...options, on, facts: options.fresh ? 'measured' : 'kept' }, compiling.onPhase);
  try {
    await opening.started;
    // The reference interprets every case, even if it was not requested as an executor.
    const { matrix } = options;
    const asked = opening.executors[on.indexOf('cpu')];
    const reference = await (asked ??
      (on.length > 0 ? (await startExecutor('cpu', { matrix })).opened : openExecutor('cpu', { matrix })));
    try {
      return await (await import('./run-cases.ts')).runCases(paths, options, console, { opening, reference });
    } finally {
      await reference.close();
    }
  } finally {
    compiling.stop();
    await closeExecutors(opening);
  }
}
