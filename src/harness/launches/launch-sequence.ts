// Launches that share buffers and are measured together: what a benchmark runs on every executor.

import type { Dim3, Launch, LaunchParam, ScalarKind, Tolerance } from '../../base/launch.ts';

/** A buffer of the sequence, zeros at first. `bytes` is a multiple of 4. */
export interface SequenceBuffer {
  readonly name: string;
  readonly type: ScalarKind;
  readonly bytes: number;
  readonly data?: Uint8Array;
  /** A result: its windows are read back. `tolerance` as in case files; `every`: what each element has to be, whatever others have there. */
  readonly result?: { readonly tolerance?: Tolerance; readonly every?: number };
}

/** A buffer by name, or a scalar. */
export type SequenceArgument = string | { readonly type: ScalarKind; readonly value: number };

export interface SequenceLaunch {
  readonly ptx: string;
  readonly ptxFile: string;
  readonly entry: string;
  readonly grid: Dim3;
  readonly block: Dim3;
  /** In kernel order. */
  readonly args: readonly SequenceArgument[];
  /** Dynamic shared memory of a block; none by default. */
  readonly sharedBytes?: number;
}

export interface LaunchSequence {
  readonly id: string;
  readonly buffers: readonly SequenceBuffer[];
  /** Executed once, and not measured. */
  readonly prepare: readonly SequenceLaunch[];
  readonly steps: readonly SequenceLaunch[];
}

export interface SequenceRun {
  /** Milliseconds of each sample, `repeat` times the steps. */
  readonly times: readonly number[];
  /** Of every timestamp, nanoseconds; what they are multiples of is the clock's granularity. Empty where it is not known. */
  readonly stamps: readonly number[];
  /** `gpu`: timestamps of the device; `host`: from submission until the device was idle. */
  readonly clock: 'gpu' | 'host';
  /** Windows of the buffers with `result`, by name. */
  readonly windows: ReadonlyMap<string, Uint8Array>;
}

/** The launch of one step, its buffers by size and with what `contents` has for them. Throws RangeError for a name that is none. */
export function launchOf(
  { id, buffers }: LaunchSequence,
  { args, sharedBytes = 0, ...launch }: SequenceLaunch,
  contents: ReadonlyMap<string, Uint8Array> = new Map(),
): Launch {
  const params = args.map((argument, index): LaunchParam => {
    if (typeof argument !== 'string') return { name: `p${index}`, kind: 'scalar', ...argument };
    const buffer = buffers.find(({ name }) => name === argument);
    if (!buffer) throw new RangeError(`${id}: ${launch.entry} takes \`${argument}\`, which is no buffer`);
    const data = contents.get(argument);
    return { name: argument, kind: 'buffer', type: buffer.type, bytes: buffer.bytes, ...(data ? { data } : {}) };
  });
  return { ...launch, id: `${id}/${launch.entry}`, group: 'bench', sharedBytes, params };
}
