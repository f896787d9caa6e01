// Dispatches that share buffers and are measured together, in WebGPU's terms: what a benchmark asks of a session.

/** A buffer of the sequence. `data` shorter than `bytes` is followed by zeros. */
export interface SharedBuffer {
  /** A multiple of 4. */
  readonly bytes: number;
  readonly uniform: boolean;
  readonly data?: Uint8Array;
  /** Whether `windowsOf` it come back. */
  readonly read: boolean;
}

export interface GpuStep {
  readonly code: string;
  readonly entryPoint: string;
  /** `buffer` is an index into the sequence's buffers. */
  readonly bindings: readonly {
    readonly binding: number;
    readonly kind: 'storage' | 'read-only-storage' | 'uniform';
    readonly buffer: number;
  }[];
  readonly workgroups: readonly [number, number, number];
}

export interface Timing {
  /** How often the steps are executed in one sample. */
  readonly repeat: number;
  readonly samples: number;
  /** How often they are executed before the first sample, without counting. */
  readonly warmup: number;
}

export interface GpuSequence {
  readonly label: string;
  readonly buffers: readonly SharedBuffer[];
  /** Executed once, and not measured: they make the data. */
  readonly prepare: readonly GpuStep[];
  readonly steps: readonly GpuStep[];
  readonly timing: Timing;
}

export interface GpuSequenceResult {
  /** For each sample, when it began and ended, in nanoseconds of some clock. */
  readonly stamps: readonly (readonly [number, number])[];
  /** The GPU's own clock, or the processor's, from submission until the device was idle. */
  readonly clock: 'gpu' | 'host';
  /** Contents of the buffers with `read` after everything, by index: their windows, one after another. */
  readonly windows: ReadonlyMap<number, Uint8Array>;
}

/** Of a large buffer its beginning, middle and end are read back: a mistake in the indexing of large data shows there. */
const windowBytes = 64 * 1024;

/** The parts of a buffer that are read back, as [offset, size]; all of it where that is little. Both are multiples of 4 if `bytes` is. */
export function windowsOf(bytes: number): readonly (readonly [number, number])[] {
  if (bytes <= 3 * windowBytes) return [[0, bytes]];
  const middle = Math.floor(bytes / 2 / windowBytes) * windowBytes;
  return [0, middle, bytes - windowBytes].map((offset) => [offset, windowBytes] as const);
}
