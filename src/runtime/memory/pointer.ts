// Pointers to device memory, as values.

import type { Allocation } from './allocation.ts';

/** A constructor of typed arrays, such as `Float32Array`. */
export type ArrayOf<T> = {
  /** The size of an element in bytes. */
  readonly BYTES_PER_ELEMENT: number;
  /** Creates an array of the elements in a buffer. */
  new (buffer: ArrayBuffer): T;
};

/** A pointer argument in the types of a kernel's arguments: a device pointer, or `null`. */
export type Ptr = DevicePointer | null;

/** The runtime's methods that its pointers use. */
export interface PointerOwner {
  write(pointer: DevicePointer, data: ArrayBufferView | ArrayBuffer): void;
  /** Throws RangeError if a recording is open. */
  checkOutsideRecording(what: string): void;
  /** Fills an array. */
  readBytes(pointer: DevicePointer, to: Uint8Array): Promise<void>;
  free(pointer: DevicePointer): void;
  addressOf(allocation: Allocation): number;
  bufferOf(pointer: DevicePointer): GPUBufferBinding;
}

/**
 * A pointer to device memory: an argument of kernels, and the source or target of copies. A pointer
 * may point past the end of its allocation if no code accesses memory there.
 */
export class DevicePointer {
  /**
   * The runtime's record of the memory.
   * @internal
   */
  readonly allocation: Allocation;
  /** The distance from the start of the allocation, in bytes. */
  readonly offset: number;
  readonly #owner: PointerOwner;

  /** The end of the memory that the pointer may access, relative to the start of the allocation. */
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

  /**
   * The number of bytes from the pointer to the end of the allocation or variable; 0 past the end.
   */
  get bytes(): number {
    return Math.max(this.#end - this.offset, 0);
  }

  /**
   * Returns a pointer that is `bytes` bytes after this pointer. Throws RangeError if `bytes` is not
   * an integer.
   */
  at(bytes: number): DevicePointer {
    if (!Number.isSafeInteger(bytes))
      throw new RangeError(`invalid offset ${bytes}: expected an integer number of bytes`);
    const offset = this.offset + bytes;
    return new DevicePointer(this.#owner, this.allocation, offset, this.#end - offset);
  }

  /**
   * Copies host memory to this place. Earlier launches read the old contents, and later launches
   * read the new contents. Throws TypeError for data without bytes, and RangeError if the data
   * exceeds the allocation or within a recording.
   */
  write(data: ArrayBufferView | ArrayBuffer): void {
    this.#owner.write(this, data);
  }

  /**
   * Waits for all earlier commands, and copies `count` elements to the host. The default is all
   * elements up to the end of the allocation. Rejects with the first device error, and with
   * RangeError for an invalid count. Throws RangeError within a recording.
   */
  read<T>(type: ArrayOf<T>, count?: number): Promise<T> {
    // Throw instead of rejecting: a program may ignore a promise within a recording, and Node exits
    // on an unhandled rejection.
    this.#owner.checkOutsideRecording('read');
    return this.#read(type, count);
  }

  async #read<T>(type: ArrayOf<T>, count?: number): Promise<T> {
    const size = typeof type === 'function' ? type.BYTES_PER_ELEMENT : undefined;
    if (!size) throw new TypeError('`read` requires the type of the array to create: read(Float32Array)');
    const elements = count ?? Math.floor(this.bytes / size);
    if (!Number.isSafeInteger(elements) || elements < 0)
      throw new RangeError(`invalid number of elements ${count}: expected a nonnegative integer`);
    const bytes = new Uint8Array(elements * size);
    await this.#owner.readBytes(this, bytes);
    return new type(bytes.buffer);
  }

  /**
   * Waits for all earlier commands, and fills an array with the bytes at this place. Unlike `read`, it
   * allocates no memory on the host. Rejects with the first device error, and with RangeError if the
   * array exceeds the allocation. Throws RangeError within a recording.
   */
  readInto(array: Uint8Array): Promise<void> {
    this.#owner.checkOutsideRecording('read');
    return this.#owner.readBytes(this, array);
  }

  /**
   * Frees the whole allocation. Earlier launches may still use it. Throws RangeError if it is
   * already freed.
   */
  free(): void {
    this.#owner.free(this);
  }

  /** Frees the allocation unless it is already freed. */
  [Symbol.dispose](): void {
    if (!this.allocation.isFreed) this.free();
  }

  /**
   * The address as kernels see it, for structs and tables of pointers. Reading this property moves
   * the allocation to the heap, so that kernels can use the address.
   */
  get address(): bigint {
    return BigInt(this.#owner.addressOf(this.allocation) + this.offset);
  }

  /**
   * The underlying GPUBuffer with the offset and size of this place in bytes, for bind groups or
   * draw calls of your own. A launch may move the allocation to another buffer. So read this
   * property after `flush`, each time you need it.
   */
  get buffer(): GPUBufferBinding {
    return this.#owner.bufferOf(this);
  }
}
