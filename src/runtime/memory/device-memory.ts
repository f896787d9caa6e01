// All memory of a runtime: allocations, adopted buffers, and allocations that moved to the heap.

import { alignUp } from '../../base/align.ts';
import type { CommandQueue } from '../device/command-queue.ts';
import type { Engine } from '../device/engine.ts';
import type { Faults } from '../device/faults.ts';
import { bufferUsage, memoryUsage } from '../device/flags.ts';
import { GpuError } from '../device/gpu-error.ts';
import type { Region } from '../device/readback.ts';
import { Allocation } from './allocation.ts';
import { Heap } from './heap.ts';

/** Options of `Runtime.alloc`. */
export interface AllocOptions {
  /** The name of the allocation in messages and in the leak report. */
  readonly label?: string;
  /**
   * Additional usages of the underlying buffer, such as `GPUBufferUsage.VERTEX`. A buffer with
   * additional usages is never replaced.
   */
  readonly usage?: GPUBufferUsageFlags;
}

export class DeviceMemory {
  readonly heap: Heap;
  readonly #queue: CommandQueue;
  readonly #faults: Faults;
  readonly #live = new Map<number, Allocation>();
  readonly #adopted = new WeakMap<GPUBuffer, Set<Allocation>>();
  /** Pinned allocations whose address has been read. */
  readonly #mirrored = new Set<Allocation>();
  readonly #dropGroups: (keys: Iterable<string>) => void;
  #nextId = 1;
  #changes = 0;

  /** `dropGroups` drops bind groups that contain buffers that no longer exist. */
  constructor(engine: Engine, dropGroups: (keys: Iterable<string>) => void) {
    this.#queue = engine.queue;
    this.#faults = engine.faults;
    this.#dropGroups = dropGroups;
    this.heap = new Heap(engine);
  }

  /** A counter of changes that invalidate bind groups and addresses. */
  get version(): number {
    return this.#changes + this.heap.generation;
  }

  /** Whether kernels that use the heap work on copies of pinned allocations. */
  get hasMirrored(): boolean {
    return this.#mirrored.size > 0;
  }

  get live(): Iterable<Allocation> {
    return this.#live.values();
  }

  /**
   * Allocates memory filled with zeros. Throws RangeError for an invalid size, and `GpuError`
   * 'out-of-memory' for a size above the binding limit. Later device errors reject the next awaited
   * promise.
   */
  allocate(bytes: number, { label = '', usage = 0 }: AllocOptions = {}): Allocation {
    if (!Number.isSafeInteger(bytes) || bytes < 0)
      throw new RangeError(`invalid size ${bytes}: expected an integer number of bytes`);
    if (this.#faults.lost) throw this.#faults.lost;
    const { device } = this.#queue;
    const most = Math.min(device.limits.maxBufferSize, device.limits.maxStorageBufferBindingSize);
    const size = Math.max(alignUp(bytes, 16), 16);
    if (size > most) {
      const hint = 'the limit of the device; the default is 128 MiB unless the page requests more';
      throw new GpuError('out-of-memory', `${bytes} bytes exceed the maximum for kernels of ${most} (${hint})`);
    }
    const id = this.#nextId++;
    const what = label === '' ? `allocation ${id} of ${bytes} bytes` : `\`${label}\` of ${bytes} bytes`;
    const buffer = this.#faults.guard(
      device,
      'out-of-memory',
      () => device.createBuffer({ label, size, usage: memoryUsage | usage }),
      what,
      (error) => {
        if (error) made.isMissing = true;
      },
    );
    const kind = (usage & ~memoryUsage) === 0 ? 'own' : 'pinned';
    const made = new Allocation(id, { buffer, offset: 0, size }, bytes, label, kind);
    return this.#add(made);
  }

  /** Adopts a buffer of the caller, or a part of it. The runtime never destroys it. */
  adopt(buffer: GPUBuffer, offset: number, bytes: number, label: string): Allocation {
    const parts = this.#adopted.get(buffer) ?? new Set();
    for (const known of parts) {
      const begin = known.region.offset;
      if (begin === offset && known.bytes === bytes) return known;
      if (begin < offset + bytes && offset < begin + known.bytes)
        throw new RangeError(`${known} overlaps these ${bytes} bytes of the same buffer: free it first, or use \`at\``);
    }
    if ((buffer.usage & bufferUsage.storage) === 0)
      throw new RangeError(`the buffer \`${buffer.label}\` cannot be bound: create it with GPUBufferUsage.STORAGE`);
    const align = this.#queue.device.limits.minStorageBufferOffsetAlignment;
    if (offset % align !== 0 || bytes % 4 !== 0 || offset + bytes > buffer.size || bytes <= 0) {
      const given = `${bytes} bytes at ${offset} of a buffer of ${buffer.size}`;
      throw new RangeError(
        `invalid part, ${given}: expected a multiple of ${align} as offset and of 4 as size, within the buffer`,
      );
    }
    const made = new Allocation(this.#nextId++, { buffer, offset, size: bytes }, bytes, label, 'pinned');
    this.#adopted.set(buffer, parts.add(made));
    return this.#add(made);
  }

  /** Allocates memory in the heap only. A module's variables are allocated in this way. */
  inHeap(bytes: number, label: string): Allocation {
    const id = this.#nextId++;
    const address = this.heap.reserve(bytes, `\`${label}\``);
    const made = new Allocation(id, this.#inHeap(address, bytes), bytes, label, 'module');
    made.address = address;
    this.heap.whenSure(
      () => undefined,
      () => {
        made.isMissing = true;
      },
    );
    return this.#add(made);
  }

  free(allocation: Allocation): void {
    if (allocation.isFreed) throw new RangeError(`${allocation} is already freed`);
    allocation.isFreed = true;
    this.#live.delete(allocation.id);
    this.#mirrored.delete(allocation);
    const { address, isPinned, region } = allocation;
    if (address !== undefined || allocation.groups.size > 0) this.#changes += 1;
    this.#dropGroups(allocation.groups);
    allocation.groups.clear();
    if (address !== undefined) this.heap.release(address, allocation.bytes);
    const isOwn = address === undefined || isPinned;
    const lent = this.#adopted.get(region.buffer);
    if (lent) lent.delete(allocation);
    else if (isOwn) this.#queue.retire(region.buffer);
  }

  /**
   * Returns the allocation's address as a number. The first call moves the allocation into the
   * heap.
   */
  addressOf(allocation: Allocation): number {
    allocation.check();
    if (allocation.address !== undefined) return allocation.address;
    const { bytes, region, isPinned } = allocation;
    if (isPinned && (region.buffer.usage & memoryUsage) !== memoryUsage) {
      const uses = 'GPUBufferUsage.COPY_SRC and COPY_DST';
      throw new RangeError(`the address of ${allocation} is visible to kernels, so its buffer needs ${uses}`);
    }
    const address = this.heap.reserve(bytes, `${allocation}`);
    allocation.address = address;
    this.#changes += 1;
    if (isPinned) {
      this.#mirrored.add(allocation);
      return address;
    }
    const heap = this.heap.buffer();
    const { buffer } = region;
    this.#queue.encode((encoder) => encoder.copyBufferToBuffer(buffer, 0, heap, address, region.size));
    this.#dropGroups(allocation.groups);
    allocation.groups.clear();
    this.heap.whenSure(
      () => this.#queue.retire(buffer),
      () => this.#moveBack(allocation, region),
    );
    return address;
  }

  /** Moves an allocation back to its own buffer after its heap buffer could not be allocated. */
  #moveBack(allocation: Allocation, region: Region): void {
    if (allocation.isFreed) {
      region.buffer.destroy();
      return;
    }
    if (allocation.address !== undefined) this.heap.release(allocation.address, allocation.bytes);
    allocation.address = undefined;
    allocation.region = region;
    this.#changes += 1;
  }

  /** Returns the allocation's current buffer and offset. */
  regionOf(allocation: Allocation): Region {
    const { address, bytes, isPinned } = allocation;
    if (address !== undefined && !isPinned) allocation.region = this.#inHeap(address, bytes);
    return allocation.region;
  }

  /**
   * Copies pinned allocations to their copies in the heap before a kernel that uses the heap
   * (`in`), and back afterwards (`out`).
   */
  copyMirrored(direction: 'in' | 'out'): void {
    for (const { address = 0, region } of this.#mirrored) {
      const heap = this.heap.buffer();
      const { buffer, offset, size } = region;
      this.#queue.encode((encoder) => {
        if (direction === 'in') encoder.copyBufferToBuffer(buffer, offset, heap, address, size);
        else encoder.copyBufferToBuffer(heap, address, buffer, offset, size);
      });
    }
  }

  /** Returns the allocation that contains an address, and the offset in it. */
  find(address: number): { readonly allocation: Allocation; readonly offset: number } | undefined {
    for (const allocation of this.#live.values()) {
      const start = allocation.address;
      if (start !== undefined && address >= start && address < start + Math.max(allocation.bytes, 1))
        return { allocation, offset: address - start };
    }
    return undefined;
  }

  destroy(): void {
    for (const { region, isPinned, address } of this.#live.values())
      if ((address === undefined || isPinned) && !this.#adopted.has(region.buffer)) region.buffer.destroy();
    this.#live.clear();
    this.heap.destroy();
  }

  #inHeap(address: number, bytes: number): Region {
    return { buffer: this.heap.buffer(), offset: address, size: Math.max(alignUp(bytes, 16), 16) };
  }

  #add(allocation: Allocation): Allocation {
    this.#live.set(allocation.id, allocation);
    return allocation;
  }
}
