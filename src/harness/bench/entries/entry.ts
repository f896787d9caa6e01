// One thing to measure.
import type { Unit } from '../../../base/rate.ts';
import type { LaunchSequence } from '../../launches/launch-sequence.ts';

/** `check` is small enough for the reference interpreter; `software` keeps a rasterizer busy for milliseconds; `full` fills a GPU. */
export type Size = 'check' | 'software' | 'full';

export interface Workload {
  readonly sequence: LaunchSequence;
  /** What one execution of the steps does, in the entry's unit. */
  readonly work: number;
}

export interface BenchEntry {
  /** Parts between colons, as queries select them: `shfl.sync:bfly:immediate:independent`, `kernel:reduce`. */
  readonly id: string;
  readonly section: 'instructions' | 'kernels';
  readonly unit: Unit;
  /** Whether exact and fast f32 arithmetic make two shaders of it. */
  readonly float: boolean;
  /** What grows until a sample is long enough: the iterations of the kernel's own loop, or how often the steps are executed. */
  readonly grows: 'iterations' | 'repeat';
  /** Measured only where a query names it. */
  readonly onlyAsked?: boolean;
  /** Operands, masks and guards stay the same while it is measured: what follows from them can be computed once. */
  readonly invariant?: boolean;
  /** The hardware's limit that binds it, if it is known. */
  readonly limit?: 'shuffle' | 'memory';
  /** For kernels that CUB has: its device-wide primitive. */
  readonly cub?: 'reduce' | 'scan' | 'sort';
  make(size: Size, iterations: number): Workload;
}
