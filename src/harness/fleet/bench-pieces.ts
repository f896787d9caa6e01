// The measurements of a fleet. Each piece of work is one entry of the benchmark. A machine measures
// all pieces, in one session at a time.

import type { GpuErrorKind } from '../../runtime/device/gpu-error.ts';
import type { BenchEntry } from '../bench/entries/entry.ts';
import { type Measurement, type MeasureOptions, measure } from '../bench/measure.ts';
import { type FloatMode, isSoftware, type KernelExecutor, type MeasuringExecutor } from '../executors/executor.ts';
import { jsonAdapter } from '../report/json.ts';
import type { Status } from '../runs/results.ts';
import type { JsonResult } from './campaign-file.ts';
import type { Piece } from './run-fleet.ts';

export type BenchPiece = Piece<readonly JsonResult[], MeasuringExecutor>;

export interface BenchPieces {
  /**
   * Returns the entries of the benchmark. Their ids are the same on a software adapter and on a
   * GPU.
   */
  readonly entriesOf: (software: boolean) => readonly BenchEntry[];
  readonly samplingOf: (software: boolean) => Pick<MeasureOptions, 'sampleMs' | 'rounds' | 'samplesPerRound'>;
  readonly float: FloatMode;
  /** The reference executor, as in `MeasureOptions.reference`. */
  readonly reference: KernelExecutor | undefined;
}

/** The error kinds after which a session cannot be used. */
const broken: readonly GpuErrorKind[] = ['lost', 'timeout', 'unavailable'];

export function benchPieces({ entriesOf, samplingOf, float, reference }: BenchPieces): BenchPiece[] {
  const entries = [false, true].map((software) => new Map(entriesOf(software).map((entry) => [entry.id, entry])));
  const [onHardware, onSoftware] = entries;
  return [...(onHardware?.keys() ?? [])].map((id) => ({
    id,
    async run(executor, machine) {
      const software = isSoftware(executor);
      const entry = (software ? onSoftware : onHardware)?.get(id);
      if (!entry) throw new RangeError(`unknown benchmark entry ${id}`);
      const started = performance.now();
      const options = { ...samplingOf(software), ...(reference ? { reference } : {}), modes: [float] };
      const measurements = await measure(entry, [executor], options);
      const ms = performance.now() - started;
      return measurements.map((measurement) => resultOf(measurement, executor, machine, ms));
    },
    brokenBy(results) {
      const found = results.find(({ errorKind }) => broken.some((kind) => kind === errorKind));
      return found && `${found.errorKind}: ${found.message}`;
    },
  }));
}

const statuses: Readonly<Record<Measurement['status'], Status>> = {
  measured: 'pass',
  wrong: 'fail',
  refused: 'unsupported',
  error: 'error',
};

/**
 * Returns a result in the form of other documents. The result also contains the number of elements
 * that were compared before the measurement, and the rate.
 */
function resultOf(measurement: Measurement, executor: MeasuringExecutor, machine: string, ms: number): JsonResult {
  const { id, status, compared, message, errorKind, rate, unit, float, clock } = measurement;
  const report = executor.describe();
  return {
    id,
    executor: machine,
    adapter: jsonAdapter(report),
    lanePlan: report.lanePlan?.kind ?? null,
    status: statuses[status],
    cases: 1,
    compared,
    undefined: 0,
    mismatches: status === 'wrong' ? 1 : 0,
    ...(message === '' ? {} : { message }),
    ...(errorKind === undefined ? {} : { errorKind }),
    ...(rate ? { rate: { ...rate, unit, float, clock } } : {}),
    ms: Math.round(ms * 1000) / 1000,
  };
}
