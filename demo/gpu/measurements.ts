// Validation and benchmarks. The worker loads this module when it is first needed, because the
// playground does not need it.

import type { Launch } from '../../src/base/launch.ts';
import { isScalarKind } from '../../src/base/scalars.ts';
import { spreadOf } from '../../src/harness/bench/statistics.ts';
import { isSoftware } from '../../src/harness/executors/executor.ts';
import type { GpuExecutor } from '../../src/harness/executors/gpu-executor.ts';
import type { LaunchSequence, SequenceArgument, SequenceBuffer } from '../../src/harness/launches/launch-sequence.ts';
import { type ValidateResult, validate } from '../../src/harness/runs/validate.ts';
import type { MeasuredTime, ValidateRequest, ValidateStep } from './messages.ts';
import { selectedGroups } from './validation-groups.ts';

export { bench } from './bench.ts';

/** Thrown to end a validation between two launches. */
class Cancelled extends Error {}

/**
 * Validates the selected suites group by group, and reports each step to `progress`. Calls
 * `isCancelled` between launches.
 */
export async function validateGroups(
  executor: GpuExecutor,
  { queries, seed, exhaustive }: ValidateRequest,
  progress: (step: ValidateStep) => void,
  isCancelled: () => boolean,
): Promise<{ readonly cancelled: boolean }> {
  const groups = selectedGroups(queries);
  for (const [done, group] of groups.entries()) {
    const label = group[0] ?? ''; // The group always has a query.
    // Yield to the event loop, so that the worker can receive a cancellation.
    await new Promise((resolve) => setTimeout(resolve));
    const onProgress = (): void => {
      if (isCancelled()) throw new Cancelled();
      progress({ done, total: groups.length, label, results: [] });
    };
    let results: readonly ValidateResult[];
    try {
      results = await validate({ queries: group, seed, exhaustive, executors: [executor], onProgress });
    } catch (error) {
      if (error instanceof Cancelled) return { cancelled: true };
      throw error;
    }
    progress({ done: done + 1, total: groups.length, label, results });
  }
  return { cancelled: false };
}

/** The minimum duration of a sample in milliseconds. Clocks measure shorter samples imprecisely. */
const sampleMs = 5;
const maxLaunches = 4096;
const samples = 7;

/**
 * Measures a launch. Throws RangeError if the launch has parameters with which it cannot be
 * repeated.
 */
export async function measureLaunch(executor: GpuExecutor, launch: Launch): Promise<MeasuredTime> {
  const sequence = sequenceOf(launch);
  let repeat = 1;
  for (;;) {
    const { times } = await executor.time(sequence, { repeat, samples: 1, warmup: 1 });
    const [ms = 0] = times;
    if (ms >= sampleMs || repeat === maxLaunches) break;
    repeat = Math.min(maxLaunches, Math.max(repeat * 2, Math.ceil((repeat * sampleMs * 1.2) / Math.max(ms, 0.05))));
  }
  const { times, clock } = await executor.time(sequence, { repeat, samples, warmup: 1 });
  const spread = spreadOf(times.map((ms) => ms / repeat));
  return { spread, launches: repeat, clock, software: isSoftware(executor) };
}

function sequenceOf({ ptx, ptxFile, entry, grid, block, sharedBytes, params }: Launch): LaunchSequence {
  const buffers = params.flatMap((param, index): SequenceBuffer[] => {
    if (param.kind !== 'buffer') return [];
    const bytes = Math.ceil(param.bytes / 4) * 4;
    const data = new Uint8Array(bytes);
    data.set(param.data ?? []); // If `data` is undefined, the buffer starts with zeros.
    return [{ name: `p${index}`, type: isScalarKind(param.type) ? param.type : 'u32', bytes, data }];
  });
  const args = params.map((param, index): SequenceArgument => {
    if (param.kind === 'buffer') return `p${index}`;
    if (param.kind === 'bytes') throw new RangeError('The page cannot measure a kernel with a struct by value.');
    const value = Number(param.value);
    if (typeof param.value === 'bigint' && BigInt(value) !== param.value) {
      throw new RangeError(`The page cannot measure a kernel with the number ${param.value}.`);
    }
    return { type: param.type, value };
  });
  const step = { ptx, ptxFile, entry, grid, block, sharedBytes, args };
  return { id: 'playground', buffers, prepare: [], steps: [step] };
}
