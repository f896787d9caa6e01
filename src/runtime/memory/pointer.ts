// Pointers to device memory, as values.

import type { Allocation } from './allocation.ts';

/** What `read` makes arrays of. */
export type ArrayOf<T> = {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBuffer): T;
};

/** What a pointer asks of the runtime that it belongs to. */
export interface PointerOwner {
  write(pointer: DevicePointer, data: ArrayBufferView | ArrayBuffer): void;
  /** Throws RangeError within a recording. */
  checkOutsideRecording(what: string): void;
  readBytes(pointer: DevicePointer, bytes: number): Promise<ArrayBuffer>;
  free(pointer: DevicePointer): void;
  addressOf(allocation: Allocation): number;
  bufferOf(pointer: DevicePointer): GPUBufferBinding;
}

/**
 * A place in device memory. It is an argument of kernels, and memory that is copied, filled, read and written. Pointers may lie behind the end of
 * what they point into, as long as nothing is done there.
 */
export class DevicePointer {
  /**
   * The runtime's record of the memory.
   * @internal
   */
  readonly allocation: Allocation;
  /** Bytes from where the allocation begins. */
  readonly offset: number;
  readonly #owner: PointerOwner;

  /** Where what it is a pointer to ends, from where the allocation begins. */
  readonly #end: number;

  /**
   * `bytes` is the size of the part of the allocation that the pointer may access.
   * @internal
   */
  constructor(owner: PointerOwner, allocation: Allocation, offset: number, bytes = allocation.bytes - offset) {
    this.#owner = owner;
    this.allocation = allocation;
    this.offset = offset;
    this.#end = offset + bytes;
  }

  /**
   * Whether the pointer belongs to the runtime with this owner.
   * @internal
   */
  isOf(owner: PointerOwner): boolean {
    return this.#owner === owner;
  }

  /** Bytes from here to the end of the allocation, or of the variable. */
  get bytes(): number {
    return Math.max(this.#end - this.offset, 0);
  }

  /** The pointer `bytes` further on. */
  at(bytes: number): DevicePointer {
    if (!Number.isSafeInteger(bytes)) throw new RangeError(`${bytes} is no offset: give bytes, as an integer`);
    const offset = this.offset + bytes;
    return new DevicePointer(this.#owner, this.allocation, offset, this.#end - offset);
  }

  /** Copies host memory here. What was launched before reads what was there; what is launched afterwards reads this. */
  write(data: ArrayBufferView | ArrayBuffer): void {
    this.#owner.write(this, data);
  }

  /**
   * Waits for all earlier commands and returns `count` elements from here, or all to the end of the allocation. Rejects with
   * what has gone wrong until then. Throws RangeError within a recording.
   */
  read<T>(type: ArrayOf<T>, count?: number): Promise<T> {
    // A promise that rejects within a recording may be lost, and Node ends at a rejection that nobody handles.
    this.#owner.checkOutsideRecording('read');
    return this.#read(type, count);
  }

  async #read<T>(type: ArrayOf<T>, count?: number): Promise<T> {
    const size = typeof type === 'function' ? type.BYTES_PER_ELEMENT : undefined;
    if (!size) throw new TypeError('`read` takes the type of the array to be made: read(Float32Array)');
    const elements = count ?? Math.floor(this.bytes / size);
    if (!Number.isSafeInteger(elements) || elements < 0) throw new RangeError(`${count} is no number of elements`);
    return new type(await this.#owner.readBytes(this, elements * size));
  }

  /** Frees the whole allocation. Launches that were asked for before still have it. */
  free(): void {
    this.#owner.free(this);
  }

  /** Frees the allocation, where that has not been done. */
  [Symbol.dispose](): void {
    if (!this.allocation.isFreed) this.free();
  }

  /**
   * The address as kernels see it, for structs and tables of pointers. From then on the allocation lies in the heap, where kernels that
   * follow addresses find it.
   */
  get address(): bigint {
    return BigInt(this.#owner.addressOf(this.allocation) + this.offset);
  }

  /**
   * The GPUBuffer behind it: for a page's own bind groups, or to draw from. It may be another one after the next launch that makes the
   * runtime move the allocation: ask when it is needed, after `flush`.
   */
  get buffer(): GPUBufferBinding {
    return this.#owner.bufferOf(this);
  }
}
