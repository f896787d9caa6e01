// Failures of CUDA driver calls, in the terms of every GPU session.
import { GpuError, type GpuErrorKind } from '../../runtime/device/gpu-error.ts';

/** What crosses from the child process. */
export interface CudaFailure {
  readonly kind: GpuErrorKind;
  readonly message: string;
  /** The driver function that failed, and its CUresult. */
  readonly call: string;
  readonly code: number;
  /** What the driver's PTX compiler wrote; '' for other calls. */
  readonly log: string;
}

/** A driver call that failed. After kind 'lost' the context is gone, and the next launch gets a fresh one. */
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

/** CUresult values that are told apart here. */
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

/** The kind of a failure that has left the context usable. */
export function kindOf(code: number): GpuErrorKind {
  return kinds.get(code) ?? 'validation';
}
