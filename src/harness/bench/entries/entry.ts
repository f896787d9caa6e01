// The type of an entry of the benchmark.
import type { Unit } from '../../../base/rate.ts';
import type { LaunchSequence } from '../../launches/launch-sequence.ts';

/**
 * The size of an entry's data. `check` is small enough for the reference interpreter, `software`
 * keeps a software rasterizer busy for milliseconds, and `full` fills a GPU.
 */
export type Size = 'check' | 'software' | 'full';

export interface Workload {
  readonly sequence: LaunchSequence;
  /** The work of one execution of the steps, in the entry's unit. */
  readonly work: number;
}

export interface BenchEntry {
  /**
   * The id of the entry. Its parts are separated by colons, and queries select by them:
   * `shfl.sync:bfly:immediate:independent`, `kernel:reduce`.
   */
  readonly id: string;
  readonly section: 'instructions' | 'kernels';
  readonly unit: Unit;
  /** Whether exact and fast f32 arithmetic produce two different shaders. */
  readonly float: boolean;
  /**
   * The quantity that the measurement increases until a sample is long enough: the iterations of
   * the kernel's own loop, or the executions of the steps.
   */
  readonly grows: 'iterations' | 'repeat';
  /** Whether the entry is measured only if a query names it. */
  readonly onlyAsked?: boolean;
  /**
   * Whether operands, masks and guards stay the same during a sample, so that compilers can hoist
   * computations that depend on them.
   */
  readonly invariant?: boolean;
  /** The hardware limit that bounds the entry, if known. */
  readonly limit?: 'shuffle' | 'memory';
  /** The device-wide primitive of CUB for the same task, if there is one. */
  readonly cub?: 'reduce' | 'scan' | 'sort';
  make(size: Size, iterations: number): Workload;
}
