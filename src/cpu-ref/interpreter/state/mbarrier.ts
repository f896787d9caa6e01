// An mbarrier object. A phase completes when all expected arrivals and bytes have arrived.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-mbarrier
import { mergedReleases, nothingReleased, type Released } from './clocks.ts';

/** The maximum number of arrivals, and of bytes, that an mbarrier can count. */
export const mostArrivals = 2 ** 20 - 1;

/**
 * An asynchronous copy, or an arrival after copies, that is in progress. It completes when a thread
 * tests the phase, because programs cannot observe a later completion.
 */
export interface OnItsWay {
  readonly finish: () => void;
}

export class Mbarrier {
  /**
   * The number of arrivals that each later phase expects, and the number of arrivals that this
   * phase still expects.
   */
  #expected: number;
  #pending: number;
  /**
   * The number of bytes that this phase still expects; negative if more bytes have arrived than
   * were expected.
   */
  #bytes = 0;
  #phase = 0;
  /** The releases of the arrivals in this phase, and the releases of all complete phases. */
  #arriving: Released = nothingReleased;
  #complete: Released = nothingReleased;
  #onItsWay: OnItsWay[] = [];

  constructor(expected: number) {
    this.#expected = expected;
    this.#pending = expected;
  }

  get phase(): number {
    return this.#phase;
  }

  get pending(): number {
    return this.#pending;
  }

  /** The releases that are ordered before a thread that observes a complete phase. */
  get released(): Released {
    return this.#complete;
  }

  /** Records arrivals. Returns false if the phase expects fewer arrivals. */
  arrive(count: number, released: Released): boolean {
    this.#arriving = mergedReleases(this.#arriving, released);
    if (count > this.#pending) return false;
    this.#pending -= count;
    this.#settle();
    return true;
  }

  /** Reduces the number of arrivals that later phases expect. */
  drop(count: number): void {
    this.#expected = Math.max(0, this.#expected - count);
  }

  /** Adds an expected arrival to this phase only. */
  expectArrival(): void {
    this.#pending++;
  }

  /**
   * Increases the number of expected bytes. A negative count records the arrival of bytes. Returns
   * false if the count exceeds the limit of an mbarrier.
   */
  expectBytes(count: number, released: Released = nothingReleased): boolean {
    this.#arriving = mergedReleases(this.#arriving, released);
    this.#bytes += count;
    this.#settle();
    return Math.abs(this.#bytes) <= mostArrivals;
  }

  #settle(): void {
    if (this.#pending > 0 || this.#bytes !== 0) return;
    this.#phase++;
    this.#pending = this.#expected;
    this.#complete = mergedReleases(this.#complete, this.#arriving);
    this.#arriving = nothingReleased;
  }

  later(work: OnItsWay): void {
    this.#onItsWay.push(work);
  }

  /** Completes all copies and arrivals in progress, because a thread tests the phase. */
  catchUp(): void {
    const work = this.#onItsWay;
    if (work.length === 0) return;
    this.#onItsWay = [];
    for (const { finish } of work) finish();
  }
}
