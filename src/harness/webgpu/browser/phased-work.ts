// Work whose phases another process observes through single answers: each answer is the next phase,
// or the result.

import type { JobPhase, OnPhase } from '../../../runtime/device/job.ts';

/**
 * The time in milliseconds after which a compilation is reported as a phase. Most shaders compile
 * within this time.
 */
const QUIET_MS = 1_000;

export type NextAnswer<T> =
  | { readonly phase: JobPhase; readonly result?: undefined }
  | { readonly phase?: undefined; readonly result: T };

export class PhasedWork<T> {
  readonly #result: Promise<{ readonly phase?: undefined; readonly result: T }>;
  readonly #long: Promise<void>;
  #phase: JobPhase = 'running';
  /** The phase that the other process last received. */
  #told: JobPhase = 'running';
  #isLong = false;
  #onChange: () => void = () => undefined;

  /** Starts the work. A compilation of less than `quietMs` milliseconds is not reported. */
  constructor(work: (onPhase: OnPhase) => Promise<T>, quietMs = QUIET_MS) {
    this.#long = new Promise((resolve) => {
      setTimeout(() => {
        this.#isLong = true;
        resolve();
      }, quietMs);
    });
    this.#result = work((phase) => {
      this.#phase = phase;
      this.#onChange();
    }).then((result) => ({ result }));
    // `next` reports the error, so do not report it here.
    this.#result.catch(() => undefined);
  }

  /** Resolves with the next phase or the result. Rejects with the error of the work. */
  async next(): Promise<NextAnswer<T>> {
    for (;;) {
      const isNew = this.#phase !== this.#told;
      if (isNew && this.#isLong) {
        this.#told = this.#phase;
        return { phase: this.#told };
      }
      const changed = new Promise<void>((resolve) => {
        this.#onChange = resolve;
      });
      const answer = await Promise.race([this.#result, changed, ...(isNew ? [this.#long] : [])]);
      if (answer) return answer;
    }
  }
}
