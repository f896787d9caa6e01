// The queue timeline. Work runs in order, in a later task than the task that enqueued it.

export class Timeline {
  readonly #work: (() => void)[] = [];
  #isHeld = false;
  #isScheduled = false;

  push(work: () => void): void {
    this.#work.push(work);
    this.#schedule();
  }

  /** Stops processing work, like an endless kernel. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    this.#schedule();
  }

  /** Drops all pending work. */
  clear(): void {
    this.#work.length = 0;
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isHeld) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      while (!this.#isHeld) {
        const next = this.#work.shift();
        if (!next) return;
        next();
      }
    });
  }
}
