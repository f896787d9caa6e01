// What the threads of a block know of each other, and of other blocks: which accesses lie before what they do now.
//
// Each thread has a clock. Barriers tell threads of their block each other's clocks. Across blocks, and within one where no barrier is, a
// fence followed by an atomic or a volatile store releases what the thread knows, and whoever reads that location strongly acquires it.
// PTX asks the reader for a fence, too; that one is not demanded here, so that code which merely leaves it out is not called a race.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#memory-consistency-model
import { lowestLane, popcount } from './frame.ts';

/** When a thread did something: its block's clocks, the barriers of the whole block before it, and the thread's own clock. */
export interface Moment {
  readonly block: BlockClocks;
  /** In the block. */
  readonly thread: number;
  readonly epoch: number;
  readonly clock: number;
}

/** Accesses of a block that somebody is ordered after: all before an epoch, and in that epoch, of each thread, those up to a clock. */
interface Knowledge {
  readonly epoch: number;
  readonly row: Uint32Array | undefined;
}

type Known = ReadonlyMap<BlockClocks, Knowledge>;

/** What was released at a location: to all, and to threads of the releasing block alone, where a fence of the block is enough. */
export interface Released {
  readonly far: Known;
  readonly near: Known;
}

const nobody: Known = new Map();
export const nothingReleased: Released = { far: nobody, near: nobody };

function mergedRow(a: Uint32Array | undefined, b: Uint32Array | undefined): Uint32Array | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a.map((clock, thread) => Math.max(clock, b[thread] ?? 0));
}

function mergedKnown(a: Known, b: Known): Known {
  if (a.size === 0 || a === b) return b;
  if (b.size === 0) return a;
  const merged = new Map(a);
  for (const [block, known] of b) {
    const other = merged.get(block);
    if (other === undefined || known.epoch > other.epoch) merged.set(block, known);
    else if (known.epoch === other.epoch) {
      merged.set(block, { epoch: known.epoch, row: mergedRow(known.row, other.row) });
    }
  }
  return merged;
}

/** All that either has. */
export function mergedReleases(a: Released, b: Released): Released {
  if (a === nothingReleased) return b;
  if (b === nothingReleased) return a;
  return { far: mergedKnown(a.far, b.far), near: mergedKnown(a.near, b.near) };
}

type Fence = Pick<Moment, 'epoch' | 'clock'>;

export class BlockClocks {
  /** Position in the grid, for messages. */
  readonly position: readonly [number, number, number];
  readonly #threads: number;
  /** Counts whole-block barriers: what happened before the last one is ordered before all that follows. */
  #epoch = 0;
  /**
   * `#known[t * threads + u]`: the clock of `u` up to which `t` is ordered after it in this epoch; a thread's own clock is at `[t, t]`.
   * Absent while each thread knows only of itself, and its clock is 1.
   */
  #known: Uint32Array | undefined;
  /** What each thread has acquired of other blocks. */
  readonly #acquired: Known[];
  /** What each thread acquired last, while it has known no less since: a thread that polls acquires the same each time. */
  readonly #latest: (Released | undefined)[] = [];
  /** What each thread has seen since its last fence. */
  readonly #seen: (Released | undefined)[] = [];
  /** The last fence of each thread, and the last that reaches beyond the block. */
  readonly #fences: (Fence | undefined)[] = [];
  readonly #wideFences: (Fence | undefined)[] = [];
  /** 1 for each thread that has accessed memory by strong stores and atomics only since its last fence. */
  readonly #publishing: Uint8Array;
  /** A fence came before the barrier that began this epoch: any thread may release what lies before it. */
  #releasedEpoch = 0;
  #fencedInEpoch = false;

  constructor(threads: number, position: readonly [number, number, number]) {
    this.#threads = threads;
    this.position = position;
    this.#acquired = new Array<Known>(threads).fill(nobody);
    this.#publishing = new Uint8Array(threads);
  }

  #matrix(): Uint32Array {
    if (this.#known !== undefined) return this.#known;
    const n = this.#threads;
    const known = new Uint32Array(n * n);
    for (let t = 0; t < n; t++) known[t * n + t] = 1;
    this.#known = known;
    return known;
  }

  #clock(thread: number, of: number): number {
    return this.#known === undefined ? Number(thread === of) : (this.#known[thread * this.#threads + of] ?? 0);
  }

  /** With a thread's own clock, when it does what it does now. */
  get epoch(): number {
    return this.#epoch;
  }

  clockOf(thread: number): number {
    return this.#clock(thread, thread);
  }

  /** Whether a thread of this block is ordered after a moment, of this block or another. */
  after(past: Moment, thread: number): boolean {
    if (past.block === this) {
      return past.thread === thread || past.epoch < this.#epoch || past.clock <= this.#clock(thread, past.thread);
    }
    const known = this.#acquired[thread]?.get(past.block);
    if (known === undefined) return false;
    return past.epoch < known.epoch || (past.epoch === known.epoch && past.clock <= (known.row?.[past.thread] ?? 0));
  }

  /** A thread executes a fence; a narrow one is for its block only (`membar.cta`). What it has seen without acquiring it, it acquires now. */
  fence(thread: number, narrow: boolean): void {
    const seen = this.#seen[thread];
    if (seen !== undefined) this.acquire(thread, seen);
    this.#seen[thread] = undefined;
    this.#mark(thread, narrow);
    this.#publishing[thread] = 1;
  }

  /** Notes an access of a thread. Whether it publishes what lies before the thread's last fence and no more than that. */
  publishes(thread: number, writesStrongly: boolean): boolean {
    if (!writesStrongly) this.#publishing[thread] = 0;
    return this.#publishing[thread] === 1;
  }

  /** A relaxed look at what others released: a fence behind it acquires that. */
  see(thread: number, released: Released): void {
    this.#seen[thread] = mergedReleases(this.#seen[thread] ?? nothingReleased, released);
  }

  /** What lies before now a thread may release from now on. */
  #mark(thread: number, narrow: boolean): void {
    const own = thread * this.#threads + thread;
    const known = this.#matrix();
    const clock = known[own] ?? 0;
    const fence = { epoch: this.#epoch, clock };
    this.#fences[thread] = fence;
    known[own] = clock + 1;
    if (narrow) return;
    this.#wideFences[thread] = fence;
    this.#fencedInEpoch = true;
  }

  /** What a strong write of a thread releases: what lay before its last fence, or before now where the write itself releases. */
  release(thread: number, releases: boolean): Released {
    if (releases) this.#mark(thread, false);
    else if (this.#publishing[thread] === 1) this.#includeNow(thread);
    const fence = this.#fences[thread];
    const wide = this.#wideFences[thread];
    if (fence === undefined && this.#releasedEpoch === 0) return nothingReleased;
    const near = new Map([[this, { epoch: this.#epoch, row: this.#row(thread, fence) }]]);
    if (wide === undefined && this.#releasedEpoch === 0) return { far: nobody, near };
    const epoch = Math.max(this.#releasedEpoch, wide?.epoch ?? 0);
    const own = new Map([[this, { epoch, row: this.#row(thread, wide) }]]);
    return { far: mergedKnown(this.#acquired[thread] ?? nobody, own), near };
  }

  /** A thread that reads a flag is ordered after the write of the flag, too, and not only after what the fence before the write orders. */
  #includeNow(thread: number): void {
    const fence = this.#fences[thread];
    if (fence?.epoch !== this.#epoch) return;
    const own = thread * this.#threads + thread;
    const known = this.#matrix();
    const clock = known[own] ?? 0;
    const moved = { epoch: this.#epoch, clock };
    if (this.#wideFences[thread] === fence) this.#wideFences[thread] = moved;
    this.#fences[thread] = moved;
    known[own] = clock + 1;
  }

  /** The clocks that a thread knew at a fence of this epoch. */
  #row(thread: number, fence: Fence | undefined): Uint32Array | undefined {
    if (fence?.epoch !== this.#epoch) return undefined;
    const start = thread * this.#threads;
    const row = this.#matrix().slice(start, start + this.#threads);
    row[thread] = fence.clock;
    return row;
  }

  /** A thread reads strongly what others released. */
  acquire(thread: number, released: Released): void {
    if (this.#latest[thread] === released) return;
    this.#latest[thread] = released;
    const own = released.near.get(this);
    if (own?.row !== undefined && own.epoch === this.#epoch) {
      const known = this.#matrix();
      const start = thread * this.#threads;
      for (const [u, clock] of own.row.entries()) known[start + u] = Math.max(known[start + u] ?? 0, clock);
    }
    this.#acquired[thread] = mergedKnown(this.#acquired[thread] ?? nobody, released.far);
  }

  /** Threads `first + lane` synchronize with each other. */
  joinThreads(first: number, lanes: number): void {
    const threads: number[] = [];
    for (let m = lanes; m !== 0; m &= m - 1) threads.push(first + lowestLane(m));
    if (threads.length > 1) this.#join(threads, threads);
  }

  /** A barrier completes: those who waited are ordered after all who arrived. */
  barrier(arrived: Int32Array, waiting: Int32Array, wholeBlock: boolean): void {
    const list = (masks: Int32Array) => {
      const threads: number[] = [];
      for (const [warp, mask] of masks.entries()) {
        for (let m = mask; m !== 0; m &= m - 1) threads.push(warp * 32 + lowestLane(m));
      }
      return threads;
    };
    const everyoneWaits = waiting.every((mask, warp) => popcount(mask) === popcount(arrived[warp] ?? 0));
    if (!wholeBlock || !everyoneWaits) {
      this.#join(list(arrived), list(waiting));
      return;
    }
    this.#epoch++;
    if (this.#fencedInEpoch) this.#releasedEpoch = this.#epoch;
    this.#fencedInEpoch = false;
    this.#known = undefined;
    this.#share(list(arrived), list(arrived));
  }

  #join(from: readonly number[], to: readonly number[]): void {
    const n = this.#threads;
    const known = this.#matrix();
    const joined = new Uint32Array(n);
    for (const thread of from) {
      for (let u = 0; u < n; u++) joined[u] = Math.max(joined[u] ?? 0, known[thread * n + u] ?? 0);
    }
    for (const thread of to) known.set(joined, thread * n);
    for (const thread of new Set([...from, ...to])) {
      const own = thread * n + thread;
      known[own] = Math.max(known[own] ?? 0, joined[thread] ?? 0) + 1;
    }
    this.#share(from, to);
  }

  /** What `from` have acquired, `to` have now, too. */
  #share(from: readonly number[], to: readonly number[]): void {
    for (const thread of to) this.#latest[thread] = undefined;
    let all = nobody;
    for (const thread of from) all = mergedKnown(all, this.#acquired[thread] ?? nobody);
    if (all.size === 0) return;
    for (const thread of to) this.#acquired[thread] = all;
  }
}
