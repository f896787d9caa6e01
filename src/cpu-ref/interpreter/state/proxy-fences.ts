// The fences between the generic proxy and the async proxy. Stores of threads use the generic proxy.
// Bulk copies and products of warpgroups access memory through the async proxy, and see a store only
// if a fence.proxy.async is ordered after the store and before them.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#proxies
import type { BlockClocks, Moment } from './clocks.ts';

/** A fence, and the accesses of its block that are ordered before it. */
interface ProxyFence {
  readonly moment: Moment;
  /** The clock of each thread up to which the fence is ordered after this thread, in its epoch. */
  readonly row: Uint32Array;
}

/**
 * The stores that async accesses of a thread see: all stores in epochs before `epoch`, and, in
 * `epoch`, the stores of each thread up to its clock in `row`.
 */
interface Frontier {
  readonly epoch: number;
  readonly row: Uint32Array;
}

/** The number of fences of a thread that are kept. The last ones may not be ordered before a reader. */
const mostFences = 16;

export class ProxyFences {
  readonly #clocks: BlockClocks;
  readonly #fences = new Map<number, ProxyFence[]>();

  constructor(clocks: BlockClocks) {
    this.#clocks = clocks;
  }

  /** Records a fence of a thread. */
  add(thread: number): void {
    const clocks = this.#clocks;
    const moment = { block: clocks, thread, epoch: clocks.epoch, clock: clocks.clockOf(thread) };
    const own = this.#fences.get(thread) ?? [];
    own.push({ moment, row: clocks.rowOf(thread) });
    if (own.length > mostFences) own.shift();
    this.#fences.set(thread, own);
  }

  /** Returns a test for the stores that async accesses of a thread see now. */
  seenBy(thread: number): (store: Moment) => boolean {
    const frontier = this.#frontier(thread);
    return ({ epoch, clock, thread: writer }) =>
      frontier !== undefined &&
      (epoch < frontier.epoch || (epoch === frontier.epoch && clock <= (frontier.row[writer] ?? 0)));
  }

  #frontier(thread: number): Frontier | undefined {
    let found: Frontier | undefined;
    for (const { moment, row } of [...this.#fences.values()].flat()) {
      if (!this.#clocks.after(moment, thread) || (found !== undefined && moment.epoch < found.epoch)) continue;
      const known = found?.epoch === moment.epoch ? found.row : undefined;
      found = { epoch: moment.epoch, row: row.map((clock, u) => Math.max(clock, known?.[u] ?? 0)) };
    }
    return found;
  }
}
