// Ends waits that would never end. A lane that waits through memory yields and then reads the same
// word again. If nothing else changes in the block for long enough, no store in the block can end
// the wait. Other blocks may still store the word while they run.
import * as w from '../../../wgsl/tree/build.ts';
import type { Expr } from '../../../wgsl/tree/nodes.ts';
import type { InstNamed } from '../../ir/nodes.ts';
import type { Emitter, LaneVariable } from '../values/emitter.ts';

type Yield = InstNamed<'barrier'>;

/**
 * The limit on yields is the limit on polls, shifted right by this number of bits. A yield in a
 * grid of several blocks is much slower than a poll. A single block needs fewer yields.
 */
const shiftOf = { grid: 5, block: 10 } as const;

export class IdleYields {
  private readonly emitter: Emitter;
  private readonly yields: readonly Yield[];
  /** The word that the lane read before its last yield, and the number of the yield instruction. */
  private readonly word: LaneVariable;
  private readonly place: LaneVariable;
  /** Whether the word or the instruction has changed since the previous yield. */
  private readonly moved: LaneVariable;
  /** The number of lanes with a change in this phase. */
  private readonly moves: Expr;
  /**
   * In the first invocation: the number of phases without a change, and the live threads of the
   * previous phase.
   */
  private readonly idle: Expr;
  private readonly before: Expr;

  constructor(emitter: Emitter, yields: readonly Yield[]) {
    this.emitter = emitter;
    this.yields = yields;
    this.word = emitter.laneVariable('yield_word', 'u32');
    this.place = emitter.laneVariable('yield_number', 'u32');
    this.moved = emitter.laneVariable('has_progress', 'bool');
    this.moves = emitter.uses.workgroupVariable('lanes_with_progress', w.atomic());
    this.idle = emitter.declare('idle_phases', 'u32', w.u32(0));
    this.before = emitter.declare('alive_before', 'u32', w.u32(0));
  }

  /**
   * Writes a lane's yield, and records whether the lane has made progress. A yield without an
   * operand may wait for something other than a word of memory, so it always counts as progress.
   */
  arrive(inst: Yield): void {
    const { emitter } = this;
    const [seen] = inst.args;
    if (seen === undefined) return this.emitter.assign(this.moved(), w.bool(true));
    const place = w.u32(this.yields.indexOf(inst) + 1);
    const word = emitter.name('seen', emitter.read(seen));
    emitter.if(w.either(w.ne(this.word(), word), w.ne(this.place(), place)), () => {
      this.emitter.assign(this.word(), word);
      this.emitter.assign(this.place(), place);
      this.emitter.assign(this.moved(), w.bool(true));
    });
  }

  /** Counts changes. Called in each phase, for each lane. */
  count(): void {
    this.emitter.if(this.moved(), () => {
      this.emitter.perform('atomicAdd', this.moves, w.u32(1));
      this.emitter.assign(this.moved(), w.bool(false));
    });
  }

  /** Counts a lane that a complete barrier releases. */
  noteRelease(): void {
    this.emitter.perform('atomicAdd', this.moves, w.u32(1));
  }

  /**
   * Whether the block has waited for too long. The first invocation checks this once in each phase.
   */
  isOver(alive: Expr): Expr {
    const { emitter } = this;
    const { uses } = emitter;
    const moves = emitter.copy('changes', w.builtin('atomicLoad', 'u32', w.addressOf(this.moves)));
    this.emitter.perform('atomicStore', this.moves, w.u32(0));
    const isIdle = w.both(w.eq(moves, w.u32(0)), w.eq(alive, this.before));
    this.emitter.assign(this.idle, w.select(isIdle, w.add(this.idle, w.u32(1)), w.u32(0)));
    this.emitter.assign(this.before, alive);
    const size = (axis: 'x' | 'y' | 'z') => w.swizzle(uses.builtin('nctaid'), axis);
    const isAlone = w.eq(w.or(w.or(size('x'), size('y')), size('z')), w.u32(1));
    const limit = (shift: number) => w.u32(Math.ceil(uses.options.maxPolls / 2 ** shift));
    return w.gt(this.idle, w.select(isAlone, limit(shiftOf.block), limit(shiftOf.grid)));
  }
}
