// Converts a sequence of launches with shared buffers to a request for a session. The buffers have
// the same layout in all steps.

import type { Launch } from '../../base/launch.ts';
import { GpuError } from '../../runtime/device/job.ts';
import type { GpuSequence, GpuSequenceResult, GpuStep, SharedBuffer, Timing } from '../../runtime/device/sequence.ts';
import type { WgslProgram } from '../../translate/index.ts';
import { type LaunchSequence, launchOf, type SequenceLaunch, type SequenceRun } from '../launches/launch-sequence.ts';
import { makeJob } from './kernel-job.ts';

const NS_PER_MS = 1e6;

/**
 * Returns the sequence for a session. `programOf` translates each launch, and its errors are passed
 * on. Throws `GpuError` 'validation' for kernels that need a heap.
 */
export function makeSequence(
  sequence: LaunchSequence,
  timing: Timing,
  programOf: (launch: Launch) => WgslProgram,
): GpuSequence {
  const buffers: SharedBuffer[] = sequence.buffers.map(({ bytes, data, result }) => ({
    bytes,
    uniform: false,
    ...(data ? { data } : {}),
    read: result !== undefined,
  }));
  /** Returns a step. Adds the step's own buffers: its scalars and its status. */
  const stepOf = (step: SequenceLaunch): GpuStep => {
    const launch = launchOf(sequence, step);
    const program = programOf(launch);
    if (program.heap) throw new GpuError('validation', `${launch.id}: a kernel that needs a heap cannot be measured`);
    const { code, entryPoint, workgroups, ...job } = makeJob(program, launch);
    const shared = new Map<number, number>();
    for (const [index, place] of program.params.entries()) {
      const buffer = sequence.buffers.findIndex(({ name }) => name === step.args[index]);
      if (place.kind === 'binding' && buffer >= 0) shared.set(place.binding, buffer);
    }
    const bindings = job.buffers.map(({ binding, kind, bytes, data }) => {
      const known = shared.get(binding);
      if (known !== undefined) return { binding, kind, buffer: known };
      buffers.push({ bytes, uniform: kind === 'uniform', ...(data ? { data } : {}), read: false });
      return { binding, kind, buffer: buffers.length - 1 };
    });
    return { code, entryPoint, workgroups, bindings };
  };
  const prepare = sequence.prepare.map(stepOf);
  const steps = sequence.steps.map(stepOf);
  return { label: sequence.id, buffers, prepare, steps, timing };
}

/** Converts the session's measurements to times, and to contents of the named buffers. */
export function readSequence({ buffers }: LaunchSequence, { stamps, clock, windows }: GpuSequenceResult): SequenceRun {
  return {
    times: stamps.map(([begin, end]) => (end - begin) / NS_PER_MS),
    stamps: clock === 'gpu' ? stamps.flat() : [],
    clock,
    windows: new Map([...windows].map(([index, data]) => [buffers[index]?.name ?? '', data])),
  };
}
