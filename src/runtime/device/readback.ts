// Reads back device memory: copies it into mappable buffers, which are reused.

import { alignUp } from '../../base/align.ts';
import type { Bytes } from '../../base/bytes.ts';
import { BufferPool } from './buffer-pool.ts';
import type { CommandQueue } from './command-queue.ts';
import type { Faults } from './faults.ts';
import { bufferUsage, readMode } from './flags.ts';

/** A part of a buffer. */
export interface Region {
  readonly buffer: GPUBuffer;
  readonly offset: number;
  readonly size: number;
}

export class Readback {
  readonly #queue: CommandQueue;
  readonly #faults: Faults;
  readonly #staging: BufferPool;

  constructor(queue: CommandQueue, faults: Faults) {
    this.#queue = queue;
    this.#faults = faults;
    this.#staging = new BufferPool(queue.device);
  }

  /**
   * Copies the regions, which are whole words, to mappable buffers, and calls `use` while these
   * buffers are mapped. Later commands do not change the copies.
   */
  async read<T>(regions: readonly Region[], use: (mapped: readonly Bytes[]) => T): Promise<T> {
    const bytes = regions.reduce((sum, { size }) => sum + size, 0);
    const { device } = this.#queue;
    const size = Math.min(stagingSize(bytes), device.limits.maxBufferSize);
    const take = () => this.#staging.take(size, bufferUsage.mapRead | bufferUsage.copyTarget);
    const staging = this.#faults.guard(device, 'out-of-memory', take, `a copy of ${bytes} bytes for the processor`);
    let end = 0;
    const places = regions.map(({ buffer, offset, size }) => {
      const at = end;
      this.#queue.encode((encoder) => encoder.copyBufferToBuffer(buffer, offset, staging, at, size));
      end += size;
      return [at, size] as const;
    });
    try {
      await this.#queue.behind(() => staging.mapAsync(readMode, 0, bytes));
    } catch (error) {
      staging.destroy();
      throw error;
    }
    const mapped = staging.getMappedRange(0, bytes);
    const taken = use(places.map(([at, size]) => new Uint8Array(mapped, at, size)));
    staging.unmap();
    this.#staging.give(staging);
    return taken;
  }

  destroy(): void {
    this.#staging.destroy();
  }
}

/**
 * Returns a size of at least `bytes`. There are only few such sizes, so that buffers can be reused.
 */
function stagingSize(bytes: number): number {
  let size = 256;
  while (size < bytes && size < 2 ** 20) size *= 4;
  return size < bytes ? alignUp(bytes, 2 ** 20) : size;
}
