// The results of a benchmark, and their ratios to native code, to CUB and to hardware limits.

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
  /** The ids of entries that were skipped because time ran out. */
  readonly skipped: readonly string[];
  /** Explanations of steps that were not possible. */
  readonly notes: readonly string[];
  /**
   * The maximum shuffle throughput of the GPU in lane operations per second; undefined for an
   * unknown GPU.
   */
  readonly shuffleLimit: number | undefined;
}

/**
 * The number of lanes that a multiprocessor shuffles per cycle (CUDA C++ Programming Guide,
 * throughput of native instructions).
 */
const shuffledLanes = 32;

/**
 * Returns the shuffle throughput of an NVIDIA GPU, from the number of multiprocessors and the
 * maximum clock that its driver reports.
 */
export function shuffleLimit(limits: Readonly<Record<string, number>> | undefined): number | undefined {
  const { multiprocessors, clockKhz } = limits ?? {};
  return multiprocessors === undefined || clockKhz === undefined
    ? undefined
    : multiprocessors * shuffledLanes * clockKhz * 1000;
}

/**
 * Returns a measurement's rate divided by the rate of native code in the same run. Returns
 * undefined for native code itself, and if no native code ran.
 */
export function nativeRatio(measurement: Measurement, all: readonly Measurement[]): number | undefined {
  const native = all.find(({ machine }) => isNative(machine))?.rate;
  if (isNative(measurement.machine) || !native || !measurement.rate) return undefined;
  return measurement.rate.median / native.median;
}

/**
 * Returns the rate divided by the hardware limit that bounds the entry. For memory, the limit is
 * the native copy kernel of the same run.
 */
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

/** Returns the speed divided by the speed of CUB's primitive on the same number of words. */
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
 * The maximum number of executed lanes per cycle. Each measured instruction is followed by an
 * addition, and a multiprocessor issues four instructions of 32 lanes per cycle. So an instruction
 * that is executed cannot exceed 64 lanes per cycle.
 */
const executedLanes = 64;

/**
 * Whether a compiler on some machine removed the instruction, or hoisted it out of the loop. Then
 * the rate is not the instruction's execution rate.
 */
export function isCompiledAway({ entry, measurements }: MeasuredEntry, { shuffleLimit }: BenchResults): boolean {
  if (entry.section !== 'instructions' || shuffleLimit === undefined) return false;
  const most = (shuffleLimit / shuffledLanes) * executedLanes;
  return measurements.some(({ rate, software }) => !software && rate !== undefined && rate.median > most);
}

export interface Mean {
  /** The geometric mean. */
  readonly mean: number;
  readonly count: number;
}

/** The mean ratio to native code for one machine and float mode. */
export interface SectionMean extends Mean {
  /**
   * The machine, with the float mode if the modes have different shaders: `chrome`, `chrome fast`.
   */
  readonly name: string;
  /** The mean including the entries with invariant operands, if there are any. */
  readonly withInvariant?: Mean;
}

/** Returns the means over the entries of a section, without the entries that were compiled away. */
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

/**
 * Returns the name of a series: `chrome`, or `chrome fast` for kernels with different shaders for
 * exact and fast arithmetic.
 */
export function seriesOf({ machine, float }: Pick<Measurement, 'machine' | 'float'>, entry: BenchEntry): string {
  return entry.float && float !== 'native' ? `${machine} ${float}` : machine;
}
