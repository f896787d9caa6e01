// Converged loops of a dispatched kernel. Lanes wait before such a loop until no other lane of
// their warp can continue. If all live lanes of the warp have arrived, they execute the loop
// together, under an active mask. They leave it if a warp instruction names lanes that have not
// reached it, or if a lane leaves the loop. Then each lane continues in the dispatch, at its
// program counter.
import { InternalError } from '../../../base/invariants.ts';
import * as w from '../../../wgsl/tree/build.ts';
import type { Expr } from '../../../wgsl/tree/nodes.ts';
import { lowestBit } from '../../../wgsl/warp/index.ts';
import type { DispatchLoop } from '../../control/tree.ts';
import { constantOf, type InstNamed } from '../../ir/nodes.ts';
import { memberMaskOf } from '../../ir/warp-facts.ts';
import { inAnyWarp } from '../collectives/votes.ts';
import { type TogetherLanes, warpWriter } from '../collectives/warp.ts';
import type { Emitter, LaneVariable } from '../values/emitter.ts';
import type { WaitNumbers } from './wait-numbers.ts';

type Condition = (slot: Expr) => Expr;

/**
 * The maximum budget of waits. A wait costs two, and an iteration that all lanes execute together
 * restores one. So a warp that diverges repeatedly stops waiting.
 */
const maxBudget = w.u32(16);

export class ConvergedLoops {
  private readonly emitter: Emitter;
  private readonly numbers: WaitNumbers;
  private readonly wait: LaneVariable;
  /** Emits a loop. `eachIteration` emits the start of its body. */
  private readonly write: (loop: DispatchLoop, eachIteration: () => void) => void;
  /** The remaining budget; the same in all lanes of a subgroup. */
  private readonly budget: Expr;
  /** In a loop: the lanes of the warp that have not ended. */
  private alive: Expr | undefined;

  constructor(emitter: Emitter, numbers: WaitNumbers, wait: LaneVariable, write: ConvergedLoops['write']) {
    this.emitter = emitter;
    this.numbers = numbers;
    this.wait = wait;
    this.write = write;
    this.budget = emitter.declare('reconvergence_budget', 'u32', maxBudget);
  }

  /**
   * Emits the arrival of a lane before a loop: the lane waits for the others if the budget allows
   * it.
   */
  arrive(wait: () => void): void {
    this.emitter.if(w.ne(this.budget, w.u32(0)), wait);
  }

  /**
   * Releases the lanes that wait before a loop, and adds them to `executed`. They execute the loop
   * together if no lane of the warp is missing. `isTheirs`: whether a waiting lane may continue.
   */
  release(loop: DispatchLoop, alive: Expr, executed: Expr, isTheirs?: Expr): void {
    const { emitter, budget } = this;
    const number = this.numbers.of({ kind: 'loop', head: loop.header });
    const waits: Condition = (slot) => w.eq(this.wait(slot), number);
    const warp = warpWriter(emitter, undefined);
    const arrived = isTheirs ? warp.each('bool', 'here', (slot) => w.both(waits(slot), isTheirs)).at : waits;
    const arrivedLanes = warp.ballot('arrived_lanes', arrived);
    emitter.if(inAnyWarp(emitter, w.ne(arrivedLanes, w.u32(0))), () => {
      emitter.writer.push(w.update(executed, '|', arrivedLanes));
      const others = w.ne(w.xor(arrivedLanes, alive), w.u32(0));
      const isMissing = emitter.copy('has_missing_lanes', inAnyWarp(emitter, others));
      emitter.eachSlot(() =>
        emitter.if(arrived(emitter.slot), () => emitter.assign(this.wait(), this.numbers.running)),
      );
      emitter.assign(budget, w.sub(w.builtin('max', 'u32', budget, w.u32(2)), w.u32(2)));
      emitter.if(w.not(isMissing), () => {
        this.alive = alive;
        const restore = w.builtin('min', 'u32', w.add(budget, w.u32(1)), maxBudget);
        this.write(loop, () => emitter.assign(budget, restore));
      });
    });
  }

  /**
   * Writes a test of whether the active lanes are all lanes that an instruction names.
   * `isIncomplete`: a live lane in the member mask does not execute the instruction, or executes it
   * under a mask that differs from the mask of the first lane. `isWhole`: all live lanes are
   * active.
   */
  ask(inst: InstNamed<'warp'>, active: Condition, isWhole: boolean): TogetherLanes & { readonly isIncomplete: Expr } {
    const { emitter, alive } = this;
    const { when } = inst;
    const mask = memberMaskOf(inst);
    if (mask === undefined || alive === undefined) throw new InternalError('lanes meet outside of a converged loop');
    const warp = warpWriter(emitter, undefined);
    const executes: Condition = when ? (slot) => w.both(active(slot), emitter.read(when, slot)) : active;
    const executing = warp.each('bool', 'executes', executes);
    const here = when !== undefined || !isWhole ? warp.ballot('here', executing.at) : alive;
    const missing = (members: Expr) => w.and(w.and(members, alive), w.complement(here));
    const answer = (lanes: Expr) =>
      emitter.copy('incomplete', inAnyWarp(emitter, w.both(w.ne(here, w.u32(0)), w.ne(lanes, w.u32(0)))));
    const constant = constantOf(mask);
    if (constant !== undefined)
      return { executes: executing.at, members: undefined, isIncomplete: answer(missing(w.u32(constant))) };
    const own: Condition = (slot) => emitter.read(mask, slot);
    // If no lane executes the instruction, the leader may be any lane.
    const leader = warp.define('leader', w.and(lowestBit(here), w.u32(31)));
    const named = warp.shuffle('mask', { type: 'u32', at: own }, { type: 'u32', at: () => leader });
    const others = warp.ballot('others', (slot) => w.both(executing.at(slot), w.ne(own(slot), named.at(slot))));
    const members = named.at(w.u32(0));
    return { executes: executing.at, members, isIncomplete: answer(w.or(missing(members), others)) };
  }
}
