// Points among what is asked for, and the time between them.

import type { Engine } from './device/engine.ts';

const nsPerMs = 1e6;

/** A point among what is asked for. */
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

  /** Here: behind all that was asked for so far. An event may be recorded again. Throws RangeError once it is freed. */
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

  /** Waits until the device has come here. Rejects with what has gone wrong until then. */
  async synchronize(): Promise<void> {
    await this.#engine.faults.settle(this.#done);
  }

  /**
   * Milliseconds from another event to this one, by the GPU's clock where the device has `timestamp-query`. Rejects with RangeError where one of
   * them was not recorded, is freed, or is another runtime's.
   */
  async elapsedSince(earlier: Event): Promise<number> {
    if (!(earlier instanceof Event)) throw new TypeError('`elapsedSince` takes an event');
    if (earlier.#engine !== this.#engine) throw new RangeError('the events belong to two runtimes');
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
   * Throws RangeError for an event that has not been recorded.
   * @internal
   */
  checkRecorded(): void {
    this.#checkThere();
    if (!this.#isRecorded) throw new RangeError('the event has not been recorded');
  }

  /** Gives up its place: there are 1,024 events at a time. Throws RangeError for what is freed already. */
  free(): void {
    this.#checkThere();
    this.#isFreed = true;
    this.#engine.clock.give(this.#slot);
  }

  /** Frees it, where that has not been done. */
  [Symbol.dispose](): void {
    if (!this.#isFreed) this.free();
  }

  #checkThere(): void {
    if (this.#isFreed) throw new RangeError('the event has been freed');
  }
}
