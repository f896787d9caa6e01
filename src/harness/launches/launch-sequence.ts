// Launches that share buffers and are measured together. Benchmarks run them on every executor.

import type { Dim3, Launch, LaunchParam, ScalarKind, Tolerance } from '../../base/launch.ts';

/** A buffer of the sequence, initialized with zeros. `bytes` is a multiple of 4. */
export interface SequenceBuffer {
  readonly name: string;
  readonly type: ScalarKind;
  readonly bytes: number;
  readonly data?: Uint8Array;
  /**
   * Only present for a result, whose windows are read back. `tolerance` is the same as in case
   * files. `every` is the value that each element must have, regardless of the other executors.
   */
  readonly result?: { readonly tolerance?: Tolerance; readonly every?: number };
}

/** An argument: the name of a buffer, or a scalar. */
export type SequenceArgument = string | { readonly type: ScalarKind; readonly value: number };

export interface SequenceLaunch {
  readonly ptx: string;
  readonly ptxFile: string;
  readonly entry: string;
  readonly grid: Dim3;
  readonly block: Dim3;
  /** The size of a cluster in blocks, if the launch sets it. */
  readonly cluster?: Dim3;
  /** The arguments in the kernel's order. */
  readonly args: readonly SequenceArgument[];
  /** The dynamic shared memory of a block in bytes. The default is 0. */
  readonly sharedBytes?: number;
}

export interface LaunchSequence {
  readonly id: string;
  readonly buffers: readonly SequenceBuffer[];
  /** The launches that run once and are not measured. */
  readonly prepare: readonly SequenceLaunch[];
  readonly steps: readonly SequenceLaunch[];
}

export interface SequenceRun {
  /** The milliseconds of each sample. A sample runs the steps `repeat` times. */
  readonly times: readonly number[];
  /**
   * All timestamps in nanoseconds, from which the clock's granularity is derived. Empty if
   * timestamps are not available.
   */
  readonly stamps: readonly number[];
  /** `gpu`: timestamps of the device. `host`: the time from submission until the device is idle. */
  readonly clock: 'gpu' | 'host';
  /** The windows of the buffers with `result`, by name. */
  readonly windows: ReadonlyMap<string, Uint8Array>;
}

/**
 * Returns the launch of one step. Buffers have the contents in `contents`, if there are any. Throws
 * RangeError for an unknown buffer.
 */
export function launchOf(
  { id, buffers }: LaunchSequence,
  { args, sharedBytes = 0, ...launch }: SequenceLaunch,
  contents: ReadonlyMap<string, Uint8Array> = new Map(),
): Launch {
  const params = args.map((argument, index): LaunchParam => {
    if (typeof argument !== 'string') return { name: `p${index}`, kind: 'scalar', ...argument };
    const buffer = buffers.find(({ name }) => name === argument);
    if (!buffer) throw new RangeError(`${id}: ${launch.entry} names \`${argument}\`, which is not a buffer`);
    const data = contents.get(argument);
    return { name: argument, kind: 'buffer', type: buffer.type, bytes: buffer.bytes, ...(data ? { data } : {}) };
  });
  return { ...launch, id: `${id}/${launch.entry}`, group: 'bench', sharedBytes, params };
}
