// The options of `lanewise fuzz`.
import type { Subject } from '../harness/fuzz/subject-names.ts';
import type { ExecutorOptions } from './options.ts';

export interface FuzzCommandOptions extends ExecutorOptions {
  readonly seed?: number;
  /** The time limit of `--seconds`, converted to milliseconds. */
  readonly seconds?: number;
  readonly count?: number;
  readonly first?: number;
  readonly jobs: number;
  /** The file that stores the runs of a campaign. */
  readonly campaign?: string;
  readonly failures: number;
  /** A regular expression that the PTX of a kernel must match. */
  readonly holding?: string;
  /** The instructions that every kernel contains. */
  readonly subject?: Subject;
  readonly out: string;
  /** The number of mutated inputs to try instead of kernels. */
  readonly frontEnd?: number;
  /** The number of hostile inputs to try on all entry points, instead of kernels. */
  readonly doors?: number;
}
