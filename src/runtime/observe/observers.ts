// The observers of a runtime's launches: captures, and the sanitizer.

import type { Engine } from '../device/engine.ts';
import type { LaunchObserver } from '../launch-request.ts';
import type { DeviceMemory } from '../memory/device-memory.ts';
import { Capture, type CaptureOptions } from './capture.ts';
import type { SanitizeOptions, SanitizerReport } from './reports.ts';
import type { Sanitizer } from './sanitizer.ts';
import { SnapshotTaker } from './snapshot.ts';

export class Observers {
  readonly #engine: Engine;
  readonly #taker: SnapshotTaker;
  readonly #observers: Set<LaunchObserver>;
  readonly #isFast: boolean;
  #sanitizer: Sanitizer | undefined;

  /** `isFast`: whether f32 arithmetic is the adapter's own. */
  constructor(engine: Engine, memory: DeviceMemory, observers: Set<LaunchObserver>, isFast: boolean) {
    this.#engine = engine;
    this.#taker = new SnapshotTaker(memory, engine.readback);
    this.#observers = observers;
    this.#isFast = isFast;
  }

  /** Loads the reference, and checks each following launch with it. */
  async sanitize(options: SanitizeOptions): Promise<void> {
    const { Sanitizer } = await import('./sanitizer.ts');
    const sanitizer = new Sanitizer(this.#taker, options);
    this.#observers.add((request) => sanitizer.observe(request));
    this.#sanitizer = sanitizer;
  }

  /**
   * Resolves with the reports of the sanitizer, after it has checked all launches so far. Rejects
   * with RangeError if the runtime has no sanitizer.
   */
  async sanitized(): Promise<readonly SanitizerReport[]> {
    if (!this.#sanitizer) throw new RangeError('the runtime was opened without `sanitize`');
    return await this.#engine.faults.settle(this.#sanitizer.finished());
  }

  /** Starts a capture. Throws TypeError for an invalid limit. */
  capture(options: CaptureOptions): Capture {
    const observe: LaunchObserver = (request) => capture.observe(request);
    const host = {
      taker: this.#taker,
      isFast: this.#isFast,
      settle: <T>(work: Promise<T>) => this.#engine.faults.settle(work),
      stop: () => this.#observers.delete(observe),
    };
    const capture = new Capture(host, options);
    this.#observers.add(observe);
    return capture;
  }
}
