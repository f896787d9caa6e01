// Writes the JSON document of a run.
import type { ExecutorReport } from '../executors/executor.ts';
import type { Result } from '../runs/results.ts';

/** The options of a run, and the command that reproduces it. */
export interface RunRecord {
  readonly command: 'validate' | 'run' | 'fuzz' | 'litmus';
  readonly query: readonly string[];
  readonly seed?: number;
  readonly exhaustive?: boolean;
  /** Whether the run covers only some suites of every instruction. */
  readonly brief?: boolean;
  /** The start time, as ISO 8601. */
  readonly started: string;
  readonly ms: number;
}

export interface ToolRecord {
  readonly name: string;
  readonly version: string;
  readonly node: string;
  readonly platform: string;
}

/**
 * Returns `{ schemaVersion: 1, tool, run, results }`. Every result contains its executor's adapter
 * and lane plan.
 */
export function jsonDocument(tool: ToolRecord, run: RunRecord, results: readonly Result[]): object {
  return { schemaVersion: 1, tool, run, results: results.map((result) => jsonResult(result, run)) };
}

/** Returns one result in the form that JSON documents contain. */
export function jsonResult(result: Result, run: RunRecord): object {
  const { id, executor, status, cases, compared, undefined: undefinedCount, mismatches, first, message, ms } = result;
  return {
    id,
    executor: executor.name,
    adapter: jsonAdapter(executor),
    lanePlan: executor.lanePlan?.kind ?? null,
    ...(run.seed === undefined ? {} : { seed: run.seed }),
    status,
    cases,
    compared,
    undefined: undefinedCount,
    mismatches,
    ...(first ? { first } : {}),
    ...(result.lanes ? { lanes: result.lanes } : {}),
    ...(result.printed === undefined ? {} : { printed: result.printed }),
    ...(message ? { message } : {}),
    ...(result.errorKind ? { errorKind: result.errorKind } : {}),
    ...(result.skipped === undefined ? {} : { skipped: result.skipped }),
    ...(result.observed ? { observed: result.observed } : {}),
    ms: Math.round(ms * 1000) / 1000,
  };
}

/**
 * Returns the adapter in the form that results contain: its identity, how it was opened, and its
 * measured properties. Returns null for the interpreter.
 */
export function jsonAdapter({
  adapter,
  subgroupSize,
  float,
  problems,
  workarounds,
  measuredAt,
}: ExecutorReport): object | null {
  if (!adapter) return null;
  const { vendor, architecture, device, description, software, host, flags } = adapter;
  return {
    vendor,
    architecture,
    device,
    description,
    software,
    subgroupSize: subgroupSize ?? 0,
    subgroupMinSize: adapter.subgroupMinSize,
    subgroupMaxSize: adapter.subgroupMaxSize,
    host,
    flags,
    float: float ?? {},
    problems: problems ?? [],
    ...(workarounds === undefined ? {} : { workarounds }),
    ...(measuredAt === undefined ? {} : { measuredAt }),
  };
}
