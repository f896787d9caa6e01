// The errors of sessions, caused by WebGPU, by CUDA, or by a missing browser or child process.

/** The kinds of `GpuError`. */
export const gpuErrorKinds = ['unavailable', 'shader', 'validation', 'out-of-memory', 'lost', 'timeout'] as const;
/**
 * The kinds of `GpuError`:
 * - `unavailable`: WebGPU, an adapter, a browser, a driver or a package is missing.
 * - `shader`: the device rejects a shader.
 * - `validation`: the device rejects a command, or a launch exceeds its limits.
 * - `out-of-memory`: an allocation does not fit.
 * - `lost`: the device, its browser or its process ended.
 * - `timeout`: the time limit passed.
 */
export type GpuErrorKind = (typeof gpuErrorKinds)[number];

/**
 * An error of a GPU, its driver or its browser. The command line exits with code 3 for
 * `unavailable`, and with code 4 for `lost` and `timeout`.
 */
export class GpuError extends Error {
  /** The kind of the error. */
  readonly kind: GpuErrorKind;

  /** Creates an error of a kind. */
  constructor(kind: GpuErrorKind, message: string) {
    super(message);
    this.name = 'GpuError';
    this.kind = kind;
  }
}

/**
 * The driver did not compile a shader within its time limit. If the limit passes while a kernel
 * executes, the error is a plain `GpuError`.
 */
export class CompileTimeout extends GpuError {
  /** The time limit in milliseconds. */
  readonly limitMs: number;

  /** Creates an error for a limit in milliseconds. */
  constructor(message: string, limitMs: number) {
    super('timeout', message);
    this.name = 'CompileTimeout';
    this.limitMs = limitMs;
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
