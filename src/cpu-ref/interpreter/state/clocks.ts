// Vector clocks: which earlier accesses are ordered before the next access of each thread of a
// block.
//
// Each thread has a clock. A barrier merges the clocks of its threads. Without a barrier, and
// across blocks, a fence followed by an atomic or a volatile store releases the thread's knowledge.
// A thread that reads the location with a strong access acquires this knowledge. PTX also requires
// a fence in the reading thread. The detector does not require this fence, so it does not report a
// race in code that omits only this fence.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#memory-consistency-model
import { at } from '../../../base/invariants.ts';
import { lowestLane, popcount } from './frame.ts';

/**
 * The time of an access: its block's clocks, the number of whole-block barriers before it, and the
 * thread's own clock.
 */
export interface Moment {
  readonly block: BlockClocks;
  /** The index of the thread in its block. */
  readonly thread: number;
  readonly epoch: number;
  readonly clock: number;
}

/**
 * The accesses of a block that are ordered before a thread: all accesses in epochs before `epoch`,
 * and, in `epoch`, the accesses of each thread up to its clock in `row`.
 */
interface Knowledge {
  readonly epoch: number;
  readonly row: Uint32Array | undefined;
}

type Known = ReadonlyMap<BlockClocks, Knowledge>;

/**
 * The knowledge released at a location: `far` to all threads, and `near` to threads of the
 * releasing block, for which a fence of the block suffices.
 */
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

/** Returns the union of two releases. */
export function mergedReleases(a: Released, b: Released): Released {
  if (a === nothingReleased) return b;
  if (b === nothingReleased) return a;
  return { far: mergedKnown(a.far, b.far), near: mergedKnown(a.near, b.near) };
}

type Fence = Pick<Moment, 'epoch' | 'clock'>;

export class BlockClocks {
  /** The block's position in the grid, for messages. */
  readonly position: readonly [number, number, number];
  readonly #threads: number;
  /**
   * The number of whole-block barriers so far. All accesses before the last such barrier are
   * ordered before all accesses after it.
   */
  #epoch = 0;
  /**
   * `#known[t * threads + u]`: the clock of `u` up to which thread `t` is ordered after `u`, in
   * this epoch. `[t, t]` is the thread's own clock. Undefined while each thread knows only its own
   * accesses and all clocks are 1.
   */
  #known: Uint32Array | undefined;
  /** The knowledge about other blocks that each thread has acquired. */
  readonly #acquired: Known[];
  /**
   * The last release that each thread acquired, if the thread's knowledge still includes it. A
   * thread that polls acquires the same release each time.
   */
  readonly #latest: (Released | undefined)[] = [];
  /** The releases that each thread has read with relaxed accesses since its last fence. */
  readonly #seen: (Released | undefined)[] = [];
  /**
   * The last fence of each thread, and the last fence of each thread whose scope is wider than the
   * block.
   */
  readonly #fences: (Fence | undefined)[] = [];
  readonly #wideFences: (Fence | undefined)[] = [];
  /** 1 for each thread whose accesses since its last fence are all strong stores and atomics. */
  readonly #publishing: Uint8Array;
  /**
   * The last epoch whose initial barrier followed a fence. Any thread may release all accesses
   * before that epoch.
   */
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

  /**
   * The current epoch. Together with a thread's clock, it is the time of the thread's current
   * access.
   */
  get epoch(): number {
    return this.#epoch;
  }

  clockOf(thread: number): number {
    return this.#clock(thread, thread);
  }

  /** Returns the clocks of the threads of the block up to which a thread is ordered after them. */
  rowOf(thread: number): Uint32Array {
    const start = thread * this.#threads;
    return this.#matrix().slice(start, start + this.#threads);
  }

  /**
   * Whether a thread of this block is ordered after a moment, which may belong to another block.
   */
  after(past: Moment, thread: number): boolean {
    if (past.block === this) {
      return past.thread === thread || past.epoch < this.#epoch || past.clock <= this.#clock(thread, past.thread);
    }
    const known = this.#acquired[thread]?.get(past.block);
    if (known === undefined) return false;
    return past.epoch < known.epoch || (past.epoch === known.epoch && past.clock <= (known.row?.[past.thread] ?? 0));
  }

  /**
   * Executes a fence, which acquires the releases that the thread has read with relaxed accesses. A
   * `narrow` fence affects only the block (`membar.cta`).
   */
  fence(thread: number, narrow: boolean): void {
    const seen = this.#seen[thread];
    if (seen !== undefined) this.acquire(thread, seen);
    this.#seen[thread] = undefined;
    this.#mark(thread, narrow);
    this.#publishing[thread] = 1;
  }

  /**
   * Records an access of a thread. Returns whether the access publishes exactly the accesses before
   * the thread's last fence.
   */
  publishes(thread: number, writesStrongly: boolean): boolean {
    if (!writesStrongly) this.#publishing[thread] = 0;
    return this.#publishing[thread] === 1;
  }

  /**
   * Records that a thread has read a release with a relaxed access. The thread's next fence
   * acquires the release.
   */
  see(thread: number, released: Released): void {
    this.#seen[thread] = mergedReleases(this.#seen[thread] ?? nothingReleased, released);
  }

  /**
   * Records a fence at this moment: later writes of the thread may release all accesses before it.
   */
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

  /**
   * Returns the knowledge that a strong write releases: the accesses before the thread's last
   * fence, or all accesses before the write if the write itself `releases`.
   */
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

  /**
   * Moves the thread's last fence to the current moment. A thread that reads a flag is thus also
   * ordered after the write of the flag.
   */
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

  /** Returns the clocks that a thread knew at a fence of this epoch. */
  #row(thread: number, fence: Fence | undefined): Uint32Array | undefined {
    if (fence?.epoch !== this.#epoch) return undefined;
    const start = thread * this.#threads;
    const row = this.#matrix().slice(start, start + this.#threads);
    row[thread] = fence.clock;
    return row;
  }

  /** Adds a release to the knowledge of a thread that has read it by a strong access. */
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

  /** Synchronizes the threads `first + lane` with each other. */
  joinThreads(first: number, lanes: number): void {
    const threads: number[] = [];
    for (let m = lanes; m !== 0; m &= m - 1) threads.push(first + lowestLane(m));
    if (threads.length > 1) this.#join(threads, threads);
  }

  /** Orders the threads `to` after the accesses of the threads `from`, but not after what those know. */
  orderOwn(from: readonly number[], to: readonly number[]): void {
    const n = this.#threads;
    const known = this.#matrix();
    for (const thread of from) {
      const clock = at(known, thread * n + thread, 'the clock of a thread');
      for (const other of to) {
        const before = at(known, other * n + thread, 'a known clock');
        known[other * n + thread] = Math.max(before, clock);
      }
      known[thread * n + thread] = clock + 1;
    }
  }

  /** Completes a barrier: the threads that waited are ordered after all threads that arrived. */
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

  /**
   * Adds all knowledge that the threads `from` have acquired to the knowledge of the threads `to`.
   */
  #share(from: readonly number[], to: readonly number[]): void {
    for (const thread of to) this.#latest[thread] = undefined;
    let all = nobody;
    for (const thread of from) all = mergedKnown(all, this.#acquired[thread] ?? nobody);
    if (all.size === 0) return;
    for (const thread of to) this.#acquired[thread] = all;
  }
}
