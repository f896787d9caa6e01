// The barrier of a cluster. A phase of the barrier ends when all live threads of all blocks have
// arrived.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-barrier-cluster
import { at } from '../../base/invariants.ts';
import { goOn, resume } from './resume.ts';
import { mergedReleases, nothingReleased, type Released } from './state/clocks.ts';
import { laneNames } from './state/findings.ts';
import { lowestLane } from './state/frame.ts';
import type { Block, ClusterBarrierState, ClusterBarrierWork, Op, Warp } from './state/state.ts';

export class ClusterBarrier implements ClusterBarrierState {
  /**
   * Lane masks, by block and by warp. `arrived`: the lanes that have arrived in this phase.
   * `#passed`: the lanes whose phase is complete, but which have not yet waited for its end.
   * `waiting`: the lanes that wait for the end of this phase.
   */
  readonly arrived: readonly Int32Array[];
  readonly #passed: readonly Int32Array[];
  readonly waiting: readonly Int32Array[];
  readonly #blocks: readonly Block[];
  /** The releases of the arrivals in this phase, and the releases of all complete phases. */
  #arriving: Released = nothingReleased;
  #complete: Released = nothingReleased;

  constructor(blocks: readonly Block[]) {
    this.#blocks = blocks;
    const masks = (): readonly Int32Array[] => blocks.map(({ warps }) => new Int32Array(warps.length));
    this.arrived = masks();
    this.#passed = masks();
    this.waiting = masks();
  }

  /** Returns the masks of a block. */
  #of({ rank }: Block) {
    return {
      arrived: at(this.arrived, rank, 'the arrivals of a block'),
      passed: at(this.#passed, rank, 'the passed lanes of a block'),
      waiting: at(this.waiting, rank, 'the waiting lanes of a block'),
    };
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
    const own = warp.index;
    const { arrived, passed } = this.#of(warp.block);
    const twice = lanes & ((arrived[own] ?? 0) | (passed[own] ?? 0));
    if (twice !== 0) {
      const message = () =>
        `${laneNames(twice)} of warp ${own} arrive twice at the cluster's barrier without a wait in between`;
      warp.machine.log.add('RUN024', op.span, warp.place(twice), message);
    }
    passed[own] = (passed[own] ?? 0) & ~lanes;
    arrived[own] = (arrived[own] ?? 0) | lanes;
    const { clocks } = warp.block;
    for (let m = clocks === undefined ? 0 : lanes; m !== 0; m &= m - 1) {
      const released = clocks?.release(warp.firstThread + lowestLane(m), releases) ?? nothingReleased;
      this.#arriving = mergedReleases(this.#arriving, released);
    }
    goOn(warp, lanes);
  }

  #wait(warp: Warp, op: Op, lanes: number): void {
    const own = warp.index;
    const { arrived, passed, waiting } = this.#of(warp.block);
    const going = lanes & (passed[own] ?? 0);
    passed[own] = (passed[own] ?? 0) & ~going;
    this.#acquire(warp, going);
    goOn(warp, going);
    const rest = lanes & ~going;
    const early = rest & ~(arrived[own] ?? 0);
    if (early !== 0) {
      const message = () => `${laneNames(early)} of warp ${own} wait at the cluster's barrier before they arrive at it`;
      warp.machine.log.add('RUN024', op.span, warp.place(early), message);
    }
    waiting[own] = (waiting[own] ?? 0) | rest;
    warp.atBarrier |= rest;
    warp.runnable &= ~rest;
  }

  #acquire(warp: Warp, lanes: number): void {
    const { clocks } = warp.block;
    for (let m = clocks === undefined ? 0 : lanes; m !== 0; m &= m - 1)
      clocks?.acquire(warp.firstThread + lowestLane(m), this.#complete);
  }

  /** Ends the phase if all live threads have arrived. */
  complete(): void {
    if (this.arrived.every((masks) => masks.every((lanes) => lanes === 0))) return;
    const isComplete = this.#blocks.every((block) => {
      const { arrived } = this.#of(block);
      return block.warps.every(({ index, live }) => (live & ~(arrived[index] ?? 0)) === 0);
    });
    if (!isComplete) return;
    this.#complete = mergedReleases(this.#complete, this.#arriving);
    this.#arriving = nothingReleased;
    for (const block of this.#blocks) {
      const { arrived, passed, waiting } = this.#of(block);
      for (const warp of block.warps) {
        const lanes = waiting[warp.index] ?? 0;
        passed[warp.index] = (arrived[warp.index] ?? 0) & ~lanes;
        this.#acquire(warp, lanes);
        resume(warp, lanes);
      }
      arrived.fill(0);
      waiting.fill(0);
    }
  }
}
