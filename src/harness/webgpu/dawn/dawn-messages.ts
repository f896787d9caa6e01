// What the Dawn child process and its parent tell each other.

import type { DeviceReport } from '../../../runtime/device/device.ts';
import type { GpuErrorKind, GpuJob, GpuShader } from '../../../runtime/device/job.ts';
import type { GpuSequence, GpuSequenceResult } from '../../../runtime/device/sequence.ts';

/** Parent to child. The child starts opening its device by itself. */
export type ToChild =
  | { readonly kind: 'run'; readonly job: GpuJob }
  | { readonly kind: 'prepare'; readonly shader: GpuShader }
  | { readonly kind: 'time'; readonly sequence: GpuSequence }
  | { readonly kind: 'close' };

/** Child to parent; `run` is answered by `done` or `failed`, `time` by `timed` or `failed`, `prepare` by nothing. */
export type FromChild =
  | { readonly kind: 'opened'; readonly report: DeviceReport; readonly flags: readonly string[] }
  | { readonly kind: 'done'; readonly buffers: ReadonlyMap<number, Uint8Array>; readonly ms: number }
  | { readonly kind: 'timed'; readonly result: GpuSequenceResult }
  | { readonly kind: 'failed'; readonly error: GpuErrorKind; readonly message: string };
