// What a benchmark runs on: an adapter through WebGPU, or the same GPU natively.
import type { ExecutorName, ExecutorReport } from '../../executors/executor.ts';
import type { LaunchSequence, SequenceRun } from '../../launches/launch-sequence.ts';
import type { Timing } from '../../webgpu/sequence.ts';

/// `exact`: PTX's f32 bits; `fast`: the adapter's own arithmetic.
export type FloatMode = 'exact' | 'fast';

export interface BenchMachine {
  readonly name: Exclude<ExecutorName, 'cpu'>;
  readonly report: ExecutorReport;
  /// A software rasterizer: its numbers say nothing of a GPU.
  readonly software: boolean;
  /// Throws `KernelError` for PTX that cannot run here, and `GpuError`; after either the next sequence still runs.
  time(sequence: LaunchSequence, timing: Timing, float: FloatMode): Promise<SequenceRun>;
  close(): Promise<void>;
}
