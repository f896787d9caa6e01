// The messages between the CUDA child process and its parent.

import type { Launch, LaunchOutputs } from '../../base/launch.ts';
import type { Timing } from '../../runtime/device/sequence.ts';
import type { LaunchSequence } from '../launches/launch-sequence.ts';
import type { CudaFailure } from './cuda-error.ts';

/** The GPU and its driver. */
export interface CudaReport {
  readonly gpu: string;
  /** The compute capability, such as `9.0`. */
  readonly computeCapability: string;
  /**
   * The version of the driver package (`580.95.05`), or 'unknown'. `cuda` is the CUDA version that
   * the driver implements (`13.0`).
   */
  readonly driver: string;
  readonly cuda: string;
  readonly multiprocessors: number;
  readonly clockKhz: number;
  readonly memoryBytes: number;
  /** The maximum shared memory of a block in bytes, including opt-in memory. */
  readonly sharedBytesPerBlock: number;
}

export interface RunRequest {
  readonly kind: 'run';
  readonly launch: Launch;
  /** The value of the guard bytes around each buffer, 0 to 255. */
  readonly guardByte: number;
  /** The time limit of the kernel in milliseconds. */
  readonly kernelTimeoutMs?: number;
  /** The level of the driver's optimizer, 0 to 4. By default, the driver chooses the level. */
  readonly optimize?: number;
  /**
   * The PTX of later launches. The driver may compile it together with the PTX of this launch, at
   * the same level.
   */
  readonly soon?: readonly string[];
}

export interface TimeRequest {
  readonly kind: 'time';
  readonly launch: Launch;
  readonly samples: number;
}

export interface SequenceRequest {
  readonly kind: 'sequence';
  readonly sequence: LaunchSequence;
  readonly timing: Timing;
}

/** Messages from parent to child. The child opens its device without a request. */
export type ToChild = RunRequest | TimeRequest | SequenceRequest | { readonly kind: 'close' };

export interface CudaRun {
  /** The contents of every buffer after the launch, by parameter index. */
  readonly outputs: LaunchOutputs;
  /** The milliseconds on the host from the launch until the device is idle. */
  readonly ms: number;
  /** The text that the kernel printed, in one string; absent if printed text cannot be captured. */
  readonly printed?: string;
  /** The log of the driver's compiler for PTX that it accepted. The log is usually empty. */
  readonly log: string;
}

/** Messages from child to parent. One of the last four answers a request. */
export type FromChild =
  | { readonly kind: 'opened'; readonly report: CudaReport }
  | ({ readonly kind: 'ran' } & CudaRun)
  | { readonly kind: 'timed'; readonly times: readonly number[] }
  | {
      readonly kind: 'timed-sequence';
      readonly times: readonly number[];
      readonly windows: ReadonlyMap<string, Uint8Array>;
    }
  | { readonly kind: 'failed'; readonly failure: CudaFailure };
