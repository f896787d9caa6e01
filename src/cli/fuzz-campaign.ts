// A fuzzing campaign: runs one after the other, kept in one file, each going on where the one before ended. The file is written while a run is
// under way, so that one that is cut off counts too.
import { existsSync } from 'node:fs';
import { maxDocumentBytes, readText } from '../harness/files/read-text.ts';
import type { FuzzTally } from '../harness/fuzz/fuzz.ts';
import { UsageError } from './console.ts';
import { toJson, toolRecord, writeReport } from './report-files.ts';

/** One run. Its kernels are of numbers from `first` to below `end`, all but those that were under way when it ended. */
export interface CampaignRun extends FuzzTally {
  readonly seed: number;
  readonly first: number;
  readonly on: readonly string[];
  readonly jobs: number;
  /** As `describeExecutor` has them. */
  readonly executors: readonly string[];
  /** ISO 8601. */
  readonly started: string;
  readonly ms: number;
  readonly found: readonly object[];
}

/** Between two writes, milliseconds. */
const writeInterval = 5_000;

export class Campaign {
  readonly #path: string;
  readonly #earlier: readonly CampaignRun[];
  #written = Number.NEGATIVE_INFINITY;

  /** Reads what earlier runs left. Throws `UsageError` where the file holds something else. */
  constructor(path: string) {
    this.#path = path;
    this.#earlier = existsSync(path) ? runsOf(path) : [];
  }

  /** Of the last run. */
  get seed(): number | undefined {
    return this.#earlier.at(-1)?.seed;
  }

  /** The first number of that seed that no run has taken. */
  next(seed: number): number {
    return Math.max(0, ...this.#earlier.filter((run) => run.seed === seed).map(({ end }) => end));
  }

  /** Writes the run as it stands, unless it did so a moment ago. */
  keep(run: () => CampaignRun, { last = false } = {}): void {
    if (!last && performance.now() - this.#written < writeInterval) return;
    this.#written = performance.now();
    writeReport(this.#path, toJson({ schemaVersion: 1, tool: toolRecord(), runs: [...this.#earlier, run()] }));
  }
}

function runsOf(path: string): readonly CampaignRun[] {
  try {
    const { runs }: { runs: readonly CampaignRun[] } = JSON.parse(readText(path, maxDocumentBytes));
    if (runs.every(({ seed, end }) => Number.isSafeInteger(seed) && Number.isSafeInteger(end))) return runs;
  } catch {
    // Told below.
  }
  throw new UsageError(`${path} is no campaign of lanewise fuzz`);
}
