// Measures one entry on every machine: checks the results, finds a suitable length for samples,
// then takes samples on the machines in rotation.

import type { GpuErrorKind } from '../../runtime/device/gpu-error.ts';
import { GpuError } from '../../runtime/device/job.ts';
import {
  type ExecutorName,
  type FloatMode,
  isNative,
  isSoftware,
  type KernelExecutor,
  type MeasuringExecutor,
} from '../executors/executor.ts';
import { referenceWindows, type Windows } from '../executors/run-sequence.ts';
import type { SequenceRun } from '../launches/launch-sequence.ts';
import { type Agreement, compareWindows } from './check.ts';
import type { BenchEntry, Size } from './entries/entry.ts';
import { granularityOf, type Spread, spreadOf } from './statistics.ts';

export interface MeasureOptions {
  /** The executor of the reference. Without it, this thread interprets the kernel. */
  readonly reference?: KernelExecutor;
  /** The minimum length of a sample in milliseconds. */
  readonly sampleMs: number;
  /** The number of rounds. Each round takes `samplesPerRound` samples on every machine. */
  readonly rounds: number;
  readonly samplesPerRound: number;
  readonly modes: readonly FloatMode[];
}

export interface Measurement {
  readonly id: string;
  readonly machine: Exclude<ExecutorName, 'cpu'>;
  readonly software: boolean;
  /** The f32 arithmetic of the shader; `native` on CUDA. */
  readonly float: FloatMode | 'native';
  readonly status: 'measured' | 'wrong' | 'refused' | 'error';
  /** The difference or the error message; empty for a measured entry. */
  readonly message: string;
  /** The kind of the error, if the status is 'error'. */
  readonly errorKind?: GpuErrorKind;
  /** The number of elements compared before the measurement. */
  readonly compared: number;
  readonly unit: BenchEntry['unit'];
  /** The number of units per second, over all samples. */
  readonly rate?: Spread;
  /** Milliseconds per sample. */
  readonly sample?: Spread;
  /** The number of units of work in a sample. */
  readonly work?: number;
  readonly clock?: SequenceRun['clock'];
  /** The granularity of timestamps in nanoseconds; undefined if timestamps are not available. */
  readonly granularityNs?: number;
}

/**
 * The maximum length of a sample in milliseconds. A driver does not mistake a kernel of this length
 * for a hang.
 */
const maxSampleMs = 400;
const maxGrowth = 64;
/**
 * The relative difference between two consecutive samples below which the clock counts as steady.
 * `maxTurns` is the maximum number of samples before that.
 */
const steadiness = 0.05;
const maxTurns = 40;
/** The work of a GPU, in milliseconds, after which its clock no longer rises. */
const warmUpMs = 250;
/**
 * The time limits for one answer in milliseconds, including the compilation of the shader. Software
 * rasterizers compile hundreds of soft f32 operations for minutes, and a benchmark without a GPU
 * cannot wait for that.
 */
const timeLimits = { native: 60_000, gpu: 120_000, software: 20_000 } as const;
/**
 * The number of iterations in a check. There are two, because the second iteration continues from
 * the results of the first.
 */
const checkIterations = 2;

/** The state of one machine with one float mode during the measurement. */
interface Runner {
  readonly machine: MeasuringExecutor;
  readonly float: FloatMode | 'native';
  readonly size: Size;
  readonly time: (size: Size, factor: number, samples: number, warmup: number) => Promise<Timed>;
  compared: number;
  factor: number;
  readonly times: number[];
  readonly stamps: number[];
  work: number;
  clock: SequenceRun['clock'];
  failure: Pick<Measurement, 'status' | 'message' | 'errorKind'> | undefined;
}

interface Timed {
  readonly run: SequenceRun;
  readonly work: number;
}

/**
 * Measures one entry on every machine. A failure on a machine is recorded in that machine's
 * measurement. Throws only if the reference itself fails.
 */
export async function measure(
  entry: BenchEntry,
  machines: readonly MeasuringExecutor[],
  options: MeasureOptions,
): Promise<Measurement[]> {
  const small = entry.make('check', entry.grows === 'iterations' ? checkIterations : 1);
  const expected = await referenceWindows(small.sequence, options.reference);
  const runners = machines.flatMap((machine) =>
    modesOf(entry, machine, options).map((mode) => runner(entry, machine, mode)),
  );
  for (const one of runners) {
    await attempt(one, async () => {
      const { run } = await one.time('check', 0, 0, 1);
      const { compared, difference } = compareWindows(small.sequence, expected, run.windows);
      one.compared = compared;
      if (difference !== undefined) one.failure = { status: 'wrong', message: difference };
    });
  }
  await checkFullSize(entry, runners);
  for (const one of runners) await attempt(one, () => scale(one, options.sampleMs));
  for (let round = 0; round < options.rounds; round++) {
    for (const one of runners) {
      await attempt(one, async () => {
        const { run, work } = await one.time(one.size, one.factor, options.samplesPerRound, 1);
        one.times.push(...run.times);
        one.stamps.push(...run.stamps);
        one.work = work;
        one.clock = run.clock;
      });
    }
  }
  return runners.map((one) => measurementOf(entry, one));
}

function modesOf(
  { float }: BenchEntry,
  { name }: MeasuringExecutor,
  { modes }: MeasureOptions,
): (FloatMode | 'native')[] {
  if (isNative(name)) return ['native'];
  return float ? [...modes] : modes.slice(0, 1);
}

function runner(entry: BenchEntry, machine: MeasuringExecutor, float: FloatMode | 'native'): Runner {
  return {
    machine,
    float,
    size: isSoftware(machine) ? 'software' : 'full',
    // With factor 0, the warm-up executes the steps once, and the samples do not execute them.
    async time(size, factor, samples, warmup) {
      const iterates = entry.grows === 'iterations';
      const { sequence, work } = entry.make(
        size,
        iterates ? (size === 'check' ? checkIterations : Math.max(factor, 1)) : 1,
      );
      const repeat = iterates ? Math.min(factor, 1) : factor;
      const mode = float === 'native' ? 'exact' : float;
      const run = await machine.time(
        sequence,
        { repeat, samples, warmup },
        { float: mode, timeoutMs: limitOf(machine) },
      );
      return { run, work: work * repeat };
    },
    compared: 0,
    factor: 1,
    times: [],
    stamps: [],
    work: 0,
    clock: 'gpu',
    failure: undefined,
  };
}

function limitOf(machine: MeasuringExecutor): number {
  if (isNative(machine.name)) return timeLimits.native;
  return isSoftware(machine) ? timeLimits.software : timeLimits.gpu;
}

/**
 * Compares machines with each other on data that is too large for the interpreter. Native results
 * are the reference, except for elements with known values.
 */
async function checkFullSize(entry: BenchEntry, runners: readonly Runner[]): Promise<void> {
  if (entry.section !== 'kernels') return;
  const { sequence } = entry.make('full', 1);
  const isKnown = sequence.buffers.some(({ result }) => result?.every !== undefined);
  const native = runners.find(({ float, failure }) => float === 'native' && !failure);
  let expected: Windows | undefined;
  if (native) {
    await attempt(native, async () => {
      const { run } = await native.time('full', 0, 0, 1);
      expected = run.windows;
      noteAgreement(native, compareWindows(sequence, undefined, run.windows));
    });
  }
  for (const one of runners) {
    if (one === native || one.size !== 'full' || (expected === undefined && !isKnown)) continue;
    const want = expected;
    await attempt(one, async () => {
      const { run } = await one.time('full', 0, 0, 1);
      noteAgreement(one, compareWindows(sequence, want, run.windows));
    });
  }
}

function noteAgreement(one: Runner, { compared, difference }: Agreement): void {
  one.compared += compared;
  if (difference !== undefined) one.failure = { status: 'wrong', message: `at full size: ${difference}` };
}

/**
 * Increases the work until a sample takes `sampleMs` with the GPU at its full clock. After seconds
 * without work, the clock is low (345 instead of 1980 MHz on an H200), and needs a tenth of a
 * second to rise.
 */
async function scale(one: Runner, sampleMs: number): Promise<void> {
  let before = 0;
  let total = 0;
  for (let turn = 0; ; turn++) {
    const { run } = await one.time(one.size, one.factor, 1, 1);
    const ms = run.times[0] ?? 0;
    total += ms;
    // Two short samples can also agree while the clock is low, so the total work counts too.
    const isWarm = total >= warmUpMs && Math.abs(ms - before) <= steadiness * ms;
    const isSteady = isWarm || isSoftware(one.machine) || turn >= maxTurns;
    if (ms >= sampleMs && isSteady) return;
    before = ms;
    if (ms >= sampleMs) continue;
    const growth = ms <= 0 ? maxGrowth : Math.min(maxGrowth, Math.ceil((sampleMs * 1.2) / ms));
    const maxFactor = ms <= 0 ? growth : Math.max(1, Math.floor(maxSampleMs / ms));
    const next = one.factor * Math.max(2, Math.min(growth, maxFactor));
    if (next > 2 ** 24) return;
    one.factor = next;
  }
}

/**
 * Runs `work`, and records an error in the runner. Does nothing if the runner has failed before.
 */
async function attempt(one: Runner, work: () => Promise<void>): Promise<void> {
  if (one.failure) return;
  try {
    await work();
  } catch (error) {
    const message = (error instanceof Error ? error.message : String(error)).split('\n').slice(0, 3).join(' ');
    // A timeout of a software rasterizer is not an error of the kernel or of the rasterizer.
    const tooLong = error instanceof GpuError && error.kind === 'timeout' && isSoftware(one.machine);
    const refused = !(error instanceof GpuError) || error.kind === 'shader' || tooLong;
    one.failure = refused ? { status: 'refused', message } : { status: 'error', message, errorKind: error.kind };
  }
}

function measurementOf(entry: BenchEntry, one: Runner): Measurement {
  const head = {
    id: entry.id,
    machine: one.machine.name,
    software: isSoftware(one.machine),
    float: one.float,
  } as const;
  const { compared, work, clock, times } = one;
  if (one.failure) return { ...head, ...one.failure, compared, unit: entry.unit };
  const granularityNs = granularityOf(one.stamps);
  return {
    ...head,
    status: 'measured',
    message: '',
    compared,
    unit: entry.unit,
    rate: spreadOf(times.map((ms) => (work / ms) * 1000)),
    sample: spreadOf(times),
    work,
    clock,
    ...(granularityNs === undefined ? {} : { granularityNs }),
  };
}
