// What `lanewise fuzz` takes.
import type { ExecutorOptions } from './options.ts';

export interface FuzzCommandOptions extends ExecutorOptions {
  readonly seed?: number;
  /** Milliseconds. */
  readonly seconds?: number;
  readonly count?: number;
  readonly first?: number;
  readonly jobs: number;
  /** File that keeps the runs of a campaign. */
  readonly campaign?: string;
  readonly failures: number;
  /** Only kernels whose PTX this matches. */
  readonly holding?: string;
  readonly out: string;
  /** Mutated inputs, instead of kernels. */
  readonly frontEnd?: number;
  /** Hostile inputs for every door, instead of kernels. */
  readonly doors?: number;
}
