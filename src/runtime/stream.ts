// Streams. The commands of one stream run in order. A WebGPU device has one queue, so the commands
// of all streams run in the order of the calls.

import type { Event } from './events.ts';

/** The runtime's methods that a stream uses. */
export interface StreamOwner {
  synchronize(): Promise<void>;
}

/**
 * A sequence of commands. A WebGPU device has one queue, so the commands of all streams run in the
 * order of the calls, and waiting for an event of another stream costs nothing. `Runtime.stream`
 * creates streams.
 */
export class Stream {
  /** The label that was passed to `Runtime.stream`. */
  readonly label: string;
  readonly #owner: StreamOwner;

  /** @internal */
  constructor(owner: StreamOwner, label: string) {
    this.#owner = owner;
    this.label = label;
  }

  /** Records an event after all commands so far. Throws RangeError if the event is freed. */
  record(event: Event): void {
    event.record();
  }

  /**
   * Makes later commands of this stream run after the event. Throws RangeError if the event is
   * freed or was never recorded.
   */
  wait(event: Event): void {
    event.checkRecorded();
  }

  /**
   * Waits for all commands of this stream. Rejects with the first device error. Throws RangeError
   * within a recording.
   */
  synchronize(): Promise<void> {
    return this.#owner.synchronize();
  }
}
