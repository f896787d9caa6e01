// The buffer for all numeric addresses. An address is an offset in this buffer. The buffer grows on
// demand.

import { reservedHeapBytes, sharedWindow } from '../../translate/layout.ts';
import type { CommandQueue } from '../device/command-queue.ts';
import type { Engine } from '../device/engine.ts';
import type { Faults } from '../device/faults.ts';
import { memoryUsage } from '../device/flags.ts';
import { GpuError } from '../device/gpu-error.ts';
import { AddressSpace } from './address-space.ts';

const firstBytes = 1 << 20;
/** The alignment that every device accepts for the offset of a binding, in bytes. */
const alignment = 256;

export class Heap {
  readonly #queue: CommandQueue;
  readonly #faults: Faults;
  readonly #space: AddressSpace;
  readonly #limit: number;
  #buffer: GPUBuffer | undefined;
  /**
   * The last buffer that is known to exist. A device may report a failed allocation later, so this
   * buffer is kept until a later buffer is known to exist.
   */
  #sure: GPUBuffer | undefined;
  /** The number of failed allocations. */
  #failures = 0;
  readonly #unsure: Unsure[] = [];
  /** The number of the current buffer; each new buffer increments it. */
  generation = 0;

  constructor({ queue, faults }: Engine) {
    this.#queue = queue;
    this.#faults = faults;
    const { maxBufferSize, maxStorageBufferBindingSize } = queue.device.limits;
    const most = Math.min(maxBufferSize, maxStorageBufferBindingSize, sharedWindow);
    this.#limit = most - (most % alignment);
    this.#space = new AddressSpace(reservedHeapBytes, this.#limit, alignment);
  }

  /**
   * Reserves bytes and returns their address. Throws `GpuError` 'out-of-memory' if every free range
   * is too short.
   */
  reserve(bytes: number, what: string): number {
    const address = this.#space.reserve(bytes);
    if (address !== undefined) return address;
    const { bytes: free, largest } = this.#space.room;
    const has = `${free} of its ${this.#limit} bytes are free, ${largest} of them contiguous`;
    throw new GpuError('out-of-memory', `${what} does not fit in the heap: ${has} (the limit is the device's)`);
  }

  release(address: number, bytes: number): void {
    this.#space.release(address, bytes);
  }

  /** Returns the buffer, which is at least as large as the reserved bytes. */
  buffer(): GPUBuffer {
    const old = this.#buffer;
    const needed = Math.max(this.#space.top, alignment);
    if (old && old.size >= needed) return old;
    let size = Math.max(old?.size ?? 0, firstBytes);
    while (size < needed) size *= 2;
    size = Math.min(size, this.#limit);
    const { device } = this.#queue;
    const failures = this.#failures;
    const made = this.#faults.guard(
      device,
      'out-of-memory',
      () => device.createBuffer({ label: 'heap', size, usage: memoryUsage }),
      `a heap of ${size} bytes`,
      (error) => {
        // If the source buffer of the copy could not be allocated, discard the copy.
        if (failures !== this.#failures) made.destroy();
        else if (error) this.#fallBack(made);
        else this.#settleOn(made);
      },
    );
    if (old) this.#queue.encode((encoder) => encoder.copyBufferToBuffer(old, 0, made, 0, old.size));
    this.#buffer = made;
    this.generation += 1;
    return made;
  }

  /** Calls `commit` once the buffer is known to exist, or `undo` if its allocation failed. */
  whenSure(commit: () => void, undo: () => void): void {
    if (this.#buffer === this.#sure) commit();
    else this.#unsure.push({ buffer: this.#buffer, commit, undo });
  }

  #settleOn(made: GPUBuffer): void {
    if (this.#sure) this.#queue.retire(this.#sure);
    this.#sure = made;
    while (this.#unsure[0]?.buffer === made) this.#unsure.shift()?.commit();
  }

  /** Returns to the previous buffer after a failed allocation. */
  #fallBack(made: GPUBuffer): void {
    this.#failures += 1;
    made.destroy();
    this.#buffer = this.#sure;
    this.generation += 1;
    for (const { undo } of this.#unsure.splice(0)) undo();
  }

  /** Grows the buffer to the reserved size. */
  settle(): void {
    if (this.#buffer) this.buffer();
  }

  destroy(): void {
    this.#buffer?.destroy();
    this.#sure?.destroy();
  }
}

/** The actions that depend on whether a buffer exists. */
interface Unsure {
  readonly buffer: GPUBuffer | undefined;
  readonly commit: () => void;
  readonly undo: () => void;
}
