// Looks for races on shared memory: two threads access the same byte, one of them writes, and no barrier or warp synchronization orders them.
// Each thread has a clock, and knows of every other thread's clock what the barriers they shared have told it.

import type { Span } from '../../ptx/ast.ts';
import type { Access } from './access.ts';
import { lowestLane, popcount } from './frame.ts';

/// The earlier access of a race.
export interface Race {
  readonly thread: number;
  readonly span: Span;
  readonly verb: Access['verb'];
}

interface PastAccess extends Race {
  readonly clock: number;
  readonly strong: boolean;
}

interface ByteHistory {
  epoch: number;
  write: PastAccess | undefined;
  /// The latest read of each thread since the last write.
  reads: Map<number, PastAccess>;
}

export class RaceDetector {
  readonly #threads: number;
  /// Counts whole-block barriers: what happened before the last one is ordered before all that follows.
  #epoch = 0;
  /// `#known[t * threads + u]`: the clock of `u` up to which `t` is ordered after it. A thread's own clock is at `[t, t]`.
  #known: Uint32Array;
  readonly #bytes = new Map<number, ByteHistory>();

  constructor(threads: number) {
    this.#threads = threads;
    this.#known = new Uint32Array(threads * threads);
    this.#startClocks();
  }

  #startClocks(): void {
    this.#known.fill(0);
    for (let t = 0; t < this.#threads; t++) this.#known[t * this.#threads + t] = 1;
  }

  #ordered(past: PastAccess, thread: number): boolean {
    return past.thread === thread || past.clock <= (this.#known[thread * this.#threads + past.thread] ?? 0);
  }

  /// Notes an access of shared memory; gives the earlier access that it races with, if there is one.
  access(thread: number, access: Access, offset: number): Race | undefined {
    const now: PastAccess = {
      thread,
      clock: this.#known[thread * this.#threads + thread] ?? 0,
      span: access.span,
      verb: access.verb,
      strong: access.strong,
    };
    let race: Race | undefined;
    for (let at = offset; at < offset + access.bytes; at++) {
      let history = this.#bytes.get(at);
      if (history === undefined || history.epoch !== this.#epoch) {
        history = { epoch: this.#epoch, write: undefined, reads: new Map() };
        this.#bytes.set(at, history);
      }
      race ??= this.#conflict(history, now);
      if (access.verb === 'load') {
        history.reads.set(thread, now);
      } else {
        history.write = now;
        history.reads.clear();
      }
    }
    return race;
  }

  #conflict({ write, reads }: ByteHistory, now: PastAccess): Race | undefined {
    const races = (past: PastAccess) => !(past.strong && now.strong) && !this.#ordered(past, now.thread);
    if (write !== undefined && races(write)) return write;
    if (now.verb === 'load') return undefined;
    for (const read of reads.values()) if (races(read)) return read;
    return undefined;
  }

  /// Threads `first + lane` synchronize with each other.
  joinThreads(first: number, lanes: number): void {
    const threads: number[] = [];
    for (let m = lanes; m !== 0; m &= m - 1) threads.push(first + lowestLane(m));
    if (threads.length > 1) this.#join(threads, threads);
  }

  /// A barrier completes: those who waited are ordered after all who arrived.
  barrier(arrived: Int32Array, waiting: Int32Array, wholeBlock: boolean): void {
    const list = (masks: Int32Array) => {
      const threads: number[] = [];
      for (const [warp, mask] of masks.entries()) {
        for (let m = mask; m !== 0; m &= m - 1) threads.push(warp * 32 + lowestLane(m));
      }
      return threads;
    };
    const everyoneWaits = waiting.every((mask, warp) => popcount(mask) === popcount(arrived[warp] ?? 0));
    if (wholeBlock && everyoneWaits) {
      this.#epoch++;
      this.#startClocks();
    } else this.#join(list(arrived), list(waiting));
  }

  #join(from: readonly number[], to: readonly number[]): void {
    const n = this.#threads;
    const joined = new Uint32Array(n);
    for (const thread of from) {
      for (let u = 0; u < n; u++) joined[u] = Math.max(joined[u] ?? 0, this.#known[thread * n + u] ?? 0);
    }
    for (const thread of to) this.#known.set(joined, thread * n);
    for (const thread of new Set([...from, ...to])) {
      const own = thread * n + thread;
      this.#known[own] = Math.max(this.#known[own] ?? 0, joined[thread] ?? 0) + 1;
    }
  }
}
