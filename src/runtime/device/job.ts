// A job for a GPU, in WebGPU's terms: a shader, its buffers and a dispatch. A job does not depend
// on PTX.

import type { MatrixConfig } from '../../base/matrix-config.ts';
import type { GpuSequence, GpuSequenceResult } from './sequence.ts';

export { CompileTimeout, GpuError, type GpuErrorKind, gpuErrorKinds } from './gpu-error.ts';

/** A buffer of bind group 0. */
export interface GpuBuffer {
  /** The number of the binding. */
  readonly binding: number;
  /** The kind of the binding. */
  readonly kind: 'storage' | 'read-only-storage' | 'uniform';
  /** The size in bytes: a multiple of 4. */
  readonly bytes: number;
  /** The initial contents. If `data` is shorter than `bytes`, zeros follow. */
  readonly data?: Uint8Array;
  /** Whether to copy the contents back after the dispatch. */
  readonly read: boolean;
}

/** A compute shader and the layout of its bindings. */
export interface GpuShader {
  /** The name in messages. */
  readonly label: string;
  /** The WGSL code. */
  readonly code: string;
  /** The entry point in `code`. */
  readonly entryPoint: string;
  /** The bindings of group 0. */
  readonly buffers: readonly Pick<GpuBuffer, 'binding' | 'kind'>[];
}

/** A shader, its buffers and a dispatch. `makeJob` creates it from a program and a launch. */
export interface GpuJob extends GpuShader {
  /** The buffers of group 0. */
  readonly buffers: readonly GpuBuffer[];
  /** The number of workgroups in x, y and z. */
  readonly workgroups: readonly [number, number, number];
  /** Shaders of future jobs, which are compiled at the same time. */
  readonly ahead?: readonly GpuShader[];
}

/** The result of a job. */
export interface GpuResult {
  /** The contents of the buffers with `read`, by binding. */
  readonly buffers: ReadonlyMap<number, Uint8Array>;
  /** The milliseconds from submission until the results were mapped. */
  readonly ms: number;
}

/**
 * The phases of a job or a sequence: the driver compiles the shaders, then the device runs them. A
 * job whose shader is already compiled starts in the second phase.
 */
export type JobPhase = 'compiling' | 'running';
export type OnPhase = (phase: JobPhase) => void;

/** The times of a compilation in milliseconds. */
export interface CompileTimes {
  /** The time until the browser or Dawn has read and checked the WGSL. */
  readonly moduleMs: number;
  /** The time from the end of `moduleMs` until the driver has compiled the pipeline. */
  readonly pipelineMs: number;
}

/** The limits of a job, and the receiver of its phases. */
export interface JobOptions {
  /** The time limit of the execution in milliseconds; the default is 60 s. */
  readonly timeoutMs?: number;
  /** The time limit of the compilation in milliseconds; by default that of the adapter. */
  readonly compileTimeoutMs?: number;
  /** Called at the start of a phase. */
  readonly onPhase?: OnPhase;
}

/** The identity, features and limits of an adapter. */
export interface AdapterReport {
  /** The vendor, from `GPUAdapterInfo`. */
  readonly vendor: string;
  /** The architecture, from `GPUAdapterInfo`. */
  readonly architecture: string;
  /** The device, from `GPUAdapterInfo`. */
  readonly device: string;
  /** The description, from `GPUAdapterInfo`. */
  readonly description: string;
  /** The driver and its version, if the host reports it. */
  readonly driver?: string;
  /** Whether the adapter is a software rasterizer, such as SwiftShader or lavapipe. */
  readonly software: boolean;
  /** The features of the device. */
  readonly features: readonly string[];
  /** The WGSL language features. */
  readonly wgslFeatures: readonly string[];
  /** The limits of the device. */
  readonly limits: Readonly<Record<string, number>>;
  /**
   * The products of subgroup matrices that the adapter reports; undefined if the adapter lacks the
   * feature.
   */
  readonly matrices?: readonly MatrixConfig[];
  /** The smallest subgroup size that the adapter reports; 0 without subgroups. */
  readonly subgroupMinSize: number;
  /** The largest subgroup size that the adapter reports; 0 without subgroups. */
  readonly subgroupMaxSize: number;
  /** The browser or library, with its version. */
  readonly host: string;
  /** The flags of the browser or library. */
  readonly flags: readonly string[];
}

/** An open adapter and device. It runs one job at a time. `close` is idempotent. */
export interface GpuSession {
  readonly adapter: AdapterReport;
  /**
   * Runs a job. Rejects with a `GpuError`. After 'lost' or 'timeout', the session is closed, and
   * the caller must open a new one.
   */
  run(job: GpuJob, options?: JobOptions): Promise<GpuResult>;
  /**
   * Starts to compile a later job's shader while other jobs run. A compile error is reported when
   * that job runs.
   */
  prepare(shader: GpuShader): void;
  /** Measures dispatches. Rejects as `run` does. */
  time(sequence: GpuSequence, options?: JobOptions): Promise<GpuSequenceResult>;
  /**
   * Compiles a shader for later jobs, and measures how long that takes. Rejects as `run` does. The
   * times are 0 for a shader that is already compiled.
   */
  compile(shader: GpuShader, options?: Pick<JobOptions, 'compileTimeoutMs'>): Promise<CompileTimes>;
  close(): Promise<void>;
}

/** An adapter for measurements: it runs jobs, one at a time. */
export interface JobRunner {
  readonly adapter: Pick<
    AdapterReport,
    'features' | 'wgslFeatures' | 'limits' | 'matrices' | 'subgroupMinSize' | 'subgroupMaxSize'
  >;
  run(job: GpuJob): Promise<GpuResult>;
}
