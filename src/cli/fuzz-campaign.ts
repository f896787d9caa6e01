// A fuzzing campaign: consecutive runs that are stored in one file. Each run continues after the
// last kernel number of the previous run. The file is also written during a run, so that an
// interrupted run is included.
import { existsSync } from 'node:fs';
import type { MatrixMode } from '../base/matrix-mode.ts';
import { maxDocumentBytes, readText } from '../harness/files/read-text.ts';
import type { FuzzTally } from '../harness/fuzz/fuzz.ts';
import type { Subject } from '../harness/fuzz/subject-names.ts';
import { UsageError } from './console.ts';
import { toJson, toolRecord, writeReport } from './report-files.ts';

/**
 * One run. It tried the kernels with the numbers `first` to `end - 1`, except for those in progress
 * when it ended.
 */
export interface CampaignRun extends FuzzTally {
  readonly seed: number;
  readonly first: number;
  readonly on: readonly string[];
  readonly jobs: number;
  /** The value of `--matrix`; undefined for the default. */
  readonly matrix?: MatrixMode;
  /** The value of `--holding`. */
  readonly holding?: string;
  /** The value of `--subject`. */
  readonly subject?: Subject;
  /** The executors, in the format of `describeExecutor`. */
  readonly executors: readonly string[];
  /** The start time in ISO 8601. */
  readonly started: string;
  readonly ms: number;
  readonly found: readonly object[];
}

/** The interval between two writes, in milliseconds. */
const writeInterval = 5_000;

export class Campaign {
  readonly #path: string;
  readonly #earlier: readonly CampaignRun[];
  #written = Number.NEGATIVE_INFINITY;

  /**
   * Creates a campaign with the earlier runs in the file. Throws `UsageError` if the file has other
   * contents.
   */
  constructor(path: string) {
    this.#path = path;
    this.#earlier = existsSync(path) ? runsOf(path) : [];
  }

  /** The seed of the last run. */
  get seed(): number | undefined {
    return this.#earlier.at(-1)?.seed;
  }

  /** Returns the first kernel number of a seed that no run has used. */
  next(seed: number): number {
    return Math.max(0, ...this.#earlier.filter((run) => run.seed === seed).map(({ end }) => end));
  }

  /**
   * Writes the current run, unless the last write was less than `writeInterval` milliseconds ago.
   * With `last`, always writes it.
   */
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
    // The error below is also for a file that cannot be read.
  }
  throw new UsageError(`${path} is not a campaign of lanewise fuzz`);
}
