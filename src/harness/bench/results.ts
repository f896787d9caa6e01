// What a benchmark found, and what can be said of it: ratios to native code, to CUB and to the hardware's limits.
import type { CubMeasurement } from './cub.ts';
import type { BenchEntry } from './entries/entry.ts';
import type { Measurement } from './measure.ts';
import type { ToolMeasurement } from './tool.ts';

export interface MeasuredEntry {
  readonly entry: BenchEntry;
  readonly measurements: readonly Measurement[];
}

export interface BenchResults {
  readonly entries: readonly MeasuredEntry[];
  readonly tool: readonly ToolMeasurement[];
  readonly cub: readonly CubMeasurement[];
  /// Ids of entries for which no time was left.
  readonly skipped: readonly string[];
  /// What could not be done, and why.
  readonly notes: readonly string[];
  /// Lane operations a second of all processors' shuffle units; undefined where the GPU is not known.
  readonly shuffleLimit: number | undefined;
}

/// Lanes that a multiprocessor shuffles in a cycle (CUDA C++ Programming Guide, throughput of native instructions).
const shuffledLanes = 32;

/// Of an NVIDIA GPU, from what its driver says: processors and their highest clock.
export function shuffleLimit(limits: Readonly<Record<string, number>> | undefined): number | undefined {
  const { multiprocessors, clockKhz } = limits ?? {};
  return multiprocessors === undefined || clockKhz === undefined
    ? undefined
    : multiprocessors * shuffledLanes * clockKhz * 1000;
}

/// The rate against native code in the same run; undefined for native code itself and where there is none.
export function nativeRatio(measurement: Measurement, all: readonly Measurement[]): number | undefined {
  const native = all.find(({ machine }) => machine === 'cuda')?.rate;
  if (measurement.machine === 'cuda' || !native || !measurement.rate) return undefined;
  return measurement.rate.median / native.median;
}

/// The rate against the hardware's limit that binds the entry. For memory that is the native copy of the same run.
export function limitRatio(
  measurement: Measurement,
  { entry }: MeasuredEntry,
  results: BenchResults,
): number | undefined {
  if (!measurement.rate || measurement.software) return undefined;
  const limit =
    entry.limit === 'shuffle' ? results.shuffleLimit : entry.limit === 'memory' ? copyRate(results) : undefined;
  return limit === undefined ? undefined : measurement.rate.median / limit;
}

/// The speed against CUB's primitive on as many words.
export function cubRatio(
  measurement: Measurement,
  { entry }: MeasuredEntry,
  { cub }: BenchResults,
): number | undefined {
  const primitive = cub.find((candidate) => candidate.primitive === entry.cub);
  if (!primitive || !measurement.rate || measurement.software) return undefined;
  const { work } = entry.make('full', 1);
  return ((measurement.rate.median / work) * primitive.time.median) / 1000;
}

function copyRate({ entries }: BenchResults): number | undefined {
  const copy = entries.find(({ entry }) => entry.id === 'kernel:copy');
  return copy?.measurements.find(({ machine }) => machine === 'cuda')?.rate?.median;
}

/// The geometric mean of the ratios to native code, by machine and float mode, over the entries of a section.
export function meanRatios(
  { entries }: BenchResults,
  section: BenchEntry['section'],
): { name: string; mean: number; count: number }[] {
  const logs = new Map<string, number[]>();
  for (const { entry, measurements } of entries) {
    if (entry.section !== section) continue;
    for (const measurement of measurements) {
      const ratio = nativeRatio(measurement, measurements);
      if (ratio === undefined) continue;
      const name = seriesOf(measurement, entry);
      logs.set(name, [...(logs.get(name) ?? []), Math.log(ratio)]);
    }
  }
  return [...logs].map(([name, list]) => ({
    name,
    mean: Math.exp(list.reduce((sum, log) => sum + log, 0) / list.length),
    count: list.length,
  }));
}

/// `chrome`, or `chrome fast` for kernels of which exact and fast arithmetic make two.
export function seriesOf({ machine, float }: Pick<Measurement, 'machine' | 'float'>, entry: BenchEntry): string {
  return entry.float && float !== 'native' ? `${machine} ${float}` : machine;
}
