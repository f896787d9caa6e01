// Timestamps from the GPU's clock, or from the processor's if the device lacks `timestamp-query`.

import type { CommandQueue } from './command-queue.ts';
import type { Faults } from './faults.ts';
import { bufferUsage } from './flags.ts';
import { GpuError } from './gpu-error.ts';
import type { Readback } from './readback.ts';

/** The maximum number of timestamps at a time. */
const slots = 1024;
/** The alignment of resolved query results. */
const resolveStep = 256;

export class Clock {
  readonly #queue: CommandQueue;
  readonly #readback: Readback;
  readonly #faults: Faults;
  readonly #free: number[] = [];
  #next = 0;
  #queries: GPUQuerySet | undefined;
  #resolved: GPUBuffer | undefined;

  constructor(queue: CommandQueue, readback: Readback, faults: Faults) {
    this.#queue = queue;
    this.#readback = readback;
    this.#faults = faults;
  }

  /** Whether timestamps are from the GPU's clock, and not from the processor's clock. */
  get isGpus(): boolean {
    return this.#queue.device.features.has('timestamp-query');
  }

  /** Reserves a slot for a timestamp. */
  take(): number {
    const slot = this.#free.pop() ?? this.#next++;
    if (slot < slots) return slot;
    this.#next = slots;
    throw new GpuError(
      'out-of-memory',
      `too many events: a runtime has at most ${slots}; free events that you do not need`,
    );
  }

  give(slot: number): void {
    this.#free.push(slot);
  }

  /** Records the GPU's time between all earlier and all later commands. */
  stamp(slot: number): void {
    const timestampWrites = { querySet: this.#querySet(), beginningOfPassWriteIndex: slot };
    this.#queue.encode((encoder) => encoder.beginComputePass({ label: 'event', timestampWrites }).end());
  }

  /** Returns the timestamp writes of a pass: the GPU's times at its begin and end. */
  around(begin: number, end: number): GPUComputePassTimestampWrites {
    return { querySet: this.#querySet(), beginningOfPassWriteIndex: begin, endOfPassWriteIndex: end };
  }

  /** Reads two of the GPU's timestamps, in nanoseconds. Rejects with earlier device errors. */
  async read(first: number, last: number): Promise<readonly [number, number]> {
    const { device } = this.#queue;
    const queries = this.#querySet();
    const size = resolveStep + 8;
    this.#resolved ??= device.createBuffer({ size, usage: bufferUsage.queryResolve | bufferUsage.copySource });
    const buffer = this.#resolved;
    this.#queue.encode((encoder) => {
      encoder.resolveQuerySet(queries, first, 1, buffer, 0);
      encoder.resolveQuerySet(queries, last, 1, buffer, resolveStep);
    });
    const times = this.#readback.read([{ buffer, offset: 0, size }], ([mapped = new Uint8Array(size)]) => {
      const view = new DataView(mapped.buffer, mapped.byteOffset, size);
      return [view.getBigUint64(0, true), view.getBigUint64(resolveStep, true)] as const;
    });
    const [begin, end] = await this.#faults.settle(times);
    return [Number(begin), Number(end)];
  }

  destroy(): void {
    this.#queries?.destroy();
    this.#resolved?.destroy();
  }

  #querySet(): GPUQuerySet {
    this.#queries ??= this.#queue.device.createQuerySet({ label: 'events', type: 'timestamp', count: slots });
    return this.#queries;
  }
}
