// Failures of CUDA driver calls, with the error kinds of all GPU sessions.
import { GpuError, type GpuErrorKind } from '../../runtime/device/gpu-error.ts';

/** A failure, as a message from the child process. */
export interface CudaFailure {
  readonly kind: GpuErrorKind;
  readonly message: string;
  /** The failed driver function and its CUresult. */
  readonly call: string;
  readonly code: number;
  /** The log of the driver's PTX compiler; '' for other calls. */
  readonly log: string;
}

/**
 * The error of a failed driver call. After an error of kind 'lost', the context is destroyed, and
 * the next launch creates a new context.
 */
export class CudaError extends GpuError {
  readonly call: string;
  readonly code: number;
  readonly log: string;

  constructor({ kind, message, call, code, log }: CudaFailure) {
    super(kind, message);
    this.name = 'CudaError';
    this.call = call;
    this.code = code;
    this.log = log;
  }
}

/** The CUresult values that this code distinguishes. */
export const results = {
  success: 0,
  invalidValue: 1,
  outOfMemory: 2,
  noDevice: 100,
  invalidImage: 200,
  noBinaryForGpu: 209,
  invalidPtx: 218,
  compilerNotFound: 221,
  unsupportedPtxVersion: 222,
  notFound: 500,
  notReady: 600,
} as const;

const kinds: ReadonlyMap<number, GpuErrorKind> = new Map([
  [results.outOfMemory, 'out-of-memory'],
  [results.invalidImage, 'shader'],
  [results.noBinaryForGpu, 'shader'],
  [results.invalidPtx, 'shader'],
  [results.compilerNotFound, 'shader'],
  [results.unsupportedPtxVersion, 'shader'],
  [results.notFound, 'shader'],
]);

/** Returns the kind of the error for a CUresult. */
export function kindOf(code: number): GpuErrorKind {
  return kinds.get(code) ?? 'validation';
}
