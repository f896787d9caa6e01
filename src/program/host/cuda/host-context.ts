// The state of CUDA's runtime in a program: errors, kernels, variables, and managed memory.
import { CudaFailure, hostBase, hostEnd } from '../../device/program-device.ts';
import {
  type DeviceFacts,
  type DeviceRequest,
  type HostKernel,
  type ProgramMessage,
  replyHead,
  replyWords,
} from '../../protocol.ts';
import type { GuestMemory } from '../guest-memory.ts';

/** A kernel or variable of a module, under the address by which the host names it. */
export interface Registered {
  readonly module: number;
  readonly name: string;
}

/** The functions of the program that the runtime calls. */
export interface GuestFunctions {
  readonly malloc: (bytes: number) => number;
  readonly free: (address: number) => void;
  /** Calls a function by its address. */
  readonly call: (address: number, ...args: readonly number[]) => void;
}

interface Reply {
  readonly value: number;
  readonly second: number;
  readonly data: Uint8Array;
}

export class HostContext {
  readonly facts: DeviceFacts;
  readonly modules: readonly ReadonlyMap<string, HostKernel>[];
  readonly kernels = new Map<number, Registered>();
  readonly variables = new Map<number, Registered>();
  /** The sizes of managed allocations, by address. */
  readonly managed = new Map<number, number>();
  /** Whether kernels may have changed managed memory since the host last read it. */
  #isManagedOnDevice = false;
  lastError = 0;
  /** The commands that a stream capture has recorded; undefined if no stream is being captured. */
  captured: (() => void)[] | undefined;
  /** The first allocation that failed, with its size in bytes. */
  failedAllocation: { readonly memory: 'host' | 'device'; readonly bytes: number } | undefined;
  readonly #memory: () => GuestMemory;
  readonly #guest: () => GuestFunctions;
  readonly #post: (message: ProgramMessage) => void;

  constructor(
    { device, modules }: { device: DeviceFacts; modules: readonly ReadonlyMap<string, HostKernel>[] },
    memory: () => GuestMemory,
    guest: () => GuestFunctions,
    post: (message: ProgramMessage) => void,
  ) {
    this.facts = device;
    this.modules = modules;
    this.#memory = memory;
    this.#guest = guest;
    this.#post = post;
  }

  get memory(): GuestMemory {
    return this.#memory();
  }

  get guest(): GuestFunctions {
    return this.#guest();
  }

  /** Sends a request, and waits for the reply. Throws `CudaFailure`. */
  request(request: DeviceRequest, dataBytes = 0): Reply {
    const reply = new SharedArrayBuffer(replyHead + dataBytes);
    const words = new Int32Array(reply, 0, replyHead / 4);
    this.#post({ kind: 'request', request, reply });
    Atomics.wait(words, replyWords.state, 0);
    const error = words[replyWords.error] ?? 0;
    if (error !== 0) throw new CudaFailure(error, `error ${error}`);
    return {
      value: (words[replyWords.value] ?? 0) >>> 0,
      second: (words[replyWords.value + 1] ?? 0) >>> 0,
      data: new Uint8Array(reply, replyHead),
    };
  }

  /** Sends a request without waiting. Its error is that of the next request. */
  send(request: DeviceRequest): void {
    this.#post({ kind: 'command', request });
  }

  /** Performs a command of a stream, or records it while a stream is being captured. */
  enqueue(command: () => void): void {
    if (this.captured === undefined) command();
    else this.captured.push(command);
  }

  /** Returns a function of CUDA's API, which returns an error code. */
  readonly checked =
    <Args extends readonly number[]>(work: (...args: Args) => void): ((...args: Args) => number) =>
    (...args) => {
      try {
        work(...args);
        return 0;
      } catch (error) {
        if (!(error instanceof CudaFailure)) throw error;
        this.lastError = error.code;
        return error.code;
      }
    };

  /** Whether an address is in the program's memory: its own, or managed memory. */
  isHost(address: number): boolean {
    const place = address >>> 0;
    return (place >= hostBase && place < hostEnd) || this.managedAt(address) !== undefined;
  }

  /** Returns the managed allocation that contains an address. */
  managedAt(address: number): { readonly start: number; readonly bytes: number } | undefined {
    for (const [start, bytes] of this.managed)
      if (address >= start && address < start + Math.max(bytes, 1)) return { start, bytes };
    return undefined;
  }

  /** Waits for the device, and copies managed memory to the host if kernels may have changed it. */
  synchronize(): void {
    this.request({ op: 'synchronize' });
    if (!this.#isManagedOnDevice) return;
    this.#isManagedOnDevice = false;
    for (const [address, bytes] of this.managed)
      this.memory.bytes(address, bytes).set(this.request({ op: 'read', address, bytes }, bytes).data);
  }

  /** Copies managed memory to the device before a launch, if the host may have changed it. */
  pushManaged(): void {
    if (this.#isManagedOnDevice || this.managed.size === 0) return;
    this.#isManagedOnDevice = true;
    for (const [address, bytes] of this.managed)
      this.request({ op: 'write', address, data: this.memory.bytes(address, bytes).slice() });
  }
}
