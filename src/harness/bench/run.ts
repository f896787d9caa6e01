// Runs a whole benchmark: the requested entries on the open machines, within a time limit.
import { isNative, type MeasuringExecutor } from '../executors/executor.ts';
import { type CubMeasurement, compileCub } from './cub.ts';
import type { BenchEntry } from './entries/entry.ts';
import { type MeasureOptions, measure } from './measure.ts';
import { type BenchResults, type MeasuredEntry, shuffleLimit } from './results.ts';
import type { ToolMeasurement } from './tool.ts';

export interface RunOptions extends MeasureOptions {
  readonly entries: readonly BenchEntry[];
  readonly machines: readonly MeasuringExecutor[];
  /** The time limit for all entries in milliseconds; undefined for no limit. */
  readonly limitMs: number | undefined;
  readonly onProgress: (done: number, total: number, label: string) => void;
  /** Called after each measured entry. */
  readonly onMeasured: (measured: MeasuredEntry) => void;
}

export type EntryResults = Omit<BenchResults, 'tool'> & { readonly tool: readonly ToolMeasurement[] };

/**
 * Measures the entries in order. If there is a time limit, each section has its share of the
 * remaining time.
 */
export async function runEntries(options: RunOptions): Promise<EntryResults> {
  const { entries, machines } = options;
  const native = machines.find(({ name }) => isNative(name));
  const cubs = entries.filter(({ cub }) => cub !== undefined);
  // Compile CUB on another core during the first measurements.
  const cub = native && cubs.length > 0 ? settled(compileCub()) : undefined;
  const notes: string[] = [];
  const done: MeasuredEntry[] = [];
  const skipped: string[] = [];
  const started = Date.now();
  const sections = [...new Set(entries.map(({ section }) => section))];
  let index = 0;
  for (const [number, section] of sections.entries()) {
    const end = sectionEnd(started, options.limitMs, number, sections.length);
    const own = entries.filter((candidate) => candidate.section === section);
    for (const entry of options.limitMs === undefined ? own : plainFirst(own)) {
      options.onProgress(index++, entries.length, entry.id);
      if (Date.now() >= end) {
        skipped.push(entry.id);
        continue;
      }
      const measured = { entry, measurements: await measure(entry, machines, options) };
      done.push(measured);
      options.onMeasured(measured);
    }
  }
  done.sort((a, b) => entries.indexOf(a.entry) - entries.indexOf(b.entry));
  const beside = cub ? await measureCub(cub, cubs, notes) : [];
  return {
    entries: done,
    tool: [],
    cub: beside,
    skipped,
    notes,
    shuffleLimit: shuffleLimit(native?.describe().adapter?.limits),
  };
}

/**
 * Orders the entries so that every instruction in its plainest form, and every kernel, is measured
 * before any other form. The order matters if time runs out.
 */
function plainFirst(entries: readonly BenchEntry[]): BenchEntry[] {
  const isPlain = ({ id }: BenchEntry): boolean => /^kernel:|:immediate:independent$/.test(id);
  return [...entries.filter(isPlain), ...entries.filter((entry) => !isPlain(entry))];
}

function sectionEnd(started: number, limitMs: number | undefined, number: number, sections: number): number {
  return limitMs === undefined ? Number.POSITIVE_INFINITY : started + (limitMs * (number + 1)) / sections;
}

type Settled<T> = Promise<{ readonly value: T } | { readonly error: unknown }>;

/**
 * Resolves with the value or with the error of `work`. So a rejection does not count as unhandled
 * before the result is requested.
 */
function settled<T>(work: Promise<T>): Settled<T> {
  return work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
}

async function measureCub(
  compiling: Settled<Awaited<ReturnType<typeof compileCub>>>,
  entries: readonly BenchEntry[],
  notes: string[],
): Promise<CubMeasurement[]> {
  const compiled = await compiling;
  try {
    if ('error' in compiled) throw compiled.error;
    const buffer = entries[0]?.make('full', 1).sequence.buffers.find(({ name }) => name === 'in');
    return await compiled.value.measure((buffer?.bytes ?? 0) / 4);
  } catch (error) {
    const [first = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    notes.push(`CUB was not measured: ${first}`);
    return [];
  } finally {
    if ('value' in compiled) await compiled.value.close();
  }
}
