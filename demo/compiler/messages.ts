// The requests of the page to the worker that parses, translates and interprets.
import type { Launch, LaunchOutputs } from '../../src/base/launch.ts';
import type { Finding } from '../../src/cpu-ref/executor.ts';
import type { ShownCounter } from '../../src/harness/executors/shown-counters.ts';
import type { JudgeRequest, Verdict } from '../lessons/judge.ts';
import type { CudaLines } from '../program/cuda-lines.ts';
import type { Message } from '../program/messages.ts';
import type { Program } from '../program/program.ts';
import type { ShownState } from '../program/trace.ts';
import type { Target, Translation } from '../program/translation.ts';
import type { AppState } from '../state.ts';
import type { PackedTrace } from './pack-trace.ts';

/**
 * The state, with its revision. The revision increases with each change that affects the program.
 */
export interface ProgramRequest {
  readonly revision: number;
  readonly state: AppState;
}

export interface ParseAnswer {
  readonly messages: readonly Message[];
  readonly program: Program | undefined;
  /** The lines of the CUDA source; undefined if the PTX does not contain line information. */
  readonly cuda: CudaLines | undefined;
}

export interface TraceAnswer {
  readonly trace: PackedTrace;
  readonly messages: readonly Message[];
}

/**
 * The reference's result of a launch: outputs for the comparison, or the reason why there are none.
 */
export interface ReferenceAnswer {
  readonly expected: LaunchOutputs | undefined;
  readonly undefinedMasks: LaunchOutputs;
  /** For each byte, the linear index of the thread that wrote it last, or -1. */
  readonly writers: ReadonlyMap<number, Int32Array>;
  readonly problem: string;
  /** The findings of the sanitizer. */
  readonly findings: readonly Finding[];
  readonly counters: readonly ShownCounter[];
}

/**
 * All requests with their results. A trace or a translation is undefined if the text cannot be
 * parsed.
 */
export interface CompilerRequests {
  parse: { args: ProgramRequest; result: ParseAnswer };
  trace: { args: ProgramRequest; result: TraceAnswer | undefined };
  /**
   * Returns the state after a step of the trace. The result is undefined if the text cannot be
   * parsed or the trace does not contain the step.
   */
  inspect: { args: ProgramRequest & { readonly step: number }; result: ShownState | undefined };
  translate: { args: ProgramRequest & { readonly target: Target }; result: Translation | undefined };
  /** Runs a launch on the reference. Rejects if the kernel is not supported. */
  reference: { args: { readonly launch: Launch; readonly prefix: number }; result: ReferenceAnswer };
  /** Judges a kernel of a lesson. The progress is the number of launches that have passed. */
  judge: { args: JudgeRequest & { readonly lesson: string }; result: Verdict; progress: number };
}
