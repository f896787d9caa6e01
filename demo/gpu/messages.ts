// The messages between the page and its GPU worker.

import type { FloatProfile } from '../../src/base/float-profile.ts';
import type { Launch, LaunchOutputs } from '../../src/base/launch.ts';
import type { Spread } from '../../src/harness/bench/statistics.ts';
import type { Comparison } from '../../src/harness/compare/compare.ts';
import type { ExecutorReport } from '../../src/harness/executors/executor.ts';
import type { Result } from '../../src/harness/runs/results.ts';
import type { ValidateResult } from '../../src/harness/runs/validate.ts';
import type { Verdict } from '../../src/memory-model/index.ts';
import type { ReferenceAnswer } from '../compiler/messages.ts';

/** The adapter, with the properties on which the translator depends. */
export interface GpuInfo {
  readonly report: ExecutorReport;
  readonly profile: FloatProfile;
  /** The time in milliseconds for opening and measuring the device. */
  readonly ms: number;
}

export interface RunRequest {
  readonly launch: Launch;
  readonly float: 'exact' | 'fast';
  /** The reference's result of the same launch. */
  readonly reference: ReferenceAnswer;
}

export interface RunReport extends ReferenceAnswer {
  readonly info: GpuInfo;
  readonly outputs: LaunchOutputs;
  readonly comparison: Comparison | undefined;
  /**
   * For each parameter number, a list with 1 for each element that the kernel wrote, and 0 for the
   * others.
   */
  readonly written: ReadonlyMap<number, Uint8Array>;
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
  /** The id of the instruction in `lanewise bench`. */
  readonly id: string;
  /**
   * The number of lane operations per second. Undefined if it was not measured; `message` contains
   * the reason.
   */
  readonly rate: Spread | undefined;
  readonly sampleMs: number;
  readonly message: string;
  /** The number of values that were compared with the reference before the measurement. */
  readonly compared: number;
  /** The clock that was used: that of the GPU or of the processor. */
  readonly clock: 'gpu' | 'host';
}

/** The time of a launch in milliseconds. */
export interface MeasuredTime {
  readonly spread: Spread;
  /** The number of launches in each sample. */
  readonly launches: number;
  readonly clock: 'gpu' | 'host';
  readonly software: boolean;
}

/** A litmus test that has run. */
export interface LitmusFigure {
  readonly verdict: Verdict;
  readonly condition: string;
  /** The text of the test. */
  readonly text: string;
  readonly outcomes: readonly {
    readonly text: string;
    readonly count: number;
    readonly verdict: Verdict;
    readonly isWeak: boolean;
  }[];
  readonly result: Result;
}

export interface LitmusStep {
  readonly done: number;
  readonly total: number;
  readonly name: string;
  /** Absent before the test has run. */
  readonly figure?: LitmusFigure;
}

/** All requests with their results. */
export interface GpuRequests {
  open: { args: { readonly float: 'exact' | 'fast' }; result: GpuInfo };
  /** Runs a launch. The progress of this request is the text to show while the driver compiles. */
  run: { args: RunRequest; progress: string; result: RunReport };
  /** Measures a launch by running it several times on the same buffers. */
  measure: { args: { readonly launch: Launch; readonly float: 'exact' | 'fast' }; result: MeasuredTime };
  validate: { args: ValidateRequest; progress: ValidateStep; result: { readonly cancelled: boolean } };
  bench: { args: object; progress: BenchFigure; result: GpuInfo };
  litmus: {
    args: { readonly names: readonly string[] };
    progress: LitmusStep;
    result: { readonly cancelled: boolean };
  };
  /** Destroys the device, to simulate a failure of the driver. */
  lose: { args: object; result: object };
  cancel: { args: object; result: object };
}
