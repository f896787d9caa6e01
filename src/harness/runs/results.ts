// Results as reports carry them, and the exit code that they make.

import type { CaseLanes } from '../compare/lane-table.ts';
import type { Observed } from '../compare/observed.ts';
import type { ExecutorReport } from '../executors/executor.ts';

const statuses = ['pass', 'fail', 'unsupported', 'error'] as const;
export type Status = (typeof statuses)[number];

export function isStatus(value: unknown): value is Status {
  return statuses.some((status) => status === value);
}

/** What ended a run early: `GpuError` kinds, `invalid` PTX, a `failed` interpretation, anything else. */
export type ErrorKind =
  | 'unavailable' | 'shader' | 'validation' | 'out-of-memory' | 'lost' | 'timeout' | 'invalid' | 'failed' | 'other'; // biome-ignore format: one list

/** One suite, or one case file, on one executor. */
export interface Result {
  readonly id: string;
  readonly executor: ExecutorReport;
  readonly status: Status;
  /** Kernels or warps run. */
  readonly cases: number;
  /** Lane results (of a case file: buffer elements) compared, undefined by PTX, and different. */
  readonly compared: number;
  readonly undefined: number;
  readonly mismatches: number;
  /** The first difference. */
  readonly first: FirstMismatch | undefined;
  /** Of a suite: the first cases that differ, lane by lane. */
  readonly lanes?: readonly CaseLanes[];
  /** What the kernel printed. */
  readonly printed?: string;
  /** For a person; '' if there is nothing to say. */
  readonly message: string;
  readonly errorKind: ErrorKind | undefined;
  readonly ms: number;
  /** Why the result, 'unsupported', counts neither for nor against: native hardware that lacks the instruction, or that PTX leaves free. */
  readonly skipped?: string;
  /** What was in lanes that PTX leaves undefined. Absent for the reference. */
  readonly observed?: Observed;
}

/** Names and texts: what differs depends on what was run. Each has at least `expected` and `got`. */
export interface FirstMismatch {
  readonly expected: string;
  readonly got: string;
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

/** Whether it counts against the run. */
export function hasFailed({ status, skipped }: Result): boolean {
  return status !== 'pass' && skipped === undefined;
}

/** What of a result decides about the exit code. */
export type Judged = Pick<Result, 'status' | 'errorKind' | 'compared' | 'skipped'>;

/** The worst of the results. A mismatch outranks the rest; a run that compared nothing failed, whatever else it did. */
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

/** Sums over results, for tables and last lines. */
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
