// Copies between host and device memory, and within device memory. Copies have any number of bytes,
// and run in the order of the calls.

import { alignUp } from '../../base/align.ts';
import type { CommandQueue } from '../device/command-queue.ts';
import type { Engine } from '../device/engine.ts';
import type { Faults } from '../device/faults.ts';
import { memoryUsage } from '../device/flags.ts';
import type { Readback, Region } from '../device/readback.ts';
import type { Allocation } from './allocation.ts';
import { ByteKernel } from './byte-kernel.ts';
import type { DeviceMemory } from './device-memory.ts';

export class Transfers {
  readonly #queue: CommandQueue;
  readonly #memory: DeviceMemory;
  readonly #bytes: ByteKernel;
  readonly #readback: Readback;
  readonly #faults: Faults;

  constructor(engine: Engine, memory: DeviceMemory) {
    this.#queue = engine.queue;
    this.#faults = engine.faults;
    this.#readback = engine.readback;
    this.#memory = memory;
    this.#bytes = new ByteKernel(engine);
  }

  write(allocation: Allocation, offset: number, data: Uint8Array): void {
    check(allocation, offset, data.byteLength, 'written');
    if (data.byteLength === 0) return;
    const region = this.#memory.regionOf(allocation);
    const whole = wholeWords(allocation, region, offset, data.byteLength);
    if (whole > 0) {
      this.#queue.write(region.buffer, region.offset + offset, data);
      return;
    }
    const temporary = this.#temporary(data.byteLength);
    this.#queue.write(temporary, 0, data);
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
      this.#queue.encode((encoder) =>
        encoder.copyBufferToBuffer(out.buffer, out.offset + from, into.buffer, into.offset + to, size),
      );
      return;
    }
    // Copy through another buffer, because the ranges may overlap.
    const first = from - (from % 4);
    const window = alignUp(from + bytes, 4) - first;
    const temporary = this.#temporary(window);
    this.#queue.encode((encoder) => encoder.copyBufferToBuffer(out.buffer, out.offset + first, temporary, 0, window));
    if (isWhole) {
      const size = wholeWords(target, into, to, bytes);
      this.#queue.encode((encoder) => encoder.copyBufferToBuffer(temporary, 0, into.buffer, into.offset + to, size));
    } else this.#bytes.move(into, to, temporary, from - first, bytes);
    this.#queue.retire(temporary);
  }

  /** Fills a range with a repeated word. The range begins at a whole word of the allocation. */
  fill(allocation: Allocation, offset: number, bytes: number, word: number): void {
    check(allocation, offset, bytes, 'written');
    if (bytes === 0) return;
    const region = this.#memory.regionOf(allocation);
    if (word === 0 && offset % 4 === 0 && bytes % 4 === 0)
      this.#queue.encode((encoder) => encoder.clearBuffer(region.buffer, region.offset + offset, bytes));
    else this.#bytes.fill(region, offset, bytes, word);
  }

  /**
   * Fills an array. Later commands do not change the result. The caller must await the promise with
   * `Faults.settle`.
   */
  read(allocation: Allocation, offset: number, to: Uint8Array): Promise<void> {
    const bytes = to.length;
    check(allocation, offset, bytes, 'read');
    if (bytes === 0) return this.#queue.finished();
    const region = this.#memory.regionOf(allocation);
    const first = offset - (offset % 4);
    const words = { buffer: region.buffer, offset: region.offset + first, size: alignUp(offset + bytes, 4) - first };
    return this.#readback.read([words], ([mapped = new Uint8Array()]) =>
      to.set(mapped.subarray(offset - first, offset - first + bytes)),
    );
  }

  destroy(): void {
    this.#bytes.destroy();
  }

  #temporary(bytes: number): GPUBuffer {
    const { device } = this.#queue;
    const size = Math.max(alignUp(bytes, 4), 4);
    return this.#faults.guard(
      device,
      'out-of-memory',
      () => device.createBuffer({ size, usage: memoryUsage }),
      `a copy of ${bytes} bytes`,
    );
  }
}

/**
 * Returns the bytes that a copy in whole words needs for `bytes` at `offset`. They may include
 * unused bytes after the allocation's end. Returns 0 if such a copy is not possible.
 */
function wholeWords({ bytes: end }: Allocation, { size }: Region, offset: number, bytes: number): number {
  if (offset % 4 !== 0) return 0;
  if (bytes % 4 === 0) return bytes;
  const whole = alignUp(bytes, 4);
  return offset + bytes === end && offset + whole <= size ? whole : 0;
}

function check(allocation: Allocation, offset: number, bytes: number, what: string): void {
  allocation.check();
  if (
    !Number.isInteger(offset) ||
    !Number.isInteger(bytes) ||
    offset < 0 ||
    bytes < 0 ||
    offset + bytes > allocation.bytes
  )
    throw new RangeError(`${bytes} bytes at ${offset} cannot be ${what}: it is ${allocation}`);
}
