// Measures the growth of time and memory with the size of an input.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { cpuMs } from '../../src/base/cpu-time.ts';

/** A kind of input with a variable size. */
export interface Family {
  readonly name: string;
  /** The smallest measured size. The largest is eight times as large. */
  readonly size: number;
  /** Prepares an input of a size, and returns a function that processes the input. */
  prepare(size: number): () => unknown;
}

export interface GrowthRow {
  readonly size: number;
  /** The processor time in milliseconds. */
  readonly ms: number;
  /** The number of bytes of the heap and of array buffers that the result retains. */
  readonly bytes: number;
}

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** The multiples of the smallest size. */
const factors: readonly number[] = [1, 2, 4, 8];

/**
 * Returns the shortest processor time of several runs, because other work on the machine can only
 * lengthen a run.
 */
function timeOf(work: () => unknown, runs: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const start = cpuMs();
    work();
    best = Math.min(best, cpuMs() - start);
  }
  return best;
}

function bytesOf(work: () => unknown): number {
  collectGarbage();
  const before = process.memoryUsage();
  const kept = work();
  collectGarbage();
  const after = process.memoryUsage();
  const used = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
  // The result must be reachable until the memory has been measured.
  return kept === before ? 0 : Math.max(0, used);
}

/**
 * Measures the rows of one family's table. `scale` reduces all sizes; `at` contains the multiples
 * of the smallest size.
 */
export function grow(
  { size: least, prepare }: Family,
  { runs = 3, scale = 1, memory = true, at = factors } = {},
): GrowthRow[] {
  const smallest = Math.max(1, Math.round(least * scale));
  // Warms up the compiler, so that its time does not count as growth.
  timeOf(prepare(smallest), 2);
  return at.map((factor) => {
    const size = smallest * factor;
    const work = prepare(size);
    const ms = timeOf(work, runs);
    return { size, ms: Math.round(ms * 1000) / 1000, bytes: memory ? bytesOf(work) : 0 };
  });
}

/**
 * The maximum growth over three doublings. The time and memory of an n log n algorithm grow about
 * tenfold, and those of a quadratic algorithm 64-fold. The limit is between these factors, to allow
 * for a machine under load and for caches that overflow. Times below `noiseMs` are not compared.
 */
const maxGrowth = 30;
const noiseMs = 40;

/** Returns a complaint about a family's table, or undefined if there is none. */
export function complaintAbout(rows: readonly GrowthRow[]): string | undefined {
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last || last.ms < noiseMs) return undefined;
  const growth = last.ms / Math.max(first.ms, 0.05);
  if (growth <= maxGrowth) return undefined;
  return `from ${first.size} to ${last.size} the time grows from ${first.ms} ms to ${last.ms} ms`;
}
