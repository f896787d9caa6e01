// Streams: what is asked for in one runs in order. WebGPU gives a device one queue, so that what is asked for in all of them does.

import type { Event } from './events.ts';

/** What a stream asks of its runtime. */
export interface StreamOwner {
  synchronize(): Promise<void>;
}

/**
 * An order of launches. A device of WebGPU has one queue: streams never overtake each other, and what waits for an event of another stream waits for
 * nothing more.
 */
export class Stream {
  readonly label: string;
  readonly #owner: StreamOwner;

  /** @internal */
  constructor(owner: StreamOwner, label: string) {
    this.#owner = owner;
    this.label = label;
  }

  /** Records an event behind all that was asked for in this stream. */
  record(event: Event): void {
    event.record();
  }

  /** What is asked for in this stream from here on runs after the event. */
  wait(event: Event): void {
    event.checkRecorded();
  }

  /**
   * Waits for all that was asked for in this stream. Rejects with what has gone wrong until then. Throws RangeError within
   * a recording.
   */
  synchronize(): Promise<void> {
    return this.#owner.synchronize();
  }
}
