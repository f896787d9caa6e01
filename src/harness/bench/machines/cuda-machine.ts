// Measures natively, through the CUDA driver.
import { KernelError } from '../../executors/executor.ts';
import type { LaunchSequence, SequenceRun } from '../../launches/launch-sequence.ts';
import type { Timing } from '../../webgpu/sequence.ts';
import type { BenchMachine } from './machine.ts';

const timeoutMs = 60_000;

/// Opens the GPU. Throws `GpuError` 'unavailable'.
export async function openCudaMachine(): Promise<BenchMachine> {
  const { reportOf } = await import('../../executors/cuda-executor.ts');
  const { openCuda } = await import('../../cuda/session.ts');
  const session = await openCuda();
  return {
    name: 'cuda',
    report: reportOf(session.describe()),
    software: false,
    async time(sequence: LaunchSequence, timing: Timing): Promise<SequenceRun> {
      const { times, windows } = await session.timeSequence(sequence, timing, { timeoutMs });
      return { times, stamps: [], clock: 'gpu', windows };
    },
    close: () => session.close(),
  };
}

/// What the driver or the translator says of PTX that it does not take, in one line; undefined for other errors.
export function refusalOf(error: unknown): string | undefined {
  if (error instanceof KernelError) return error.message.split('\n')[0] ?? '';
  if (!(error instanceof Error) || !('kind' in error) || error.kind !== 'shader') return undefined;
  return error.message.split('\n').slice(0, 2).join(' ');
}
