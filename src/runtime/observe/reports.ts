// The reports of the sanitizer, and its options.

import type { Finding } from '../../cpu-ref/executor.ts';

/** A report of the sanitizer about a launch. */
export interface SanitizerReport {
  /**
   * The kind:
   * - `finding`: undefined behavior or another problem in the kernel.
   * - `unfinished`: the reference reached its step limit, so it checked only a part of the launch.
   * - `skipped`: the reference could not check the launch, for the reason in `message`.
   */
  readonly kind: 'finding' | 'unfinished' | 'skipped';
  /** The name of the kernel. */
  readonly kernel: string;
  /** The number of the launch among all launches of the runtime, starting at 1. */
  readonly launch: number;
  /** The problem, in one sentence. */
  readonly message: string;
  /** The finding with its block, warp and lanes, if there is one. */
  readonly finding: Finding | undefined;
  /**
   * The place: a line of the CUDA source if the PTX has line information (`nvcc -lineinfo`), and
   * otherwise a line of the PTX. Lines and columns start at 1.
   */
  readonly place: { readonly file: string; readonly line: number; readonly column: number } | undefined;
  /** The whole report as text without colors, with the quoted line. */
  readonly text: string;
}

/** Options of `RuntimeOptions.sanitize`. */
export interface SanitizeOptions {
  /** Receives each report. By default, reports are written to the console. */
  readonly onReport?: (report: SanitizerReport) => void;
  /** The kernels to check. The default is all. */
  readonly kernels?: readonly string[];
  /**
   * The number of instructions after which the reference stops. An instruction that several lanes
   * execute together counts once. The default is 10 million.
   */
  readonly maxSteps?: number;
}
