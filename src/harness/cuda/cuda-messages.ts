// What the CUDA child process and its parent tell each other.

import type { Launch, LaunchOutputs } from '../../base/launch.ts';
import type { Timing } from '../../runtime/device/sequence.ts';
import type { LaunchSequence } from '../launches/launch-sequence.ts';
import type { CudaFailure } from './cuda-error.ts';

/** The GPU and its driver. */
export interface CudaReport {
  readonly gpu: string;
  /** `9.0`. */
  readonly computeCapability: string;
  /** Version of the driver package (`580.95.05`), or 'unknown', and the CUDA version that it implements (`13.0`). */
  readonly driver: string;
  readonly cuda: string;
  readonly multiprocessors: number;
  readonly clockKhz: number;
  readonly memoryBytes: number;
  /** Most shared memory that a block can have, opt-in included. */
  readonly sharedBytesPerBlock: number;
}

export interface RunRequest {
  readonly kind: 'run';
  readonly launch: Launch;
  /** Fills the memory around each buffer, 0 to 255. */
  readonly guardByte: number;
  /** Level of the optimizer, 0 to 4; without it, the driver's default. */
  readonly optimize?: number;
  /** Texts of launches to come, which may be compiled with this one's. */
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

/** Parent to child. The child opens its device by itself. */
export type ToChild = RunRequest | TimeRequest | SequenceRequest | { readonly kind: 'close' };

export interface CudaRun {
  /** Every buffer after the launch, by parameter index. */
  readonly outputs: LaunchOutputs;
  /** Milliseconds on the host from the launch until the device was idle. */
  readonly ms: number;
  /** What the kernel printed, all of it in one; absent where that cannot be had. */
  readonly printed?: string;
  /** What the driver's compiler wrote about PTX that it accepted; usually ''. */
  readonly log: string;
}

/** Child to parent; a request is answered by one of the last four. */
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
