// The barrier of a cluster, which always consists of one block in this project. A phase of the
// barrier ends when all live threads have arrived.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-barrier-cluster
import { mergedReleases, nothingReleased, type Released } from './state/clocks.ts';
import { laneNames } from './state/findings.ts';
import { lowestLane } from './state/frame.ts';
import type { Block, ClusterBarrierState, ClusterBarrierWork, Op, Warp } from './state/state.ts';

export class ClusterBarrier implements ClusterBarrierState {
  /**
   * Lane masks, by warp. `arrived`: the lanes that have arrived in this phase. `#passed`: the lanes
   * whose phase is complete, but which have not yet waited for its end. `waiting`: the lanes that
   * wait for the end of this phase.
   */
  readonly arrived: Int32Array;
  readonly #passed: Int32Array;
  readonly waiting: Int32Array;
  /** The releases of the arrivals in this phase, and the releases of all complete phases. */
  #arriving: Released = nothingReleased;
  #complete: Released = nothingReleased;

  constructor(warps: number) {
    this.arrived = new Int32Array(warps);
    this.#passed = new Int32Array(warps);
    this.waiting = new Int32Array(warps);
  }

  /**
   * Executes the arrival or the wait of a cluster barrier for `lanes`, which are all at this
   * instruction.
   */
  come(warp: Warp, op: Op, work: ClusterBarrierWork, lanes: number): void {
    if (work.waits) this.#wait(warp, op, lanes);
    else this.#arrive(warp, op, lanes, work.releases);
  }

  #arrive(warp: Warp, op: Op, lanes: number, releases: boolean): void {
    const at = warp.index;
    const twice = lanes & ((this.arrived[at] ?? 0) | (this.#passed[at] ?? 0));
    if (twice !== 0) {
      const message = () =>
        `${laneNames(twice)} of warp ${at} arrive twice at the cluster's barrier without a wait in between`;
      warp.machine.log.add('RUN024', op.span, warp.place(twice), message);
    }
    this.#passed[at] = (this.#passed[at] ?? 0) & ~lanes;
    this.arrived[at] = (this.arrived[at] ?? 0) | lanes;
    const { clocks } = warp.block;
    for (let m = clocks === undefined ? 0 : lanes; m !== 0; m &= m - 1) {
      const released = clocks?.release(warp.firstThread + lowestLane(m), releases) ?? nothingReleased;
      this.#arriving = mergedReleases(this.#arriving, released);
    }
    goOn(warp, lanes);
  }

  #wait(warp: Warp, op: Op, lanes: number): void {
    const at = warp.index;
    const passed = lanes & (this.#passed[at] ?? 0);
    this.#passed[at] = (this.#passed[at] ?? 0) & ~passed;
    this.#acquire(warp, passed);
    goOn(warp, passed);
    const rest = lanes & ~passed;
    const early = rest & ~(this.arrived[at] ?? 0);
    if (early !== 0) {
      const message = () => `${laneNames(early)} of warp ${at} wait at the cluster's barrier before they arrive at it`;
      warp.machine.log.add('RUN024', op.span, warp.place(early), message);
    }
    this.waiting[at] = (this.waiting[at] ?? 0) | rest;
    warp.atBarrier |= rest;
    warp.runnable &= ~rest;
  }

  #acquire(warp: Warp, lanes: number): void {
    const { clocks } = warp.block;
    for (let m = clocks === undefined ? 0 : lanes; m !== 0; m &= m - 1)
      clocks?.acquire(warp.firstThread + lowestLane(m), this.#complete);
  }

  /** Ends the phase if all live threads have arrived. */
  complete({ warps }: Block): void {
    if (this.arrived.every((lanes) => lanes === 0)) return;
    if (!warps.every(({ index, live }) => (live & ~(this.arrived[index] ?? 0)) === 0)) return;
    this.#complete = mergedReleases(this.#complete, this.#arriving);
    this.#arriving = nothingReleased;
    for (const warp of warps) {
      const at = warp.index;
      const lanes = this.waiting[at] ?? 0;
      this.#passed[at] = (this.arrived[at] ?? 0) & ~lanes;
      this.#acquire(warp, lanes);
      goOn(warp, lanes);
      warp.atBarrier &= ~lanes;
      warp.runnable |= lanes;
    }
    this.arrived.fill(0);
    this.waiting.fill(0);
  }
}

function goOn(warp: Warp, lanes: number): void {
  for (let m = lanes; m !== 0; m &= m - 1) {
    const lane = lowestLane(m);
    warp.pc[lane] = (warp.pc[lane] ?? 0) + 1;
  }
}
