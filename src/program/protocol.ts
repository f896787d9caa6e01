// The messages between a program, which waits for each reply, and the device.
import type { Image } from '../base/image.ts';
import type { Dim3 } from '../base/launch.ts';

/** The size and kind of a kernel's parameter, as the host passes it. */
export interface HostParameter {
  /** The size of the parameter in the kernel's signature, in bytes. */
  readonly bytes: number;
  /** Whether the host passes a pointer, which has 32 bits there and 64 bits in the signature. */
  readonly isPointer: boolean;
}

/** The facts of a kernel that the host needs. */
export interface HostKernel {
  readonly parameters: readonly HostParameter[];
  readonly maxThreads: number;
  readonly staticSharedBytes: number;
  /** Whether its blocks may wait for each other in a cooperative launch. */
  readonly syncsGrid: boolean;
}

export interface DeviceFacts {
  readonly name: string;
  readonly maxThreads: number;
  readonly maxSharedBytes: number;
  readonly totalBytes: number;
  /** The maximum number of blocks in a grid whose blocks wait for each other. */
  readonly maxCooperativeBlocks: number;
}

/** A launch. The parameters have the sizes of the kernel's signature. */
export interface ProgramLaunch {
  readonly module: number;
  readonly kernel: string;
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly sharedBytes: number;
  readonly cooperative: boolean;
  /** The size of a cluster in blocks, if the launch sets it. */
  readonly cluster?: Dim3 | undefined;
  readonly parameters: readonly Uint8Array[];
}

/**
 * A request that the device performs without waiting for earlier ones to finish. The sender may
 * change the data of a write once the device has performed it.
 */
export type DeviceCommand =
  | { readonly op: 'alloc'; readonly bytes: number }
  | { readonly op: 'free'; readonly address: number }
  | { readonly op: 'write'; readonly address: number; readonly data: Uint8Array }
  | { readonly op: 'copy'; readonly to: number; readonly from: number; readonly bytes: number }
  | { readonly op: 'fill'; readonly address: number; readonly value: number; readonly bytes: number }
  /** Makes the allocation at `handle` a texture or surface: a header, and the texels after it. */
  | { readonly op: 'image'; readonly handle: number; readonly image: Image }
  | { readonly op: 'symbol'; readonly module: number; readonly name: string }
  | { readonly op: 'launch'; readonly launch: ProgramLaunch };

/** A request to the device. A read fills the array `to`. */
export type DeviceRequest =
  | DeviceCommand
  | { readonly op: 'read'; readonly address: number; readonly to: Uint8Array }
  | { readonly op: 'synchronize' };

/** The reply to a request. `error` is a code of CUDA, which is 0 after success. */
export interface DeviceReply {
  readonly error: number;
  /** The address of `alloc` and `symbol`. */
  readonly value: number;
  /** The size of `symbol` in bytes. */
  readonly second: number;
}

/**
 * A message from a program in a worker. The receiver of a request writes its reply into `reply`. The
 * program does not wait for `commands`, whose first error is that of the next request.
 */
export type ProgramMessage =
  | { readonly kind: 'request'; readonly request: DeviceRequest; readonly reply: SharedArrayBuffer }
  | { readonly kind: 'commands'; readonly commands: readonly DeviceCommand[] }
  | { readonly kind: 'output'; readonly stream: 1 | 2; readonly bytes: Uint8Array }
  | { readonly kind: 'exit'; readonly code: number; readonly message?: string };

/** What a worker needs to run a program. */
export interface ProgramStart {
  readonly wasm: Uint8Array;
  readonly args: readonly string[];
  readonly env: readonly string[];
  readonly device: DeviceFacts;
  /** The kernels of each module, by name. */
  readonly modules: readonly ReadonlyMap<string, HostKernel>[];
}
