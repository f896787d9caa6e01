// Lanes of a dispatched kernel wait before a converged loop until nothing else can happen in their
// warp. If all live lanes of the warp have arrived, they execute the loop together.
import { at } from '../../../base/invariants.ts';
import * as w from '../../../wgsl/tree/build.ts';
import type { Expr } from '../../../wgsl/tree/nodes.ts';
import type { DispatchLoop } from '../../control/tree.ts';
import { inAnyWarp } from '../collectives/votes.ts';
import { warpWriter } from '../collectives/warp.ts';
import type { Emitter, LaneVariable } from '../values/emitter.ts';
import { ConvergedLoopWriter, type DispatchedLanes } from './converged-loop.ts';
import type { WaitNumbers } from './wait-numbers.ts';

/**
 * The maximum budget of waits. A wait costs two, and an iteration that all lanes execute together
 * restores one. So a warp that diverges repeatedly stops waiting.
 */
const maxBudget = w.u32(16);

export class LoopReconvergence {
  private readonly emitter: Emitter;
  private readonly loops: readonly DispatchLoop[];
  private readonly numbers: WaitNumbers;
  private readonly wait: LaneVariable;
  private readonly lanes: DispatchedLanes;
  /** The same in all lanes of a subgroup. */
  private readonly budget: Expr;
  /** Whether the lane waited without success, and now executes the loop alone. */
  private readonly isReleased: LaneVariable;

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
    this.budget = emitter.declare('reconvergence_budget', 'u32', maxBudget);
    this.isReleased = emitter.laneVariable('released', 'bool');
  }

  private numberOf(loop: number): Expr {
    return this.numbers.of({ kind: 'loop', loop });
  }

  /** Writes the arrival of a lane: it waits for the others, or executes the loop alone. */
  arrive(loop: number, alone: () => void): void {
    const { emitter } = this;
    emitter.if(
      w.both(w.ne(this.budget, w.u32(0)), w.not(this.isReleased())),
      () => emitter.assign(this.wait(), this.numberOf(loop)),
      () => {
        emitter.assign(this.isReleased(), w.bool(false));
        alone();
      },
    );
  }

  /**
   * Releases the lanes that wait before a loop, and adds them to `executed`. They execute the loop
   * together if no lane of the warp is missing. `isTheirs`: whether a waiting lane may continue.
   */
  release(index: number, alive: Expr, executed: Expr, isTheirs?: Expr): void {
    const { emitter } = this;
    const loop = at(this.loops, index, 'a converged loop');
    const waits = (slot: Expr) => w.eq(this.wait(slot), this.numberOf(index));
    const warp = warpWriter(emitter, undefined);
    const arrived = isTheirs ? warp.each('bool', 'here', (slot) => w.both(waits(slot), isTheirs)).at : waits;
    const arrivedLanes = warp.ballot('arrived_lanes', arrived);
    emitter.if(inAnyWarp(emitter, w.ne(arrivedLanes, w.u32(0))), () => {
      emitter.writer.push(w.update(executed, '|', arrivedLanes));
      const others = w.ne(w.xor(arrivedLanes, alive), w.u32(0));
      const isMissing = emitter.copy('has_missing_lanes', inAnyWarp(emitter, others));
      emitter.eachSlot(() =>
        emitter.if(arrived(emitter.slot), () => {
          emitter.assign(this.isReleased(), isMissing);
          emitter.assign(this.wait(), this.numbers.running);
        }),
      );
      emitter.assign(this.budget, w.sub(w.builtin('max', 'u32', this.budget, w.u32(2)), w.u32(2)));
      emitter.if(w.not(isMissing), () => {
        const restore = w.builtin('min', 'u32', w.add(this.budget, w.u32(1)), maxBudget);
        const eachIteration = () => emitter.assign(this.budget, restore);
        new ConvergedLoopWriter(emitter, this.lanes, alive, eachIteration).write(loop);
      });
    });
  }
}
