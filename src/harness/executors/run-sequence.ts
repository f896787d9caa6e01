// Runs a sequence on any executor.
import { joinBytes } from '../../base/bytes.ts';
import { type Timing, windowsOf } from '../../runtime/device/sequence.ts';
import { type LaunchSequence, launchOf } from '../launches/launch-sequence.ts';
import { cpuExecutor } from './cpu-executor.ts';
import type { KernelExecutor, MeasuringExecutor } from './executor.ts';

export type Windows = ReadonlyMap<string, Uint8Array>;

const isMeasuring = (executor: KernelExecutor): executor is KernelExecutor & MeasuringExecutor => 'time' in executor;

/** Runs the steps of a sequence `repeat` times and returns the windows of its results. */
export async function runSequence(
  executor: KernelExecutor,
  sequence: LaunchSequence,
  repeat: number,
  timeoutMs?: number,
): Promise<Windows> {
  if (!isMeasuring(executor)) {
    const steps = Array.from({ length: repeat }, () => sequence.steps).flat();
    return await referenceWindows({ ...sequence, steps }, executor);
  }
  const timing: Timing = { repeat, samples: 1, warmup: 0 };
  const { windows } = await executor.time(sequence, timing, timeoutMs === undefined ? {} : { timeoutMs });
  return windows;
}

/**
 * Runs a sequence on the reference interpreter and returns the windows of its results. Throws if
 * PTX leaves part of a result undefined.
 */
export async function referenceWindows(
  sequence: LaunchSequence,
  cpu: KernelExecutor = cpuExecutor(),
): Promise<Windows> {
  const contents = new Map<string, Uint8Array>();
  for (const { name, data } of sequence.buffers) if (data) contents.set(name, data);
  for (const step of [...sequence.prepare, ...sequence.steps]) {
    const { outputs, undefinedMasks } = await cpu.run(launchOf(sequence, step, contents));
    for (const [index, bytes] of outputs) {
      const name = step.args[index];
      if (typeof name !== 'string') continue;
      contents.set(name, bytes);
      const isResult = sequence.buffers.some((buffer) => buffer.name === name && buffer.result);
      if (isResult && undefinedMasks?.get(index)?.some((byte) => byte !== 0)) {
        throw new Error(`${sequence.id}: PTX leaves part of \`${name}\` undefined`);
      }
    }
  }
  const windows = new Map<string, Uint8Array>();
  for (const { name, bytes, result } of sequence.buffers) {
    if (!result) continue;
    const all = contents.get(name) ?? new Uint8Array(bytes);
    const parts = windowsOf(bytes).map(([offset, size]) => all.subarray(offset, offset + size));
    windows.set(name, joinBytes(parts));
  }
  return windows;
}
