// Divides a fleet's work into pieces that occupy a session for some seconds: suites, case files, or
// generated kernels.

import type { Launch } from '../../base/launch.ts';
import { gpuErrorKinds } from '../../runtime/device/gpu-error.ts';
import type { KernelExecutor } from '../executors/executor.ts';
import { type FuzzFailure, fuzz } from '../fuzz/fuzz.ts';
import { bodyLines } from '../fuzz/print/print.ts';
import { jsonResult, type RunRecord } from '../report/json.ts';
import { failureOf } from '../runs/failure.ts';
import type { Result } from '../runs/results.ts';
import { runCase } from '../runs/run-case.ts';
import { validate } from '../runs/validate.ts';
import { type PlannedLaunch, planLaunches } from '../suites/index.ts';
import type { JsonResult } from './campaign-file.ts';
import type { Piece } from './run-fleet.ts';

export type FleetPiece = Piece<readonly JsonResult[]>;

interface Common {
  /** The time limit of a launch in milliseconds. */
  readonly timeoutMs?: number;
  /** The options of the command line that a command for reproducing a failure must repeat. */
  readonly reproduceWith?: string;
}

export interface ValidatePieces extends Common {
  readonly queries: readonly string[];
  readonly seed: number;
  readonly exhaustive: boolean;
}

/**
 * The minimum number of launches in a piece. A suite is never split, so that its results are
 * complete.
 */
const launchesOfPiece = 12;

/** Returns the pieces of a validation. Throws `QueryError` for a query that selects nothing. */
export function validatePieces(options: ValidatePieces): FleetPiece[] {
  const { queries, seed, exhaustive } = options;
  const record = recordOf('validate', options);
  return cutBySuites(planLaunches({ queries, seed, exhaustive })).map((plan, index) =>
    piece(`launches ${index}`, record, async (executor) =>
      (await validate({ ...options, plan, executors: [executor] })).map(({ suite: _, ...result }) => result),
    ),
  );
}

/** Groups consecutive launches so that each group contains all launches of its suites. */
function cutBySuites(plan: readonly PlannedLaunch[]): PlannedLaunch[][] {
  const last = new Map(plan.flatMap(({ suites }, index) => suites.map((suite) => [suite.id, index] as const)));
  const parts: PlannedLaunch[][] = [];
  let part: PlannedLaunch[] = [];
  let end = 0;
  for (const [index, launch] of plan.entries()) {
    part.push(launch);
    end = Math.max(end, ...launch.suites.map(({ id }) => last.get(id) ?? index));
    if (end > index || part.length < launchesOfPiece) continue;
    parts.push(part);
    part = [];
  }
  return part.length > 0 ? [...parts, part] : parts;
}

export interface CasePieces extends Common {
  readonly cases: readonly { readonly path: string; readonly launch: Launch }[];
  /**
   * The executor that interprets the kernels. The results of the machines are compared with its
   * results.
   */
  readonly reference: KernelExecutor;
}

export function casePieces(options: CasePieces): FleetPiece[] {
  const { cases, ...rest } = options;
  const record = recordOf('run', { queries: cases.map(({ path }) => path) });
  return cases.map(({ path, launch }) =>
    piece(`case ${path}`, record, (executor) => runCase(launch, [executor], { ...rest, path })),
  );
}

export interface FuzzPieces extends Common {
  readonly seed: number;
  readonly first: number;
  readonly count: number;
  /** Writes the case of a failure, and returns its path. */
  readonly save: (failure: FuzzFailure, machine: string) => string;
}

const kernelsOfPiece = 25;

/**
 * Returns pieces of generated kernels. Every machine runs the same kernels, so any differences in
 * the results are due to the machines.
 */
export function fuzzPieces({ seed, first, count, timeoutMs, save }: FuzzPieces): FleetPiece[] {
  const record = recordOf('fuzz', { queries: [], seed });
  const parts = Math.ceil(count / kernelsOfPiece);
  return Array.from({ length: parts }, (_, part) => {
    const from = first + part * kernelsOfPiece;
    const size = Math.min(kernelsOfPiece, first + count - from);
    const id = `fuzz:${seed}:${from}-${from + size - 1}`;
    return piece(id, record, async (executor, machine) => {
      const start = performance.now();
      const limit = timeoutMs === undefined ? {} : { timeoutMs };
      const { kernels, compared, found } = await fuzz({
        seed,
        first: from,
        count: size,
        executors: [executor],
        ...limit,
      });
      const [worst] = found;
      const base = { id, executor: executor.describe(), cases: kernels, compared, undefined: 0 };
      const ms = performance.now() - start;
      if (!worst)
        return [{ ...base, status: 'pass', mismatches: 0, first: undefined, message: '', errorKind: undefined, ms }];
      const path = save(worst, machine);
      const { disagreement, launch } = worst.minimal;
      return [
        {
          ...base,
          status: disagreement.kind === 'mismatch' ? 'fail' : 'error',
          mismatches: found.filter((failure) => failure.disagreement.kind === 'mismatch').length,
          first: undefined,
          message: [
            `kernel ${worst.index}: ${disagreement.message}`,
            `its case: ${path}`,
            ...bodyLines(launch.ptx),
          ].join('\n'),
          errorKind: errorKinds.find((kind) => kind === disagreement.kind) ?? 'other',
          ms,
        },
      ];
    });
  });
}

const errorKinds = [...gpuErrorKinds, 'invalid', 'failed'] as const;

function recordOf(
  command: RunRecord['command'],
  { queries, seed, exhaustive }: { queries: readonly string[]; seed?: number; exhaustive?: boolean },
): RunRecord {
  return {
    command,
    query: queries,
    ...(seed === undefined ? {} : { seed }),
    ...(exhaustive === undefined ? {} : { exhaustive }),
    started: '',
    ms: 0,
  };
}

/** The error kinds after which a session cannot be used. */
const broken: ReadonlySet<unknown> = new Set(['lost', 'timeout', 'unavailable']);

function piece(
  id: string,
  record: RunRecord,
  work: (executor: KernelExecutor, machine: string) => Promise<Result[]>,
): FleetPiece {
  return {
    id,
    async run(executor, machine) {
      const results = await work(executor, machine).catch((error: unknown) => [failed(id, executor, error)]);
      return results.map((result) => ({ ...jsonResult(result, record), executor: machine }));
    },
    brokenBy(results) {
      const found = results.find(({ errorKind }) => broken.has(errorKind));
      return found && `${found.errorKind}: ${String(found.message).split('\n')[0]}`;
    },
  };
}

function failed(id: string, executor: KernelExecutor, error: unknown): Result {
  const counts = { cases: 0, compared: 0, undefined: 0, mismatches: 0, first: undefined, ms: 0 };
  return { id, executor: executor.describe(), ...counts, ...failureOf(error, false) };
}
