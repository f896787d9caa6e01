// Times on the GPU's own clock, or on the processor's where the device has no `timestamp-query`.

import type { CommandQueue } from './command-queue.ts';
import { bufferUsage } from './device/flags.ts';
import { GpuError } from './device/gpu-error.ts';
import type { Faults } from './faults.ts';
import type { Transfers } from './memory/transfers.ts';

/// Events at the same time.
const slots = 1024;
/// Where results of queries may begin.
const resolveStep = 256;
const nsPerMs = 1e6;

/// The clock that events are read from.
export class Clock {
  readonly #queue: CommandQueue;
  readonly #transfers: Transfers;
  readonly #faults: Faults;
  readonly #free: number[] = [];
  #next = 0;
  #queries: GPUQuerySet | undefined;
  #resolved: GPUBuffer | undefined;

  constructor(queue: CommandQueue, transfers: Transfers, faults: Faults) {
    this.#queue = queue;
    this.#transfers = transfers;
    this.#faults = faults;
  }

  /// Whether times are the GPU's own.
  get isGpus(): boolean {
    return this.#queue.device.features.has('timestamp-query');
  }

  take(): number {
    const slot = this.#free.pop() ?? this.#next++;
    if (slot < slots) return slot;
    this.#next = slots;
    throw new GpuError('out-of-memory', `${slots} events are all that there can be at a time: free those not needed`);
  }

  give(slot: number): void {
    this.#free.push(slot);
  }

  /// The time between all that was asked before and all that is asked afterwards.
  stamp(slot: number): Promise<number> | undefined {
    const queue = this.#queue;
    if (!this.isGpus) {
      queue.encoder();
      queue.flush();
      const done = queue.device.queue.onSubmittedWorkDone().then(() => performance.now());
      done.catch(() => undefined);
      return done;
    }
    this.#queries ??= queue.device.createQuerySet({ label: 'events', type: 'timestamp', count: slots });
    const timestampWrites = { querySet: this.#queries, beginningOfPassWriteIndex: slot };
    queue.encoder().beginComputePass({ label: 'event', timestampWrites }).end();
    return undefined;
  }

  /// Milliseconds of two stamps.
  async read(first: number, last: number): Promise<readonly [number, number]> {
    const { device } = this.#queue;
    const queries = this.#queries;
    if (queries === undefined) throw new RangeError('no event has been recorded');
    const bytes = resolveStep + 8;
    this.#resolved ??= device.createBuffer({ size: bytes, usage: bufferUsage.queryResolve | bufferUsage.copySource });
    const encoder = this.#queue.encoder();
    encoder.resolveQuerySet(queries, first, 1, this.#resolved, 0);
    encoder.resolveQuerySet(queries, last, 1, this.#resolved, resolveStep);
    const times = this.#transfers.readBuffer(this.#resolved, 0, bytes, ({ buffer, byteOffset }) => {
      const view = new DataView(buffer, byteOffset, bytes);
      return [view.getBigUint64(0, true), view.getBigUint64(resolveStep, true)] as const;
    });
    const [begin, end] = await this.#faults.settle(times);
    return [Number(begin) / nsPerMs, Number(end) / nsPerMs];
  }

  destroy(): void {
    this.#queries?.destroy();
    this.#resolved?.destroy();
  }
}

/// A point among what is asked for.
export class Event {
  readonly #clock: Clock;
  readonly #slot: number;
  readonly #faults: Faults;
  readonly #queue: CommandQueue;
  #isRecorded = false;
  #host: Promise<number> | undefined;
  #done: Promise<unknown> = Promise.resolve();

  constructor(clock: Clock, queue: CommandQueue, faults: Faults) {
    this.#clock = clock;
    this.#queue = queue;
    this.#faults = faults;
    this.#slot = clock.take();
  }

  /// Here: behind all that was asked for so far. An event may be recorded again.
  record(): void {
    this.#host = this.#clock.stamp(this.#slot);
    this.#isRecorded = true;
    this.#queue.flush();
    this.#done = this.#queue.device.queue.onSubmittedWorkDone();
    this.#done.catch(() => undefined);
  }

  /// Waits until the device has come here. Rejects with what has gone wrong until then.
  async synchronize(): Promise<void> {
    await this.#faults.settle(this.#done);
  }

  /// Milliseconds from another event to this one, by the GPU's clock where the device has `timestamp-query`.
  async elapsedSince(earlier: Event): Promise<number> {
    this.checkRecorded();
    earlier.checkRecorded();
    const own = [earlier.#host, this.#host] as const;
    const [begin, end] =
      own[0] && own[1]
        ? await this.#faults.settle(Promise.all([own[0], own[1]]))
        : await this.#clock.read(earlier.#slot, this.#slot);
    return end - begin;
  }

  /// Throws RangeError for an event that has not been recorded.
  checkRecorded(): void {
    if (!this.#isRecorded) throw new RangeError('the event has not been recorded');
  }

  free(): void {
    this.#clock.give(this.#slot);
  }

  [Symbol.dispose](): void {
    this.free();
  }
}
