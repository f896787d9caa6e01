// Where lanes of a dispatched kernel stand in front of a loop that a warp may go through together, until nothing else can happen.

import { at } from '../../../base/invariants.ts';
import * as w from '../../../wgsl/tree/build.ts';
import type { Expr } from '../../../wgsl/tree/nodes.ts';
import type { DispatchLoop } from '../../control/tree.ts';
import { inAnyWarp } from '../collectives/agreements.ts';
import { warpWriter } from '../collectives/warp.ts';
import type { Emitter } from '../values/emitter.ts';
import { ConvergedLoopWriter, type DispatchedLanes, Gatherings } from './converged-loop.ts';
import type { WaitNumbers } from './wait-numbers.ts';

type LaneVariable = (slot?: Expr) => Expr;

export class GatheredLoops {
  private readonly emitter: Emitter;
  private readonly loops: readonly DispatchLoop[];
  private readonly numbers: WaitNumbers;
  private readonly wait: LaneVariable;
  private readonly lanes: DispatchedLanes;
  private readonly gatherings: Gatherings;

  constructor(
    emitter: Emitter,
    loops: readonly DispatchLoop[],
    numbers: WaitNumbers,
    wait: LaneVariable,
    lanes: DispatchedLanes,
  ) {
    this.emitter = emitter;
    this.loops = loops;
    this.numbers = numbers;
    this.wait = wait;
    this.lanes = lanes;
    this.gatherings = new Gatherings(emitter);
  }

  private gatheredAt(loop: number): Expr {
    return this.numbers.of({ kind: 'loop', loop });
  }

  private setWait(value: Expr): void {
    this.emitter.writer.push({ kind: 'assign', target: this.wait(), value });
  }

  /** The lane stands in front of a loop: it waits for the others, or goes on. */
  arrive(loop: number, goOn: () => void): void {
    this.gatherings.choose(() => this.setWait(this.gatheredAt(loop)), goOn);
  }

  /**
   * Lanes in front of a loop go on when nothing else can happen: through the loop together, if all of the warp are there. `executed` gets
   * the lanes that go on. `isTheirs`: whether a lane may go on, if it waits here.
   */
  enter(index: number, alive: Expr, executed: Expr, isTheirs?: Expr): void {
    const { emitter, gatherings } = this;
    const { writer } = emitter;
    const loop = at(this.loops, index, 'a converged loop');
    const waits = (slot: Expr) => w.eq(this.wait(slot), this.gatheredAt(index));
    const warp = warpWriter(emitter, undefined);
    const isGathered = isTheirs ? warp.each('bool', 'here', (slot) => w.both(waits(slot), isTheirs)).at : waits;
    const gathered = warp.ballot('gathered', isGathered);
    emitter.if(inAnyWarp(emitter, w.ne(gathered, w.u32(0))), () => {
      writer.push({ kind: 'assign', target: executed, value: gathered, op: '|' });
      const others = w.ne(w.xor(gathered, alive), w.u32(0));
      const isMissing = emitter.copy('are_missing', inAnyWarp(emitter, others));
      emitter.eachSlot(() =>
        emitter.if(isGathered(emitter.slot), () => {
          gatherings.release(isMissing);
          this.setWait(this.numbers.running);
        }),
      );
      gatherings.take();
      emitter.if(w.not(isMissing), () => new ConvergedLoopWriter(emitter, this.lanes, gatherings, alive).write(loop));
    });
  }
}
