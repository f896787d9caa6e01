// The state of CUDA's runtime in a program: errors, kernels, variables, and managed memory.
import { missing } from '../../../base/invariants.ts';
import { headerBytes } from '../../../translate/image/header.ts';
import { CudaFailure, cudaErrors, hostBase, hostEnd } from '../../device/program-device.ts';
import type { DeviceCommand, DeviceFacts, DeviceReply, DeviceRequest, HostKernel } from '../../protocol.ts';
import type { GuestMemory } from '../guest-memory.ts';
import type { HostWork } from '../host-work.ts';
import type { CudaArray } from './cuda-array.ts';
import { GraphMemory } from './graph-memory.ts';

/** A kernel or variable of a module, under the address by which the host names it. */
export interface Registered {
  readonly module: number;
  readonly name: string;
}

/** The functions of the program that the runtime calls. */
export interface GuestFunctions {
  readonly malloc: (bytes: number) => number;
  readonly free: (address: number) => void;
}

/** Memory of the host that is page-locked. */
export interface Pinned {
  readonly start: number;
  readonly bytes: number;
  /** The address of its copy on the device; undefined if the program has not asked for it. */
  device: number | undefined;
}

/** A command of a stream, which returns its work if it may wait. */
export type Command = () => HostWork | undefined;

export class HostContext {
  readonly facts: DeviceFacts;
  readonly modules: readonly ReadonlyMap<string, HostKernel>[];
  readonly kernels = new Map<number, Registered>();
  readonly variables = new Map<number, Registered>();
  /** The sizes of allocations in device memory, by address. */
  readonly allocations = new Map<number, number>();
  /** The sizes of managed allocations, by address. */
  readonly managed = new Map<number, number>();
  /** The host's memory of which kernels may access a copy on the device, by its first address. */
  readonly pinned = new Map<number, Pinned>();
  readonly graphMemory = new GraphMemory();
  readonly arrays = new Map<number, CudaArray>();
  /** The textures of linear memory, by handle. Their texels are copies. */
  readonly linearTextures = new Map<number, { readonly from: number; readonly bytes: number }>();
  /** Whether kernels may have changed shared memory since the host last read it. */
  #isSharedOnDevice = false;
  lastError = 0;
  /** The commands that a stream capture has recorded; undefined if no stream is being captured. */
  captured: Command[] | undefined;
  /** The first allocation that failed, with its size in bytes. */
  failedAllocation: { readonly memory: 'host' | 'device'; readonly bytes: number } | undefined;
  readonly #memory: () => GuestMemory;
  readonly #guest: () => GuestFunctions;
  readonly #send: (command: DeviceCommand) => void;

  constructor(
    { device, modules }: { device: DeviceFacts; modules: readonly ReadonlyMap<string, HostKernel>[] },
    memory: () => GuestMemory,
    guest: () => GuestFunctions,
    send: (command: DeviceCommand) => void,
  ) {
    this.facts = device;
    this.modules = modules;
    this.#memory = memory;
    this.#guest = guest;
    this.#send = send;
  }

  get memory(): GuestMemory {
    return this.#memory();
  }

  get guest(): GuestFunctions {
    return this.#guest();
  }

  /** Sends a request, and waits for the reply. Throws `CudaFailure`. */
  *request(request: DeviceRequest): HostWork<DeviceReply> {
    const reply = (yield { kind: 'request', request }) ?? missing('the reply');
    if (reply.error !== 0) throw new CudaFailure(reply.error, `error ${reply.error}`);
    return reply;
  }

  /** Sends a command without waiting. Its error is that of the next request. */
  send(command: DeviceCommand): void {
    this.#send(command);
  }

  /** Allocates device memory, and returns its address. */
  *allocate(count: number): HostWork<number> {
    const bytes = count >>> 0;
    try {
      const { value } = yield* this.request({ op: 'alloc', bytes });
      this.allocations.set(value, bytes);
      return value;
    } catch (error) {
      if (error instanceof CudaFailure && error.code === cudaErrors.memoryAllocation)
        this.failedAllocation ??= { memory: 'device', bytes };
      throw error;
    }
  }

  /**
   * Reserves memory for a graph, and writes its address to `to`. Returns the command with which the
   * graph allocates it.
   */
  *reserve(to: number, bytes: number): HostWork<Command> {
    const address = yield* this.allocate(bytes);
    this.graphMemory.reserve(address);
    this.memory.setU32(to, address);
    return () => void this.graphMemory.change(address, true);
  }

  /**
   * Sends a command for ranges of device memory. Waits only if a range is not within an allocation,
   * in order to return the error.
   */
  *sendFor(command: DeviceCommand, bytes: number, ...addresses: readonly number[]): HostWork {
    if (addresses.every((address) => this.#isAllocated(address, bytes))) this.send(command);
    else yield* this.request(command);
  }

  #isAllocated(address: number, bytes: number): boolean {
    for (const [start, size] of this.allocations) if (address >= start && address + bytes <= start + size) return true;
    return false;
  }

  /** Calls a function of the program by its address. The function may call CUDA's API. */
  *call(address: number, ...args: readonly number[]): HostWork {
    yield { kind: 'call', address, args };
  }

  /** Performs a command of a stream, or records it while a stream is being captured. */
  *enqueue(command: Command): HostWork {
    if (this.captured !== undefined) {
      this.captured.push(command);
      return;
    }
    const work = command();
    if (work !== undefined) yield* work;
  }

  /** Returns a function of CUDA's API, which returns an error code. */
  readonly checked = <Args extends readonly number[]>(
    // biome-ignore lint/suspicious/noConfusingVoidType: most functions return nothing.
    work: (...args: Args) => HostWork | undefined | void,
  ): ((...args: Args) => HostWork<number>) => {
    const context = this;
    return function* (...args) {
      try {
        const waits = work(...args);
        if (waits !== undefined) yield* waits;
        return 0;
      } catch (error) {
        if (!(error instanceof CudaFailure)) throw error;
        context.lastError = error.code;
        return error.code;
      }
    };
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

  /** Returns the page-locked memory that contains an address of the host. */
  pinnedAt(address: number): Pinned | undefined {
    return [...this.pinned.values()].find(({ start, bytes }) => address >= start && address < start + bytes);
  }

  /** Returns the address of the host's side of shared memory, for an address of its copy on the device. */
  hostSide(address: number): number {
    for (const { start, device, bytes } of this.pinned.values())
      if (device !== undefined && address >= device && address < device + bytes) return start + address - device;
    return address;
  }

  /** Whether an address is in memory that the host and kernels share. */
  isShared(address: number): boolean {
    return this.managedAt(address) !== undefined || this.pinnedAt(address)?.device !== undefined;
  }

  /** Returns the ranges of shared memory: their addresses in the program and on the device. */
  #shared(): readonly { readonly host: number; readonly device: number; readonly bytes: number }[] {
    const pinned = [...this.pinned.values()].flatMap(({ start: host, device, bytes }) =>
      device === undefined ? [] : [{ host, device, bytes }],
    );
    return [...[...this.managed].map(([address, bytes]) => ({ host: address, device: address, bytes })), ...pinned];
  }

  /** Waits for the device, and copies shared memory to the host if kernels may have changed it. */
  *synchronize(): HostWork {
    yield* this.request({ op: 'synchronize' });
    if (!this.#isSharedOnDevice) return;
    this.#isSharedOnDevice = false;
    for (const { host, device, bytes } of this.#shared())
      yield* this.request({ op: 'read', address: device, to: this.memory.bytes(host, bytes) });
  }

  /** Frees device memory. */
  *release(address: number): HostWork {
    yield* this.request({ op: 'free', address });
    this.allocations.delete(address);
  }

  /** Renews the texels of textures of linear memory, because earlier commands may have changed it. */
  renewTextures(): void {
    for (const [handle, { from, bytes }] of this.linearTextures)
      this.send({ op: 'copy', to: handle + headerBytes, from, bytes });
  }

  /** Copies shared memory to the device before a launch, if the host may have changed it. */
  *pushShared(): HostWork {
    const shared = this.#isSharedOnDevice ? [] : this.#shared();
    if (shared.length === 0) return;
    this.#isSharedOnDevice = true;
    for (const { host, device, bytes } of shared)
      yield* this.request({ op: 'write', address: device, data: this.memory.bytes(host, bytes) });
  }
}
