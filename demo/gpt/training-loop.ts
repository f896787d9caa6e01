// Trains while it is let: asks for steps and characters ahead of the device, and reads losses behind it.
import type { RateChange } from './settings.ts';
import type { Trainer } from './trainer.ts';

export interface Sample {
  /** Steps that were asked for when its first and its last character were. */
  readonly from: number;
  readonly to: number;
  readonly characters: Int32Array;
  readonly isWhole: boolean;
}

export interface LoopEvents {
  /** More steps have been done. */
  onLosses(losses: readonly number[]): void;
  onSample(sample: Sample): void;
}

/** Characters of a sample. */
const sampleLength = 320;
/** Milliseconds that what is asked for at once should take. */
const turn = 100;
const maxSteps = 64;

export class TrainingLoop {
  /** Of every step so far. */
  readonly losses: number[] = [];
  readonly #trainer: Trainer;
  readonly #events: LoopEvents;
  readonly #begin: number;
  #steps = 1;
  #isRunning = false;
  #sampleFrom = 0;
  #ended = 0;
  #finished: Promise<void> = Promise.resolve();

  /** Samples stand behind the character `begin`. */
  constructor(trainer: Trainer, begin: number, events: LoopEvents) {
    this.#trainer = trainer;
    this.#begin = begin;
    this.#events = events;
    trainer.beginSample(begin);
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Trains until `pause`, or until the step `goal` has been done. The rates are set at their steps. Rejects with what went wrong on the device. */
  async run(rates: () => readonly RateChange[], goal: number): Promise<void> {
    this.#isRunning = true;
    this.#finished = this.#run(rates, goal);
    try {
      await this.#finished;
    } finally {
      this.#isRunning = false;
    }
  }

  /** Asks for no more, and waits for what has been asked for. */
  async pause(): Promise<void> {
    this.#isRunning = false;
    await this.#finished.catch(() => undefined);
  }

  async #run(rates: () => readonly RateChange[], goal: number): Promise<void> {
    const pending: Promise<void>[] = [];
    this.#ended = performance.now();
    try {
      while (this.#isRunning && this.#trainer.steps < goal) {
        pending.push(this.#ask(rates(), goal));
        // The device has work while the page looks at what is done.
        if (pending.length > 1) await pending.shift();
      }
    } finally {
      await Promise.allSettled(pending);
    }
    await Promise.all(pending);
  }

  async #ask(rates: readonly RateChange[], goal: number): Promise<void> {
    const trainer = this.#trainer;
    const first = trainer.steps;
    const now = rates.filter(({ after }) => after <= first).at(-1);
    if (now) trainer.setRate(now.rate);
    const next = rates.find(({ after }) => after > first)?.after ?? Number.POSITIVE_INFINITY;
    const steps = Math.min(this.#steps, goal - first, next - first);
    trainer.train(steps);
    if (trainer.drawn >= sampleLength) {
      trainer.beginSample(this.#begin);
      this.#sampleFrom = first + steps;
    }
    trainer.draw(Math.min(Math.ceil(steps / 2), sampleLength - trainer.drawn));
    const sample = { from: this.#sampleFrom, to: first + steps, isWhole: trainer.drawn >= sampleLength };
    const [losses, characters] = await Promise.all([trainer.losses(first), trainer.sample()]);
    this.losses.push(...losses);
    const end = performance.now();
    const took = end - this.#ended;
    this.#ended = end;
    if (steps === this.#steps) {
      if (took < turn / 2) this.#steps = Math.min(2 * steps, maxSteps);
      else if (took > 2 * turn) this.#steps = Math.max(1, Math.floor(steps / 2));
    }
    this.#events.onLosses(this.losses);
    this.#events.onSample({ ...sample, characters });
  }
}
