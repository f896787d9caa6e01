// The results in reports, and the exit code that follows from them.

import type { CaseLanes } from '../compare/lane-table.ts';
import type { Observed } from '../compare/observed.ts';
import type { ExecutorReport } from '../executors/executor.ts';

const statuses = ['pass', 'fail', 'unsupported', 'error'] as const;
/**
 * The status of a result: `pass`, `fail` (results differ), `unsupported` (PTX that the executor
 * cannot run) or `error`.
 */
export type Status = (typeof statuses)[number];

export function isStatus(value: unknown): value is Status {
  return statuses.some((status) => status === value);
}

/** The cause of an `error`: a kind of `GpuError`, `invalid` PTX, a `failed` kernel, or `other`. */
export type ErrorKind =
  | 'unavailable' | 'shader' | 'validation' | 'out-of-memory' | 'lost' | 'timeout' | 'invalid' | 'failed' | 'other'; // biome-ignore format: one list

/** The result of one suite or case file on one executor. */
export interface Result {
  /** The name of the suite or case. */
  readonly id: string;
  /** The executor. */
  readonly executor: ExecutorReport;
  /** The status. */
  readonly status: Status;
  /** The number of kernels or warps that ran. */
  readonly cases: number;
  /**
   * The number of compared lane results. For a case file, it is the number of compared buffer
   * elements.
   */
  readonly compared: number;
  /** The number of results that PTX leaves undefined. */
  readonly undefined: number;
  /** The number of results that differ. */
  readonly mismatches: number;
  /** The first difference. */
  readonly first: FirstMismatch | undefined;
  /** The first cases of a suite that differ, lane by lane. */
  readonly lanes?: readonly CaseLanes[];
  /** The output of `printf`. */
  readonly printed?: string;
  /** An explanation for the user; can be empty. */
  readonly message: string;
  /** The cause of an `error`. */
  readonly errorKind: ErrorKind | undefined;
  /** The duration in milliseconds. */
  readonly ms: number;
  /**
   * The reason why an `unsupported` result does not count: the native hardware lacks the
   * instruction, or PTX does not define the behavior.
   */
  readonly skipped?: string;
  /** The values of lanes that PTX leaves undefined; absent for the reference. */
  readonly observed?: Observed;
}

/** The first difference, as names and texts. The details depend on the suite. */
export interface FirstMismatch {
  /** The expected result. */
  readonly expected: string;
  /** The actual result. */
  readonly got: string;
  /** A detail, such as the lane or an operand. */
  readonly [detail: string]: string | number | undefined | Readonly<Record<string, string>>;
}

export const exitCodes = {
  ok: 0,
  mismatch: 1,
  usage: 2,
  unavailable: 3,
  device: 4,
  interrupted: 130,
} as const;

/** Whether the result makes the run fail. */
export function hasFailed({ status, skipped }: Result): boolean {
  return status !== 'pass' && skipped === undefined;
}

/** The members of a result that determine the exit code. */
export type Judged = Pick<Result, 'status' | 'errorKind' | 'compared' | 'skipped'>;

/**
 * Returns the exit code of the command line for the worst result. The codes are 0 if all agree, 1
 * for a mismatch, a failed kernel or a run that compared nothing, 2 for invalid or unsupported PTX,
 * 3 for a missing device, and 4 for a lost device or a timeout.
 */
export function exitCodeOf(all: readonly Judged[]): number {
  const results = all.filter(({ skipped }) => skipped === undefined);
  const kinds = new Set(results.map(({ errorKind }) => errorKind));
  if (results.some(({ status }) => status === 'fail')) return exitCodes.mismatch;
  if (kinds.has('lost') || kinds.has('timeout')) return exitCodes.device;
  if (kinds.has('unavailable')) return exitCodes.unavailable;
  if (kinds.has('invalid') || results.some(({ status }) => status === 'unsupported')) return exitCodes.usage;
  if (results.some(({ status }) => status === 'error')) return exitCodes.mismatch;
  return results.some(({ compared }) => compared > 0) ? exitCodes.ok : exitCodes.mismatch;
}

/** Returns sums over results, for tables and summary lines. */
export function totals(
  results: readonly Result[],
): Pick<Result, 'cases' | 'compared' | 'undefined' | 'mismatches' | 'ms'> {
  const sum = (key: 'cases' | 'compared' | 'undefined' | 'mismatches' | 'ms'): number =>
    results.reduce((total, result) => total + result[key], 0);
  return {
    cases: sum('cases'),
    compared: sum('compared'),
    undefined: sum('undefined'),
    mismatches: sum('mismatches'),
    ms: sum('ms'),
  };
}
