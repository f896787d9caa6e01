// Points among the commands, and the time between them.

import type { Engine } from './device/engine.ts';

const nsPerMs = 1e6;

/**
 * A point among the commands of a runtime, for timing and synchronization. `Runtime.event` creates
 * events.
 */
export class Event {
  readonly #engine: Engine;
  readonly #slot: number;
  readonly #orRecord: (run: () => void) => void;
  #isRecorded = false;
  #isFreed = false;
  #host: Promise<number> | undefined;
  #done: Promise<unknown> = Promise.resolve();

  /**
   * `orRecord` runs a command, or adds it to the recording in progress.
   * @internal
   */
  constructor(engine: Engine, orRecord: (run: () => void) => void) {
    this.#engine = engine;
    this.#orRecord = orRecord;
    this.#slot = engine.clock.take();
  }

  /**
   * Marks the point after all commands so far. If the event is already recorded, the call moves it.
   * Throws RangeError if the event is freed.
   */
  record(): void {
    this.#checkThere();
    this.#orRecord(() => this.#record());
  }

  #record(): void {
    const { clock, queue } = this.#engine;
    if (clock.isGpus) clock.stamp(this.#slot);
    this.#isRecorded = true;
    const done = queue.finished();
    this.#host = clock.isGpus ? undefined : done.then(() => performance.now());
    this.#done = this.#host ?? done;
    this.#done.catch(() => undefined);
  }

  /** Waits until the device reaches the event. Rejects with the first device error. */
  async synchronize(): Promise<void> {
    await this.#engine.faults.settle(this.#done);
  }

  /**
   * Returns the milliseconds from `earlier` to this event, by the GPU's clock if the device has
   * `timestamp-query`. Rejects with RangeError if either event is freed, was never recorded or
   * belongs to another runtime, and with TypeError for a value that is not an event.
   */
  async elapsedSince(earlier: Event): Promise<number> {
    if (!(earlier instanceof Event)) throw new TypeError('`elapsedSince` requires an event');
    if (earlier.#engine !== this.#engine) throw new RangeError('the events belong to different runtimes');
    this.checkRecorded();
    earlier.checkRecorded();
    const own = [earlier.#host, this.#host] as const;
    const { clock, faults } = this.#engine;
    if (own[0] && own[1]) {
      const [begin, end] = await faults.settle(Promise.all([own[0], own[1]]));
      return end - begin;
    }
    const [begin, end] = await clock.read(earlier.#slot, this.#slot);
    return (end - begin) / nsPerMs;
  }

  /**
   * Throws RangeError if the event was never recorded.
   * @internal
   */
  checkRecorded(): void {
    this.#checkThere();
    if (!this.#isRecorded) throw new RangeError('the event was never recorded');
  }

  /**
   * Frees the event, because a runtime can have at most 1,024 events. Throws RangeError if the
   * event is already freed.
   */
  free(): void {
    this.#checkThere();
    this.#isFreed = true;
    this.#engine.clock.give(this.#slot);
  }

  /** Frees the event unless it is already freed. */
  [Symbol.dispose](): void {
    if (!this.#isFreed) this.free();
  }

  #checkThere(): void {
    if (this.#isFreed) throw new RangeError('the event is freed');
  }
}
