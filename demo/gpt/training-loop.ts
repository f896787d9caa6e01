// The training loop. It submits steps and characters in advance, and reads the losses later.
import type { RateChange } from './settings.ts';
import type { Trainer } from './trainer.ts';

export interface Sample {
  /**
   * The number of submitted steps at the sample's first character, and that at its last character.
   */
  readonly from: number;
  readonly to: number;
  readonly characters: Int32Array;
  readonly isWhole: boolean;
}

export interface LoopEvents {
  /** Called when more steps have finished. */
  onLosses(losses: readonly number[]): void;
  onSample(sample: Sample): void;
}

/** The length of a sample in characters. */
const sampleLength = 320;
/** The target duration of one submission, in milliseconds. */
const turn = 100;
const maxSteps = 64;

export class TrainingLoop {
  /** The losses of all steps so far. */
  readonly losses: number[] = [];
  readonly #trainer: Trainer;
  readonly #events: LoopEvents;
  readonly #begin: number;
  #steps = 1;
  #isRunning = false;
  #sampleFrom = 0;
  #ended = 0;
  #finished: Promise<void> = Promise.resolve();

  /** Creates a loop that is paused. Samples begin after the character `begin`. */
  constructor(trainer: Trainer, begin: number, events: LoopEvents) {
    this.#trainer = trainer;
    this.#begin = begin;
    this.#events = events;
    trainer.beginSample(begin);
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /**
   * Trains until `pause` is called, or until the step `goal` has finished. Sets each learning rate
   * at its step. Rejects with the first error of the device.
   */
  async run(rates: () => readonly RateChange[], goal: number): Promise<void> {
    this.#isRunning = true;
    this.#finished = this.#run(rates, goal);
    try {
      await this.#finished;
    } finally {
      this.#isRunning = false;
    }
  }

  /** Stops submitting work, and waits for all submitted work. */
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
        // Wait only for the older of two submissions, so that the device has work while the page
        // processes results.
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
