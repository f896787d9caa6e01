// Records launches with the memory before and after them, for case files.

import type { LaunchRequest } from '../launch-request.ts';
import type { Captured, CapturedLaunch, SkippedLaunch } from './captured-case.ts';
import { maxSnapshotBytes, type SnapshotTaker, Unrecordable } from './snapshot.ts';

/** Options of `Runtime.capture`. */
export interface CaptureOptions {
  /** The kernels whose launches are captured. The default is all. */
  readonly kernels?: readonly string[];
  /** The maximum number of recorded launches. The default is 16. */
  readonly limit?: number;
}

/** The parts of the runtime that a capture uses. */
export interface CaptureHost {
  readonly taker: SnapshotTaker;
  /** Whether shaders use the adapter's own f32 arithmetic. */
  readonly isFast: boolean;
  /** Waits for work on the device. */
  settle<T>(work: Promise<T>): Promise<T>;
  /** Stops the observation of launches. */
  stop(): void;
}

/** Launches that are being recorded as cases. `Runtime.capture` starts a capture. */
export class Capture {
  readonly #host: CaptureHost;
  readonly #kernels: readonly string[] | undefined;
  readonly #limit: number;
  readonly #launches: CapturedLaunch[] = [];
  readonly #skipped: SkippedLaunch[] = [];
  #bytes = 0;
  #count = 0;
  #ended: Promise<Captured> | undefined;

  /** @internal */
  constructor(host: CaptureHost, { kernels, limit = 16 }: CaptureOptions) {
    if (!Number.isSafeInteger(limit) || limit < 1)
      throw new TypeError(`invalid limit ${limit}: expected a positive number of launches`);
    this.#host = host;
    this.#kernels = kernels;
    this.#limit = limit;
  }

  /** The number of launches recorded so far. */
  get launches(): number {
    return this.#launches.length;
  }

  /**
   * Copies the memory of a launch before the launch runs. Returns a function that copies it again
   * afterwards, or undefined if the launch is not recorded.
   * @internal
   */
  observe(request: LaunchRequest): (() => void) | undefined {
    const { name } = request.facts.entry;
    if (this.#kernels?.includes(name) === false || this.#launches.length === this.#limit) return undefined;
    const launch = ++this.#count;
    const { taker } = this.#host;
    try {
      const snapshot = taker.take(request, maxSnapshotBytes - this.#bytes);
      // The capture holds two copies of the memory: before and after the launch.
      this.#bytes += 2 * snapshot.bytes;
      const pointers = snapshot.args.flatMap((argument) => (argument.kind === 'pointer' ? [argument.allocation] : []));
      return () => {
        const after = taker.read([...new Set(pointers)]);
        this.#launches.push({ number: launch, snapshot, after });
      };
    } catch (error) {
      if (!(error instanceof Unrecordable)) throw error;
      this.#skipped.push({ kernel: name, launch, reason: error.message });
      return undefined;
    }
  }

  /**
   * Stops recording, and resolves with the cases. Rejects with the first device error. A second
   * call resolves with the same cases.
   */
  end(): Promise<Captured> {
    this.#host.stop();
    this.#ended ??= this.#made();
    return this.#ended;
  }

  /** Stops recording, and discards the cases. */
  [Symbol.dispose](): void {
    this.#host.stop();
  }

  async #made(): Promise<Captured> {
    const { settle, isFast } = this.#host;
    const { casesOf } = await import('./captured-case.ts');
    const { cases, skipped } = await settle(casesOf(this.#launches, isFast));
    return { cases, skipped: [...this.#skipped, ...skipped].sort((a, b) => a.launch - b.launch) };
  }
}
