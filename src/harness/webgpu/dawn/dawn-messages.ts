// The messages between the Dawn child process and its parent.

import type { DeviceReport } from '../../../runtime/device/device.ts';
import type { CompileTimes, GpuErrorKind, GpuJob, GpuShader, JobPhase } from '../../../runtime/device/job.ts';
import type { GpuSequence, GpuSequenceResult } from '../../../runtime/device/sequence.ts';

/** Messages from parent to child. The child opens its device without a request. */
export type ToChild =
  | { readonly kind: 'run'; readonly job: GpuJob }
  | { readonly kind: 'prepare'; readonly shader: GpuShader }
  | { readonly kind: 'time'; readonly sequence: GpuSequence }
  | { readonly kind: 'compile'; readonly shader: GpuShader }
  | { readonly kind: 'close' };

/**
 * Messages from child to parent. The answer to `run` is `done` or `failed`; the answer to `time` is
 * `timed` or `failed`; the answer to `compile` is `compiled` or `failed`; `prepare` has no answer.
 * `phase` precedes the answers to `run` and `time`.
 */
export type FromChild =
  | { readonly kind: 'opened'; readonly report: DeviceReport; readonly flags: readonly string[] }
  | { readonly kind: 'done'; readonly buffers: ReadonlyMap<number, Uint8Array>; readonly ms: number }
  | { readonly kind: 'timed'; readonly result: GpuSequenceResult }
  | { readonly kind: 'compiled'; readonly times: CompileTimes }
  | { readonly kind: 'phase'; readonly phase: JobPhase }
  | { readonly kind: 'failed'; readonly error: GpuErrorKind; readonly message: string };
