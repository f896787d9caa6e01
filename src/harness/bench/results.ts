// What a benchmark found, and what can be said of it: ratios to native code, to CUB and to the hardware's limits.

import { isNative } from '../executors/executor.ts';
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
  /** Ids of entries for which no time was left. */
  readonly skipped: readonly string[];
  /** What could not be done, and why. */
  readonly notes: readonly string[];
  /** Lane operations a second of all processors' shuffle units; undefined where the GPU is not known. */
  readonly shuffleLimit: number | undefined;
}

/** Lanes that a multiprocessor shuffles in a cycle (CUDA C++ Programming Guide, throughput of native instructions). */
const shuffledLanes = 32;

/** Of an NVIDIA GPU, from what its driver says: processors and their highest clock. */
export function shuffleLimit(limits: Readonly<Record<string, number>> | undefined): number | undefined {
  const { multiprocessors, clockKhz } = limits ?? {};
  return multiprocessors === undefined || clockKhz === undefined
    ? undefined
    : multiprocessors * shuffledLanes * clockKhz * 1000;
}

/** The rate against native code in the same run; undefined for native code itself and where there is none. */
export function nativeRatio(measurement: Measurement, all: readonly Measurement[]): number | undefined {
  const native = all.find(({ machine }) => isNative(machine))?.rate;
  if (isNative(measurement.machine) || !native || !measurement.rate) return undefined;
  return measurement.rate.median / native.median;
}

/** The rate against the hardware's limit that binds the entry. For memory that is the native copy of the same run. */
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

/** The speed against CUB's primitive on as many words. */
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
  return copy?.measurements.find(({ machine }) => isNative(machine))?.rate?.median;
}

/**
 * Each entry has an addition beside the instruction, and a processor begins four instructions of 32 lanes in a cycle: no instruction that is executed
 * can be at more than 64 lanes.
 */
const executedLanes = 64;

/** Whether a compiler left the instruction out on some machine, or takes it out of the loop, so that the rate is not one of executing it. */
export function isCompiledAway({ entry, measurements }: MeasuredEntry, { shuffleLimit }: BenchResults): boolean {
  if (entry.section !== 'instructions' || shuffleLimit === undefined) return false;
  const most = (shuffleLimit / shuffledLanes) * executedLanes;
  return measurements.some(({ rate, software }) => !software && rate !== undefined && rate.median > most);
}

export interface Mean {
  /** Geometric. */
  readonly mean: number;
  readonly count: number;
}

/** Of the ratios to native code of one machine and float mode. */
export interface SectionMean extends Mean {
  /** As `seriesOf` has it. */
  readonly name: string;
  /** With the entries whose operands stay the same for the whole loop, where there are any. */
  readonly withInvariant?: Mean;
}

/** The means over the entries of a section, without what is compiled away. */
export function meanRatios(results: BenchResults, section: BenchEntry['section']): SectionMean[] {
  const series = new Map<string, { ratio: number; invariant: boolean }[]>();
  for (const measured of results.entries) {
    const { entry, measurements } = measured;
    if (entry.section !== section || isCompiledAway(measured, results)) continue;
    for (const measurement of measurements) {
      const ratio = nativeRatio(measurement, measurements);
      if (ratio === undefined) continue;
      const name = seriesOf(measurement, entry);
      series.set(name, [...(series.get(name) ?? []), { ratio, invariant: entry.invariant === true }]);
    }
  }
  return [...series].map(([name, list]) => {
    const varying = list.filter(({ invariant }) => !invariant);
    const isMixed = varying.length < list.length;
    return { name, ...meanOf(varying), ...(isMixed ? { withInvariant: meanOf(list) } : {}) };
  });
}

function meanOf(list: readonly { readonly ratio: number }[]): Mean {
  const logs = list.reduce((sum, { ratio }) => sum + Math.log(ratio), 0);
  return { mean: Math.exp(logs / list.length), count: list.length };
}

/** `chrome`, or `chrome fast` for kernels of which exact and fast arithmetic make two. */
export function seriesOf({ machine, float }: Pick<Measurement, 'machine' | 'float'>, entry: BenchEntry): string {
  return entry.float && float !== 'native' ? `${machine} ${float}` : machine;
}
