// How sessions fail: on WebGPU, on CUDA, and where a browser or a child process is missing.

export const gpuErrorKinds = ['unavailable', 'shader', 'validation', 'out-of-memory', 'lost', 'timeout'] as const;
export type GpuErrorKind = (typeof gpuErrorKinds)[number];

/** A failure of the GPU side. `unavailable` is the command line's exit code 3, `lost` and `timeout` its 4. */
export class GpuError extends Error {
  readonly kind: GpuErrorKind;

  constructor(kind: GpuErrorKind, message: string) {
    super(message);
    this.name = 'GpuError';
    this.kind = kind;
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
