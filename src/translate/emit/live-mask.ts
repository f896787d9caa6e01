// The active mask. `live` is false in lanes that never existed, have ended, or left a construct
// early and wait for its end.

import { InternalError } from '../../base/invariants.ts';
import * as w from '../../wgsl/tree/build.ts';
import type { Expr } from '../../wgsl/tree/nodes.ts';
import { type Jump, sameJump } from '../control/tree.ts';
import { threadNumber } from './program/lane-numbers.ts';
import type { Emitter, LaneVariable } from './values/emitter.ts';

export class LiveMask {
  private readonly emitter: Emitter;
  private readonly variable: LaneVariable;
  private readonly waiting: { readonly jump: Jump; readonly at: LaneVariable }[];

  constructor(emitter: Emitter, rejoins: readonly Jump[]) {
    this.emitter = emitter;
    this.variable = emitter.laneVariable('live', 'bool');
    this.waiting = rejoins.map((jump) => ({ jump, at: emitter.laneVariable('waiting', 'bool') }));
  }

  /** Emits the initialization of the mask at the start of the kernel. */
  start(): void {
    const { uses } = this.emitter;
    const { block, plan } = uses.options;
    const threads = block[0] * block[1] * block[2];
    const whole = threads % 32 === 0 && plan.kind !== 'wide';
    this.emitter.eachSlot(() => {
      const { slot } = this.emitter;
      this.set(whole ? w.bool(true) : w.lt(threadNumber(uses, slot), w.u32(threads)));
    });
  }

  at(slot: Expr = this.emitter.slot): Expr {
    return this.variable(slot);
  }

  set(value: Expr): void {
    this.emitter.assign(this.at(), value);
  }

  /**
   * Makes the lane inactive until the jump's construct ends or continues; if `until` is undefined,
   * forever.
   */
  leave(until: Jump | undefined): void {
    if (until) this.emitter.assign(this.waitingFor(until), w.bool(true));
    this.set(w.bool(false));
  }

  /**
   * Makes the lanes inactive in which `stays` is false, without a branch. Any lane may compute
   * `stays`.
   */
  leaveUnless(stays: Expr, until: Jump | undefined): void {
    const live = this.at();
    if (until) {
      const waiting = this.waitingFor(until);
      this.emitter.assign(waiting, w.either(waiting, w.both(live, w.not(stays))));
    }
    this.set(w.both(live, stays));
  }

  /** Makes all active lanes inactive. */
  leaveAll(until: Jump | undefined): void {
    this.emitter.eachSlot(() => {
      if (until) {
        this.emitter.if(this.at(), () => this.leave(until));
        return;
      }
      this.set(w.bool(false));
    });
  }

  /** Reactivates the lanes that left until this jump. */
  rejoin(jump: Jump): void {
    this.emitter.eachSlot(() => {
      const waiting = this.waitingFor(jump);
      this.set(w.either(this.at(), waiting));
      this.emitter.assign(waiting, w.bool(false));
    });
  }

  private waitingFor(jump: Jump): Expr {
    const found = this.waiting.find((known) => sameJump(known.jump, jump));
    if (found === undefined) throw new InternalError(`no lane waits for this ${jump.kind}`);
    return found.at();
  }
}
