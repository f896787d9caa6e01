// Between host and device memory, and within it: any bytes, in the order in which they are asked for.

import { alignUp } from '../../base/align.ts';
import type { CommandQueue } from '../command-queue.ts';
import { BufferPool } from '../device/buffer-pool.ts';
import { bufferUsage, readMode } from '../device/flags.ts';
import type { Faults } from '../faults.ts';
import type { Allocation, Region } from './allocation.ts';
import { ByteKernel } from './byte-kernel.ts';
import type { DeviceMemory } from './device-memory.ts';

export class Transfers {
  readonly #queue: CommandQueue;
  readonly #memory: DeviceMemory;
  readonly #bytes: ByteKernel;
  readonly #staging: BufferPool;

  constructor(queue: CommandQueue, memory: DeviceMemory, faults: Faults) {
    this.#queue = queue;
    this.#memory = memory;
    this.#bytes = new ByteKernel(queue, faults);
    this.#staging = new BufferPool(queue.device);
  }

  write(allocation: Allocation, offset: number, data: Uint8Array): void {
    check(allocation, offset, data.byteLength, 'written');
    if (data.byteLength === 0) return;
    const region = this.#memory.regionOf(allocation);
    const whole = wholeWords(allocation, region, offset, data.byteLength);
    if (whole === data.byteLength) {
      this.#queue.write(region.buffer, region.offset + offset, data);
      return;
    }
    const padded = new Uint8Array(alignUp(data.byteLength, 4));
    padded.set(data);
    if (whole === padded.byteLength) {
      this.#queue.write(region.buffer, region.offset + offset, padded);
      return;
    }
    const temporary = this.#temporary(padded.byteLength);
    this.#queue.device.queue.writeBuffer(temporary, 0, padded);
    this.#bytes.move(region, offset, temporary, 0, data.byteLength);
    this.#queue.retire(temporary);
  }

  copy(target: Allocation, to: number, source: Allocation, from: number, bytes: number): void {
    check(target, to, bytes, 'written');
    check(source, from, bytes, 'read');
    if (bytes === 0) return;
    const [into, out] = [this.#memory.regionOf(target), this.#memory.regionOf(source)];
    const isWhole = from % 4 === 0 && wholeWords(target, into, to, bytes) > 0 && from + alignUp(bytes, 4) <= out.size;
    if (isWhole && into.buffer !== out.buffer) {
      const size = wholeWords(target, into, to, bytes);
      this.#queue.encoder().copyBufferToBuffer(out.buffer, out.offset + from, into.buffer, into.offset + to, size);
      return;
    }
    // Through another buffer: the two may overlap.
    const first = from - (from % 4);
    const window = alignUp(from + bytes, 4) - first;
    const temporary = this.#temporary(window);
    this.#queue.encoder().copyBufferToBuffer(out.buffer, out.offset + first, temporary, 0, window);
    if (isWhole) {
      const size = wholeWords(target, into, to, bytes);
      this.#queue.encoder().copyBufferToBuffer(temporary, 0, into.buffer, into.offset + to, size);
    } else this.#bytes.move(into, to, temporary, from - first, bytes);
    this.#queue.retire(temporary);
  }

  /// `word` again and again; it begins at a whole word of the allocation.
  fill(allocation: Allocation, offset: number, bytes: number, word: number): void {
    check(allocation, offset, bytes, 'written');
    if (bytes === 0) return;
    const region = this.#memory.regionOf(allocation);
    if (word === 0 && offset % 4 === 0 && bytes % 4 === 0)
      this.#queue.encoder().clearBuffer(region.buffer, region.offset + offset, bytes);
    else this.#bytes.fill(region, offset, bytes, word);
  }

  /// Asks for bytes: what is asked for afterwards changes them no more. To be waited for with `Faults.settle`.
  read(allocation: Allocation, offset: number, bytes: number): Promise<Uint8Array<ArrayBuffer>> {
    check(allocation, offset, bytes, 'read');
    if (bytes === 0) return this.#queue.device.queue.onSubmittedWorkDone().then(() => new Uint8Array(0));
    const region = this.#memory.regionOf(allocation);
    const first = offset - (offset % 4);
    return this.readBuffer(region.buffer, region.offset + first, alignUp(offset + bytes, 4) - first, (mapped) =>
      mapped.slice(offset - first, offset - first + bytes),
    );
  }

  /// Whole words of a buffer, as `take` makes something of them while they are mapped.
  readBuffer<T>(
    buffer: GPUBuffer,
    offset: number,
    bytes: number,
    take: (mapped: Uint8Array<ArrayBuffer>) => T,
  ): Promise<T> {
    const staging = this.#staging.take(stagingSize(bytes), bufferUsage.mapRead | bufferUsage.copyTarget);
    this.#queue.encoder().copyBufferToBuffer(buffer, offset, staging, 0, bytes);
    this.#queue.flush();
    return staging.mapAsync(readMode, 0, bytes).then(() => {
      const taken = take(new Uint8Array(staging.getMappedRange(0, bytes)));
      staging.unmap();
      this.#staging.give(staging);
      return taken;
    });
  }

  destroy(): void {
    this.#bytes.destroy();
  }

  #temporary(bytes: number): GPUBuffer {
    const usage = bufferUsage.storage | bufferUsage.copySource | bufferUsage.copyTarget;
    return this.#queue.device.createBuffer({ size: Math.max(alignUp(bytes, 4), 4), usage });
  }
}

/// Bytes that a copy of whole words takes for `bytes` at `offset`: with what is behind the allocation's end, which is nobody's. 0 where that will
/// not do.
function wholeWords({ bytes: end }: Allocation, { size }: Region, offset: number, bytes: number): number {
  if (offset % 4 !== 0) return 0;
  if (bytes % 4 === 0) return bytes;
  const whole = alignUp(bytes, 4);
  return offset + bytes === end && offset + whole <= size ? whole : 0;
}

/// Few sizes, so that buffers serve again.
function stagingSize(bytes: number): number {
  let size = 256;
  while (size < bytes && size < 2 ** 20) size *= 4;
  return size < bytes ? alignUp(bytes, 2 ** 20) : size;
}

function check(allocation: Allocation, offset: number, bytes: number, what: string): void {
  if (allocation.isFreed) throw new RangeError(`${allocation} is ${what} after it was freed`);
  if (
    !Number.isInteger(offset) ||
    !Number.isInteger(bytes) ||
    offset < 0 ||
    bytes < 0 ||
    offset + bytes > allocation.bytes
  )
    throw new RangeError(`${bytes} bytes at ${offset} cannot be ${what}: it is ${allocation}`);
}
