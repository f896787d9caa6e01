// What the page and its GPU worker say to each other.

import type { FloatProfile } from '../../src/base/float-profile.ts';
import type { Launch, LaunchOutputs } from '../../src/base/launch.ts';
import type { Spread } from '../../src/harness/bench/statistics.ts';
import type { Comparison } from '../../src/harness/compare/compare.ts';
import type { ExecutorReport } from '../../src/harness/executors/executor.ts';
import type { ValidateResult } from '../../src/harness/runs/validate.ts';
import type { ReferenceAnswer } from '../compiler/messages.ts';

/** The adapter, and what the translator needs to know of it. */
export interface GpuInfo {
  readonly report: ExecutorReport;
  readonly profile: FloatProfile;
  /** Milliseconds that opening and measuring took. */
  readonly ms: number;
}

export interface RunRequest {
  readonly launch: Launch;
  readonly float: 'exact' | 'fast';
  /** What the reference made of the same launch. */
  readonly reference: ReferenceAnswer;
}

export interface RunReport extends ReferenceAnswer {
  readonly info: GpuInfo;
  readonly outputs: LaunchOutputs;
  readonly comparison: Comparison | undefined;
  readonly ms: number;
  readonly note: string;
}

export interface ValidateRequest {
  readonly queries: readonly string[];
  readonly seed: number;
  readonly exhaustive: boolean;
}

export interface ValidateStep {
  readonly done: number;
  readonly total: number;
  readonly label: string;
  readonly results: readonly ValidateResult[];
}

export interface BenchFigure {
  /** As `lanewise bench` calls it. */
  readonly id: string;
  /** Lane operations a second; undefined where nothing was measured, for the reason in `message`. */
  readonly rate: Spread | undefined;
  readonly sampleMs: number;
  readonly message: string;
  /** Values compared with the reference before anything was measured. */
  readonly compared: number;
  /** The GPU's own clock, or the processor's. */
  readonly clock: 'gpu' | 'host';
}

/** Every request, with what comes back. */
export interface GpuRequests {
  open: { args: { readonly float: 'exact' | 'fast' }; result: GpuInfo };
  run: { args: RunRequest; result: RunReport };
  validate: { args: ValidateRequest; progress: ValidateStep; result: { readonly cancelled: boolean } };
  bench: { args: object; progress: BenchFigure; result: GpuInfo };
  /** Drops the device, as a driver that fails would. */
  lose: { args: object; result: object };
  cancel: { args: object; result: object };
}
