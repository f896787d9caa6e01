// What an executor is asked to do on a GPU, in WebGPU's terms. Everything about PTX stays outside:
// a job is a shader, its buffers and a dispatch.

import type { GpuSequence, GpuSequenceResult } from './sequence.ts';

export { GpuError, type GpuErrorKind, gpuErrorKinds } from './gpu-error.ts';

/** One buffer of bind group 0. `bytes` is a multiple of 4; `data` shorter than `bytes` is followed by zeros. */
export interface GpuBuffer {
  readonly binding: number;
  readonly kind: 'storage' | 'read-only-storage' | 'uniform';
  readonly bytes: number;
  readonly data?: Uint8Array;
  /** Copy the contents back after the dispatch. */
  readonly read: boolean;
}

/** What a compiler needs of a job. */
export interface GpuShader {
  readonly label: string;
  readonly code: string;
  readonly entryPoint: string;
  readonly buffers: readonly Pick<GpuBuffer, 'binding' | 'kind'>[];
}

export interface GpuJob extends GpuShader {
  readonly buffers: readonly GpuBuffer[];
  readonly workgroups: readonly [number, number, number];
  /** What jobs to come need compiled: it is compiled while this one is. */
  readonly ahead?: readonly GpuShader[];
}

export interface GpuResult {
  /** Contents of the buffers with `read`, by binding. */
  readonly buffers: ReadonlyMap<number, Uint8Array>;
  /** Milliseconds from submission until the results were mapped. */
  readonly ms: number;
}

/** What an adapter says of itself, and what was measured on it. */
export interface AdapterReport {
  readonly vendor: string;
  readonly architecture: string;
  readonly device: string;
  readonly description: string;
  /** The driver and its version; absent where the host does not tell. */
  readonly driver?: string;
  /** A software rasterizer (SwiftShader, lavapipe): its speed says nothing of a GPU's. */
  readonly software: boolean;
  readonly features: readonly string[];
  readonly wgslFeatures: readonly string[];
  readonly limits: Readonly<Record<string, number>>;
  readonly subgroupMinSize: number;
  readonly subgroupMaxSize: number;
  /** Browser or library version, and its flags. */
  readonly host: string;
  readonly flags: readonly string[];
}

/** An open adapter and device. Runs one job at a time; `close` is idempotent. */
export interface GpuSession {
  readonly adapter: AdapterReport;
  /** Rejects with a `GpuError`; after 'lost' or 'timeout' the session is closed and a new one must be opened. */
  run(job: GpuJob, options?: { timeoutMs?: number }): Promise<GpuResult>;
  /** Starts to compile what a later job needs, while others have their turn. What is wrong with it is told when that job runs. */
  prepare(shader: GpuShader): void;
  /** Measures dispatches; rejects as `run` does. */
  time(sequence: GpuSequence, options?: { timeoutMs?: number }): Promise<GpuSequenceResult>;
  close(): Promise<void>;
}

/** What can be measured: jobs are run on it, one at a time. */
export interface JobRunner {
  readonly adapter: Pick<AdapterReport, 'features' | 'wgslFeatures' | 'limits' | 'subgroupMinSize' | 'subgroupMaxSize'>;
  run(job: GpuJob): Promise<GpuResult>;
}
