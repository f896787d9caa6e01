// A sequence of dispatches that share buffers and are measured together, in WebGPU's terms.
// Benchmarks run sequences.

/** A buffer of the sequence. Zeros follow `data` if it is shorter than `bytes`. */
export interface SharedBuffer {
  /** The size in bytes, a multiple of 4. */
  readonly bytes: number;
  readonly uniform: boolean;
  readonly data?: Uint8Array;
  /** Whether to read back the parts that `windowsOf` returns. */
  readonly read: boolean;
}

export interface GpuStep {
  readonly code: string;
  readonly entryPoint: string;
  /** The buffers of the step. `buffer` is an index into the sequence's buffers. */
  readonly bindings: readonly {
    readonly binding: number;
    readonly kind: 'storage' | 'read-only-storage' | 'uniform';
    readonly buffer: number;
  }[];
  readonly workgroups: readonly [number, number, number];
}

export interface Timing {
  /** The number of executions of the steps in one sample. */
  readonly repeat: number;
  readonly samples: number;
  /** The number of uncounted executions before the first sample. */
  readonly warmup: number;
}

export interface GpuSequence {
  readonly label: string;
  readonly buffers: readonly SharedBuffer[];
  /** Steps that create the data. They are executed once, and not measured. */
  readonly prepare: readonly GpuStep[];
  readonly steps: readonly GpuStep[];
  readonly timing: Timing;
}

export interface GpuSequenceResult {
  /** The start and end of each sample, in nanoseconds of `clock`. */
  readonly stamps: readonly (readonly [number, number])[];
  /**
   * `gpu`: the GPU's own clock. `host`: the processor's clock, from submission until the device was
   * idle.
   */
  readonly clock: 'gpu' | 'host';
  /**
   * The final contents of the buffers with `read`, by index: the concatenated windows of each
   * buffer.
   */
  readonly windows: ReadonlyMap<number, Uint8Array>;
}

/**
 * The size of the windows at the beginning, middle and end of a large buffer. Only the windows are
 * read back. If a kernel uses wrong indices, the windows show this.
 */
const windowBytes = 64 * 1024;

/**
 * Returns the parts of a buffer to read back, as [offset, size]. For a small buffer, this is the
 * whole buffer. All numbers are multiples of 4 if `bytes` is.
 */
export function windowsOf(bytes: number): readonly (readonly [number, number])[] {
  if (bytes <= 3 * windowBytes) return [[0, bytes]];
  const middle = Math.floor(bytes / 2 / windowBytes) * windowBytes;
  return [0, middle, bytes - windowBytes].map((offset) => [offset, windowBytes] as const);
}
