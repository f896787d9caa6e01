// Tracks the lanes that arrive at each barrier, if barriers specify a thread count. The count is a
// number of whole warps. A warp in which some lanes have ended, or never existed, counts as 32
// threads once all its other lanes have arrived.
import { InternalError } from '../../../base/invariants.ts';
import * as w from '../../../wgsl/tree/build.ts';
import type { Expr, WgslType } from '../../../wgsl/tree/nodes.ts';
import { threadNumber } from '../program/lane-numbers.ts';
import type { Emitter } from '../values/emitter.ts';

export class BarrierLanes {
  private readonly emitter: Emitter;
  private readonly warps: number;
  /** For each barrier, one mask per warp of the block: the lanes that wait. */
  private readonly come: Expr;
  /**
   * The lanes that have arrived without a wait; undefined if no lane does so. Such a lane may arrive
   * again, and then counts twice.
   */
  private readonly passed: Expr | undefined;
  /** One mask per warp: the live lanes. */
  private readonly live: Expr;

  constructor(emitter: Emitter, barriers: number, hasArrivals: boolean) {
    const { uses } = emitter;
    const [x, y, z] = uses.options.block;
    this.emitter = emitter;
    this.warps = Math.ceil((x * y * z) / 32);
    const masks = (count: number): WgslType => w.array(w.atomic(), count);
    this.come = uses.workgroupVariable('lanes_come', masks(this.warps * barriers));
    this.passed = hasArrivals ? uses.workgroupVariable('lanes_passed', masks(this.warps * barriers)) : undefined;
    this.live = uses.workgroupVariable('lanes_alive', masks(this.warps));
  }

  private maskOf(masks: Expr, barrier: Expr, warp: Expr): Expr {
    return w.index(masks, w.add(w.mul(barrier, w.u32(this.warps)), warp));
  }

  private comeTo(barrier: Expr, warp: Expr): Expr {
    return this.maskOf(this.come, barrier, warp);
  }

  private aliveIn(warp: Expr): Expr {
    return w.index(this.live, warp);
  }

  private own(): { readonly warp: Expr; readonly bit: Expr } {
    const { uses, slot } = this.emitter;
    const thread = threadNumber(uses, slot);
    return { warp: w.shr(thread, w.u32(5)), bit: w.shl(w.u32(1), w.and(thread, w.u32(31))) };
  }

  /** Records that the lane waits at a barrier. A repeated call changes nothing. */
  wait(barrier: Expr): void {
    const { warp, bit } = this.own();
    this.emitter.perform('atomicOr', this.comeTo(barrier, warp), bit);
  }

  /** Records that the lane arrives at a barrier and continues. `repeated` counts further arrivals. */
  pass(barrier: Expr, repeated: Expr): void {
    const { emitter, passed } = this;
    if (passed === undefined) throw new InternalError('no lane arrives without a wait');
    const { warp, bit } = this.own();
    const word = w.addressOf(this.maskOf(passed, barrier, warp));
    const before = emitter.copy('before', w.builtin('atomicOr', 'u32', word, bit));
    emitter.if(w.ne(w.and(before, bit), w.u32(0)), () => emitter.perform('atomicAdd', repeated, w.u32(1)));
  }

  /** Records that the lane is live. */
  noteAlive(): void {
    const { warp, bit } = this.own();
    this.emitter.perform('atomicOr', this.aliveIn(warp), bit);
  }

  private eachWarp(body: (warp: Expr) => void): void {
    this.emitter.repeat('w', this.warps, body);
  }

  /**
   * Returns the number of threads that the barrier counts. A lane counts twice if it passed the
   * barrier and then waits at it. `repeated`: the number of further arrivals; undefined if no lane
   * passes.
   */
  threadsAt(barrier: Expr, repeated: Expr | undefined): Expr {
    const { emitter, passed } = this;
    const total = emitter.variable('threads_here', 'u32', repeated ?? w.u32(0)); // Absent: no lane passes.
    this.eachWarp((warp) => {
      const add = (lanes: Expr) => {
        const missing = w.and(w.builtin('atomicLoad', 'u32', w.addressOf(this.aliveIn(warp))), w.complement(lanes));
        const number = w.select(w.eq(missing, w.u32(0)), w.u32(32), w.builtin('countOneBits', 'u32', lanes));
        emitter.if(w.ne(lanes, w.u32(0)), () => emitter.assign(total, w.add(total, number)));
      };
      const come = emitter.load('lanes', this.comeTo(barrier, warp));
      if (passed === undefined) return add(come);
      const before = emitter.load('lanes_before', this.maskOf(passed, barrier, warp));
      add(emitter.copy('lanes_once', w.or(come, before)));
      add(emitter.copy('lanes_twice', w.and(come, before)));
    });
    return total;
  }

  /** Returns the live lanes of `count` warps, from warp `first` on, that have not arrived. */
  missingAt(barrier: Expr, first: Expr, count: number): Expr {
    const { emitter } = this;
    const missing = emitter.variable('lanes_missing', 'u32', w.u32(0));
    emitter.repeat('w', count, (number) => {
      const warp = emitter.name('warp', w.add(first, number));
      const lanes = emitter.load('lanes', this.comeTo(barrier, warp));
      const live = w.builtin('atomicLoad', 'u32', w.addressOf(this.aliveIn(warp)));
      emitter.assign(missing, w.or(missing, w.and(live, w.complement(lanes))));
    });
    return missing;
  }

  /** Resets the barrier for its next use. */
  clear(barrier: Expr): void {
    this.eachWarp((warp) => {
      for (const masks of this.passed ? [this.come, this.passed] : [this.come])
        this.emitter.perform('atomicStore', this.maskOf(masks, barrier, warp), w.u32(0));
    });
  }

  /** Resets the masks of live lanes. The next phase collects them again. */
  forgetAlive(): void {
    this.eachWarp((warp) => this.emitter.perform('atomicStore', this.aliveIn(warp), w.u32(0)));
  }
}
