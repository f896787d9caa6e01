// How time and memory grow with the size of an input.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { cpuMs } from '../../src/base/cpu-time.ts';

/** A kind of input whose size can be chosen. */
export interface Family {
  readonly name: string;
  /** The smallest size that is measured; the largest is eight times as much. */
  readonly size: number;
  /** Makes an input of that size, and returns the work on it. */
  prepare(size: number): () => unknown;
}

export interface GrowthRow {
  readonly size: number;
  /** Milliseconds of processor time. */
  readonly ms: number;
  /** Bytes of heap and array buffers that the result keeps. */
  readonly bytes: number;
}

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Doublings of the size. */
const factors: readonly number[] = [1, 2, 4, 8];

/** Processor time of the shortest of some runs, which other work on the machine disturbs least. */
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
  // What the work returned has to live until then.
  return kept === before ? 0 : Math.max(0, used);
}

/** Rows of one family's table. `scale` makes all sizes smaller; `at`: which multiples of the smallest. */
export function grow(
  { size: least, prepare }: Family,
  { runs = 3, scale = 1, memory = true, at = factors } = {},
): GrowthRow[] {
  const smallest = Math.max(1, Math.round(least * scale));
  // The compiler's own warm-up is no growth.
  timeOf(prepare(smallest), 2);
  return at.map((factor) => {
    const size = smallest * factor;
    const work = prepare(size);
    const ms = timeOf(work, runs);
    return { size, ms: Math.round(ms * 1000) / 1000, bytes: memory ? bytesOf(work) : 0 };
  });
}

/**
 * Time and memory of what is n log n grow about tenfold over the three doublings; of what is quadratic, 64-fold. Between them is
 * room for a busy machine and for caches that overflow. What takes less than `noiseMs` is not judged.
 */
const maxGrowth = 30;
const noiseMs = 40;

/** What is wrong with a family's table; undefined if nothing is. */
export function complaintAbout(rows: readonly GrowthRow[]): string | undefined {
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last || last.ms < noiseMs) return undefined;
  const growth = last.ms / Math.max(first.ms, 0.05);
  if (growth <= maxGrowth) return undefined;
  return `from ${first.size} to ${last.size} the time grows from ${first.ms} ms to ${last.ms} ms`;
}
