// The reference interpreter as an executor.

import type { Launch } from '../../base/launch.ts';
import { findingDiagnostic } from '../../cpu-ref/executor.ts';
import { type InterpretOptions, type InterpretResult, interpret } from '../../cpu-ref/interpreter/interpret.ts';
import type { Module } from '../../ptx/ast.ts';
import { KernelError } from '../../runtime/launch/kernel-error.ts';
import type { ExecutorRun, KernelExecutor } from './executor.ts';
import { kernelKey, loadKernel } from './load-kernel.ts';

/** Modules of the kernels run last: validation runs one kernel many times. */
const maxModules = 64;

/** Browsers have no setImmediate; Node's timers would wait a millisecond. */
const yieldTurn = typeof setImmediate === 'function' ? setImmediate : setTimeout;

export function cpuExecutor(): KernelExecutor {
  const modules = new Map<string, Module>();
  return {
    name: 'cpu',
    describe: () => ({ name: 'cpu' }),
    async run(launch): Promise<ExecutorRun> {
      // Signals are seen between launches only.
      await new Promise((done) => yieldTurn(() => done(undefined)));
      const key = kernelKey(launch);
      const module = modules.get(key) ?? loadKernel(launch);
      if (modules.size >= maxModules) modules.clear();
      modules.set(key, module);
      const start = performance.now();
      const { outputs, undefinedMasks, writers, printed } = interpretKernel(module, launch, { trackWriters: true });
      return { outputs, undefinedMasks, writers, printed, ms: performance.now() - start, note: '' };
    },
    async close() {},
  };
}

/**
 * Interprets a kernel to its end. Throws `KernelError` where it is not supported or fails (a deadlock, a trap, an endless loop), and
 * `LaunchError` where the launch does not fit it.
 */
export function interpretKernel(module: Module, launch: Launch, options: InterpretOptions): InterpretResult {
  const result = interpret(module, launch, options);
  if (result.status === 'unsupported') throw new KernelError('unsupported', module.source, result.diagnostics);
  if (result.status === 'failed') {
    const cause = result.findings.filter(({ code }) => code === result.failure?.code).map(findingDiagnostic);
    throw new KernelError('failed', module.source, cause);
  }
  return result;
}
