// The device of a program: memory at addresses of 32 bits, and launches in order.
import type { Image } from '../../base/image.ts';
import type { Module } from '../../ptx/ast.ts';
import type { DeviceFacts, ProgramLaunch } from '../protocol.ts';

/** An error code of CUDA that a call returns. Later calls return it, too, if it is sticky. */
export class CudaFailure extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The error codes of CUDA that calls return. */
export const cudaErrors = {
  invalidValue: 1,
  memoryAllocation: 2,
  invalidConfiguration: 9,
  invalidSymbol: 13,
  invalidDeviceFunction: 98,
  invalidDevice: 101,
  invalidResourceHandle: 400,
  illegalState: 401,
  illegalAddress: 700,
  launchOutOfResources: 701,
  assert: 710,
  hostMemoryAlreadyRegistered: 712,
  hostMemoryNotRegistered: 713,
  misalignedAddress: 716,
  launchFailure: 719,
  cooperativeLaunchTooLarge: 720,
  notSupported: 801,
  captureUnsupported: 900,
} as const;

/**
 * The first address of the program's own memory. Addresses below are those of device memory, so a
 * pointer shows to which of the two it belongs. Managed memory has the same address in both.
 */
export const hostBase = 0x7000_0000;
/** The end of the program's own memory. Addresses above are those of other spaces of the device. */
export const hostEnd = 0xe000_0000;

/**
 * A device. Methods throw `CudaFailure` for errors that CUDA reports, and `PtxError` or
 * `KernelError` if a kernel cannot be translated. Errors of kernels may be reported by a later
 * call.
 */
export interface ProgramDevice {
  readonly facts: DeviceFacts;
  /** Loads the modules of the program. Launches refer to them by their number. */
  load(modules: readonly Module[]): Promise<void>;
  alloc(bytes: number): number;
  free(address: number): void;
  write(address: number, data: Uint8Array): void;
  /** Fills an array. */
  read(address: number, to: Uint8Array): Promise<void>;
  copy(to: number, from: number, bytes: number): void;
  fill(address: number, value: number, bytes: number): void;
  /** Makes the allocation at `handle` a texture or surface. Its texels follow a header of `headerBytes`. */
  bindImage(handle: number, image: Image): void;
  /** Returns the address and the size of a variable. */
  symbol(module: number, name: string): { readonly address: number; readonly bytes: number };
  launch(launch: ProgramLaunch): void;
  /** Waits for all commands. */
  synchronize(): Promise<void>;
  close(): Promise<void>;
}
