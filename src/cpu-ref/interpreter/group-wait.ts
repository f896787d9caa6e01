// `wgmma.wait_group`. A product is one operation of four warps. So a warp waits until the other
// warps of its warpgroup wait for their parts, too. Then one thread may release the factors of all.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#asynchronous-warpgroup-level-matrix-instructions-wgmma-wait-group
import { at } from '../../base/invariants.ts';
import { groupWarps } from '../../isa/limits.ts';
import { resume } from './resume.ts';
import { lowestLane } from './state/frame.ts';
import type { Block, Warp } from './state/state.ts';

export class GroupWaits {
  readonly #block: Block;
  /** By warp: the lanes that wait, and the number of groups of products that stay pending. */
  readonly waiting: Int32Array;
  readonly #kept: number[] = [];

  constructor(block: Block) {
    this.#block = block;
    this.waiting = new Int32Array(block.warps.length);
  }

  /** Executes a wait for `lanes`, which are all at this instruction. */
  come(warp: Warp, kept: number, lanes: number): void {
    this.waiting[warp.index] = at(this.waiting, warp.index, 'the lanes of a warp') | lanes;
    this.#kept[warp.index] = kept;
    warp.atBarrier |= lanes;
    warp.runnable &= ~lanes;
  }

  /** Ends the waits of each warpgroup whose live lanes all wait. */
  complete(): void {
    const { warps } = this.#block;
    for (let first = 0; first < warps.length; first += groupWarps) {
      const group = warps.slice(first, first + groupWarps);
      const isWhole = group.every(({ live, index }) => (live & ~at(this.waiting, index, 'the lanes of a warp')) === 0);
      if (isWhole) this.#end(group.filter(({ index }) => this.waiting[index] !== 0));
    }
  }

  #end(group: readonly Warp[]): void {
    const { clocks, products } = this.#block;
    for (const { index } of group) products.wait(index, at(this.#kept, index, 'a number of groups'));
    const threads: number[] = [];
    for (const warp of group) {
      const lanes = at(this.waiting, warp.index, 'the lanes of a warp');
      for (let m = lanes; m !== 0; m &= m - 1) threads.push(warp.firstThread + lowestLane(m));
      resume(warp, lanes);
      this.waiting[warp.index] = 0;
    }
    // A product reads memory as the first thread of its warp.
    clocks?.orderOwn(
      group.map(({ firstThread }) => firstThread),
      threads,
    );
  }
}
