// Checks whether a workaround is still needed on a machine. Runs the workaround's kernels as the
// translator compiles them for the adapter, and again with the workaround switched off (or on, if
// it was off).
import { join } from 'node:path';
import { registry, type Workaround } from '../../base/workaround-registry.ts';
import type { WorkaroundId } from '../../base/workarounds.ts';
import type { KernelExecutor, MeasuringExecutor } from '../executors/executor.ts';
import { readCase } from '../launches/case-file-node.ts';
import type { Result } from '../runs/results.ts';
import { runCase } from '../runs/run-case.ts';
import { packageFolder } from '../sessions/dist-folder.ts';
import type { BenchEntry } from './entries/entry.ts';
import { type Measurement, type MeasureOptions, measure } from './measure.ts';

export type RegisteredWorkaround = Workaround & { readonly id: WorkaroundId };

/**
 * The result of a check.
 * - `needed`: without the workaround, results are wrong, the shader does not compile, or the kernel
 * is slower.
 * - `not needed`: the kernel behaves the same without the workaround.
 * - `failing`: even with the workaround, results are wrong or the shader does not compile, so the
 * check does not show whether it is needed.
 */
export type Verdict = 'needed' | 'not needed' | 'failing';

export interface WorkaroundCheck {
  readonly id: WorkaroundId;
  /** Whether shaders for this adapter have the workaround. */
  readonly active: boolean;
  readonly kernel: string;
  readonly verdict: Verdict;
  /** The evidence, as text for the user. */
  readonly message: string;
  /** For a workaround for speed, the rate with the workaround, divided by the rate without it. */
  readonly speedup?: number;
  /** The run with the adapter's own set of workarounds. It determines the exit code. */
  readonly asIs: Pick<Result, 'status' | 'errorKind' | 'compared'>;
}

export interface CheckOptions {
  readonly reference: KernelExecutor;
  readonly timeoutMs?: number;
  readonly sampling: Pick<MeasureOptions, 'sampleMs' | 'rounds' | 'samplesPerRound'>;
  /** Returns the benchmark with an id. */
  readonly entryOf: (id: string) => BenchEntry;
}

/** Returns the path of the case that shows the problem. */
export const casePath = (kernel: string): string => join(packageFolder(), 'test/fuzz-cases', `${kernel}.json`);

/**
 * Returns the workarounds with these ids, or all workarounds if there are no ids. Throws RangeError
 * for an unknown id.
 */
export function chosenWorkarounds(ids: readonly string[]): readonly RegisteredWorkaround[] {
  const unknown = ids.find((id) => !registry.some((row) => row.id === id));
  if (unknown !== undefined)
    throw new RangeError(`unknown workaround '${unknown}': expected one of ${registry.map(({ id }) => id).join(', ')}`);
  return registry.filter(({ id }) => ids.length === 0 || ids.includes(id));
}

type GpuExecutor = KernelExecutor & MeasuringExecutor;

/** Checks a workaround with one of its kernels. Does not throw for failures on the adapter. */
export async function checkWorkaround(
  row: RegisteredWorkaround,
  kernel: string,
  executor: GpuExecutor,
  options: CheckOptions,
): Promise<WorkaroundCheck> {
  const active = executor.describe().workarounds?.includes(row.id) === true;
  return row.effect === 'speed'
    ? await checkSpeed(row.id, kernel, active, executor, options)
    : await checkResult(row.id, kernel, active, executor, options);
}

async function checkResult(
  id: WorkaroundId,
  kernel: string,
  active: boolean,
  executor: GpuExecutor,
  { reference, timeoutMs }: CheckOptions,
): Promise<WorkaroundCheck> {
  const launch = readCase(casePath(kernel));
  const toggled: KernelExecutor = {
    ...{ name: executor.name, describe: () => executor.describe(), close: async () => undefined },
    run: (own, more) => executor.run(own, { ...more, toggled: id }),
  };
  const limit = timeoutMs === undefined ? {} : { timeoutMs };
  const one = async (machine: KernelExecutor): Promise<Result> => {
    const [result] = await runCase(launch, [machine], { reference, ...limit });
    if (result === undefined) throw new Error('expected one result from one executor');
    return result;
  };
  const asIs = await one(executor);
  const switched = await one(toggled);
  const [withIt, without] = active ? [asIs, switched] : [switched, asIs];
  const verdict = withIt.status !== 'pass' ? 'failing' : without.status === 'pass' ? 'not needed' : 'needed';
  const shown = verdict === 'failing' ? withIt : without;
  return { id, active, kernel, verdict, message: describeResult(shown), asIs };
}

function describeResult({ status, compared, mismatches, message }: Result): string {
  if (status === 'pass') return `${compared} elements agree`;
  return status === 'fail' ? `${mismatches} of ${compared} elements differ` : (message.split('\n')[0] ?? status);
}

/** The relative difference below which two rates count as equal. */
const noise = 0.05;

async function checkSpeed(
  id: WorkaroundId,
  kernel: string,
  active: boolean,
  executor: GpuExecutor,
  { reference, sampling, entryOf }: CheckOptions,
): Promise<WorkaroundCheck> {
  const toggled: MeasuringExecutor = {
    ...{ name: executor.name, describe: () => executor.describe(), close: async () => undefined },
    time: (sequence, timing, more) => executor.time(sequence, timing, { ...more, toggled: id }),
  };
  const measured = await measure(entryOf(kernel), [executor, toggled], { ...sampling, reference, modes: ['exact'] });
  const [asIs, switched] = measured;
  if (asIs === undefined || switched === undefined) throw new Error('expected two measurements from two machines');
  const [withIt, without] = active ? [asIs, switched] : [switched, asIs];
  const base = { id, active, kernel, asIs: resultOf(asIs) };
  if (withIt.rate === undefined) return { ...base, verdict: 'failing', message: withIt.message };
  if (without.rate === undefined) return { ...base, verdict: 'needed', message: without.message };
  const speedup = withIt.rate.median / without.rate.median;
  const percent = Math.round((speedup - 1) * 100);
  const message = `${Math.abs(percent)} % ${percent < 0 ? 'slower' : 'faster'} with it`;
  return { ...base, verdict: speedup > 1 + noise ? 'needed' : 'not needed', message, speedup };
}

function resultOf({ status, errorKind, compared }: Measurement): WorkaroundCheck['asIs'] {
  const statuses = { measured: 'pass', wrong: 'fail', refused: 'unsupported', error: 'error' } as const;
  return { status: statuses[status], errorKind, compared };
}
