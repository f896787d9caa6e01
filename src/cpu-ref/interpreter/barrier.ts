// The sixteen barriers of a block. Threads arrive one by one (sm_70 and later), and a barrier does
// not wait for exited threads.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-bar
import { at } from '../../base/invariants.ts';
import type { Span } from '../../ptx/ast.ts';
import { resume } from './resume.ts';
import { laneNames } from './state/findings.ts';
import { type Frame, lowestLane, popcount } from './state/frame.ts';
import type { BarrierState, BarrierWork, Block, Op, Warp } from './state/state.ts';

export class Barrier implements BarrierState {
  readonly id: number;
  /**
   * Lane masks, by warp: the lanes that have arrived in this phase, and the lanes among them that
   * wait.
   */
  readonly arrived: Int32Array;
  readonly waiting: Int32Array;
  /**
   * By warp: the lanes whose last arrival is counted by mask, and the number of earlier arrivals. A
   * lane may arrive several times in a phase: with `bar.arrive`, and then at any barrier instruction.
   */
  readonly #last: Int32Array;
  readonly #earlier: Int32Array;
  /**
   * The number of threads for which the barrier waits; 0 means the whole block. The first arrival
   * sets this number.
   */
  expected = 0;
  firstSpan: Span | undefined;
  /** By warp: the instruction at which lanes of the warp arrived, for aligned barriers. */
  readonly #spans: (Span | undefined)[] = [];
  readonly #aligned: boolean[] = [];
  #trueCount = 0;
  #falseCount = 0;
  #undefinedInput = false;

  constructor(id: number, warps: number) {
    this.id = id;
    this.arrived = new Int32Array(warps);
    this.waiting = new Int32Array(warps);
    this.#last = new Int32Array(warps);
    this.#earlier = new Int32Array(warps);
  }

  get inUse(): boolean {
    return this.firstSpan !== undefined;
  }

  /** Records the arrival of one thread. Reports incorrect use of the barrier. */
  arrive(warp: Warp, op: Op, work: BarrierWork, frame: Frame, lane: number, expected: number): void {
    const { log } = warp.machine;
    const bit = 1 << lane;
    if (this.firstSpan === undefined) {
      this.firstSpan = op.span;
      this.expected = expected;
    } else if (this.expected !== expected) {
      const say = (count: number) => (count === 0 ? 'all threads' : `${count} threads`);
      const message = () => `barrier ${this.id} expects ${say(this.expected)}, but here ${say(expected)}`;
      log.add('RUN005', op.span, warp.place(bit), message, {
        labels: [{ span: this.firstSpan, text: 'first arrival' }],
      });
    }
    const again = ((this.arrived[warp.index] ?? 0) & bit) !== 0;
    const before = again ? undefined : this.#spans[warp.index];
    if (work.aligned && before !== undefined && before.start !== op.span.start) {
      log.add(
        'RUN004',
        op.span,
        warp.place(bit),
        () => `the lanes of warp ${warp.index} arrive at barrier ${this.id} at different instructions`,
        {
          labels: [{ span: before, text: 'other lanes of the warp arrive here' }],
        },
      );
    }
    this.#spans[warp.index] = before ?? op.span;
    this.#aligned[warp.index] = work.aligned;
    this.#addArrival(warp, bit);
    if (work.waits) this.waiting[warp.index] = (this.waiting[warp.index] ?? 0) | bit;
    if (work.reduction !== undefined) {
      const { predicate } = work.reduction;
      if (frame.wordOf(predicate, lane) !== 0) this.#trueCount++;
      else this.#falseCount++;
      if (((frame.undefinedIn[predicate.place.taint] ?? 0) & bit) !== 0) this.#undefinedInput = true;
    }
  }

  /**
   * Whether all expected threads have arrived. A warp whose live lanes have all arrived counts as
   * 32 threads, as in hardware.
   */
  complete(warps: readonly Warp[]): boolean {
    if (!this.inUse) return false;
    if (this.expected === 0) return warps.every((warp) => (warp.live & ~(this.arrived[warp.index] ?? 0)) === 0);
    return this.count(warps) >= this.expected;
  }

  count(warps: readonly Warp[]): number {
    return warps.reduce((total, warp) => total + this.#countOf(warp), 0);
  }

  #countOf(warp: Warp): number {
    const last = at(this.#last, warp.index, 'the arrivals of a warp');
    const threads = last !== 0 && (warp.live & ~last) === 0 ? 32 : popcount(last);
    return at(this.#earlier, warp.index, 'the arrivals of a warp') + threads;
  }

  #addArrival(warp: Warp, bit: number): void {
    const { index } = warp;
    if ((at(this.#last, index, 'the arrivals of a warp') & bit) !== 0) {
      this.#earlier[index] = this.#countOf(warp);
      this.#last[index] = 0;
    }
    this.#last[index] = at(this.#last, index, 'the arrivals of a warp') | bit;
    this.arrived[index] = at(this.arrived, index, 'the lanes of a warp') | bit;
  }

  /** Resumes the waiting threads, and resets the barrier for its next use. */
  release(block: Block): void {
    const and = this.#falseCount === 0 ? 1 : 0;
    const results = { popc: this.#trueCount, and, or: this.#trueCount > 0 ? 1 : 0 };
    for (const warp of block.warps) {
      this.#checkAligned(warp);
      const lanes = this.waiting[warp.index] ?? 0;
      for (let m = lanes; m !== 0; m &= m - 1) {
        const lane = lowestLane(m);
        const { work } = warp.opOf(lane);
        if (work.kind === 'barrier' && work.barrier.reduction !== undefined) {
          const { op, destination } = work.barrier.reduction;
          const frame = warp.frameOf(lane);
          if (destination !== undefined) frame.writeWord(destination, lane, results[op]);
          frame.mark(destination, 1 << lane, this.#undefinedInput ? -1 : 0);
        }
      }
      resume(warp, lanes);
    }
    block.clocks?.barrier(this.arrived, this.waiting, this.expected === 0);
    this.arrived.fill(0);
    this.waiting.fill(0);
    this.#last.fill(0);
    this.#earlier.fill(0);
    this.firstSpan = undefined;
    this.#spans.length = 0;
    this.#trueCount = 0;
    this.#falseCount = 0;
    this.#undefinedInput = false;
  }

  #checkAligned(warp: Warp): void {
    const span = this.#spans[warp.index];
    const missing = warp.live & ~(this.arrived[warp.index] ?? 0);
    if (span === undefined || missing === 0 || this.#aligned[warp.index] !== true) return;
    warp.machine.log.add('RUN004', span, warp.place(missing), () => {
      return `barrier ${this.id} completes without ${laneNames(missing)} of warp ${warp.index}, whose other lanes have arrived`;
    });
  }
}
