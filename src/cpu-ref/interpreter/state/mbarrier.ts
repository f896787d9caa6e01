// One mbarrier object: phases that complete when all expected arrivals and bytes have come.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-mbarrier
import { mergedReleases, nothingReleased, type Released } from './clocks.ts';

/** Most that an mbarrier counts. */
export const mostArrivals = 2 ** 20 - 1;

/** A copy, or an arrival behind copies, that is on its way. It is done when somebody looks whether the phase is complete: as late as one can be seen. */
export interface OnItsWay {
  readonly finish: () => void;
}

export class Mbarrier {
  /** Arrivals that each phase from the next on expects, and that this one still does. */
  #expected: number;
  #pending: number;
  /** Bytes that this phase still expects; below zero where more have come than were announced. */
  #bytes = 0;
  #phase = 0;
  /** What this phase's arrivals release, and what those of complete phases did. */
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

  /** What a thread that sees a complete phase comes after. */
  get released(): Released {
    return this.#complete;
  }

  /** Returns false where there are not so many arrivals left in the phase. */
  arrive(count: number, released: Released): boolean {
    this.#arriving = mergedReleases(this.#arriving, released);
    if (count > this.#pending) return false;
    this.#pending -= count;
    this.#settle();
    return true;
  }

  /** The phases from the next on expect fewer arrivals. */
  drop(count: number): void {
    this.#expected = Math.max(0, this.#expected - count);
  }

  /** This phase expects more arrivals than all others. */
  expectArrival(): void {
    this.#pending++;
  }

  /** Returns false where the bytes are more than an mbarrier counts. */
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

  /** Somebody looks: what was on its way is there. */
  catchUp(): void {
    const work = this.#onItsWay;
    if (work.length === 0) return;
    this.#onItsWay = [];
    for (const { finish } of work) finish();
  }
}
