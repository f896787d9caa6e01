// The reference interpreter as an executor.

import type { Launch } from '../../base/launch.ts';
import type { MatrixMode } from '../../base/matrix-mode.ts';
import { KernelCounters } from '../../cpu-ref/counters.ts';
import { findingDiagnostic } from '../../cpu-ref/executor.ts';
import { type InterpretOptions, type InterpretResult, interpret } from '../../cpu-ref/interpreter/interpret.ts';
import type { Module } from '../../ptx/ast.ts';
import { KernelError } from '../../runtime/launch/kernel-error.ts';
import type { ExecutorRun, KernelExecutor } from './executor.ts';
import { kernelKey, loadKernel } from './load-kernel.ts';
import { shownCounters } from './shown-counters.ts';

/**
 * The number of cached modules. There are several, because a validation runs the same kernels many
 * times.
 */
const maxModules = 64;

/**
 * Starts a task after other pending tasks. Browsers lack setImmediate, and a timer in Node would
 * wait a millisecond.
 */
const yieldTurn = typeof setImmediate === 'function' ? setImmediate : setTimeout;

/** Returns the reference interpreter as an executor. `matrix` is the mode of matrix products. */
export function cpuExecutor(matrix: MatrixMode = 'hopper'): KernelExecutor {
  const modules = new Map<string, Module>();
  return {
    name: 'cpu',
    describe: () => ({ name: 'cpu', matrix }),
    async run(launch, options = {}): Promise<ExecutorRun> {
      // Yield to other tasks, because signals are handled only between launches.
      await new Promise((done) => yieldTurn(() => done(undefined)));
      const key = kernelKey(launch);
      const module = modules.get(key) ?? loadKernel(launch);
      if (modules.size >= maxModules) modules.clear();
      modules.set(key, module);
      const counters = options.counters ? new KernelCounters() : undefined;
      const start = performance.now();
      const { outputs, undefinedMasks, writers, printed } = interpretKernel(module, launch, {
        trackWriters: true,
        matrix,
        ...(counters === undefined ? {} : { observe: counters.observe }),
      });
      const counted = counters === undefined ? {} : { counters: shownCounters(counters.counts) };
      return { outputs, undefinedMasks, writers, printed, ...counted, ms: performance.now() - start, note: '' };
    },
    async close() {},
  };
}

/**
 * Interprets a kernel to its end. Throws `KernelError` if the kernel is unsupported or fails (a
 * deadlock, a trap, an endless loop). Throws `LaunchError` if the launch does not match the kernel.
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
