// Ends waits that never end. Lanes that wait through memory meet at turns, and read the same words again and again: if nothing else happens in the block for
// long enough, nothing will. Other blocks may still store what lanes wait for, as long as they run.
import * as w from '../../../wgsl/tree/build.ts';
import type { Expr } from '../../../wgsl/tree/nodes.ts';
import type { InstNamed } from '../../ir/nodes.ts';
import type { Emitter, LaneVariable } from '../values/emitter.ts';

type Turn = InstNamed<'barrier'>;

/** Of the polls after which a wait for other blocks ends: how many turns a grid waits, which are much slower than polls, and a block that is alone. */
const shiftOf = { grid: 5, block: 10 } as const;

export class IdleTurns {
  private readonly emitter: Emitter;
  private readonly turns: readonly Turn[];
  /** What the lane read before its last turn, and the number of that turn. */
  private readonly word: LaneVariable;
  private readonly place: LaneVariable;
  /** Whether that differs from the turn before. */
  private readonly moved: LaneVariable;
  /** Lanes that have moved in this phase. */
  private readonly moves: Expr;
  /** Phases without any, and the threads that were alive before; of the first invocation. */
  private readonly idle: Expr;
  private readonly before: Expr;

  constructor(emitter: Emitter, turns: readonly Turn[]) {
    this.emitter = emitter;
    this.turns = turns;
    this.word = emitter.laneVariable('turn_word', 'u32');
    this.place = emitter.laneVariable('turn_place', 'u32');
    this.moved = emitter.laneVariable('has_moved', 'bool');
    this.moves = emitter.uses.workgroupVariable('lanes_moved', w.atomic());
    this.idle = emitter.declare('idle_turns', 'u32', w.u32(0));
    this.before = emitter.declare('alive_before', 'u32', w.u32(0));
  }

  /** A lane comes to a turn. One that names no word waits for something else, too. */
  arrive(turn: Turn): void {
    const { emitter } = this;
    const [seen] = turn.args;
    if (seen === undefined) return this.emitter.assign(this.moved(), w.bool(true));
    const place = w.u32(this.turns.indexOf(turn) + 1);
    const word = emitter.name('seen', emitter.read(seen));
    emitter.if(w.either(w.ne(this.word(), word), w.ne(this.place(), place)), () => {
      this.emitter.assign(this.word(), word);
      this.emitter.assign(this.place(), place);
      this.emitter.assign(this.moved(), w.bool(true));
    });
  }

  /** In each phase, of each lane. */
  count(): void {
    this.emitter.if(this.moved(), () => {
      this.emitter.perform('atomicAdd', w.addressOf(this.moves), w.u32(1));
      this.emitter.assign(this.moved(), w.bool(false));
    });
  }

  /** A lane goes on from a barrier that is complete. */
  noteRelease(): void {
    this.emitter.perform('atomicAdd', w.addressOf(this.moves), w.u32(1));
  }

  /** Whether the block has waited for too long; asked once in each phase, by the first invocation. */
  isOver(alive: Expr): Expr {
    const { emitter } = this;
    const { uses } = emitter;
    const moves = emitter.copy('moves', w.builtin('atomicLoad', 'u32', w.addressOf(this.moves)));
    this.emitter.perform('atomicStore', w.addressOf(this.moves), w.u32(0));
    const isIdle = w.both(w.eq(moves, w.u32(0)), w.eq(alive, this.before));
    this.emitter.assign(this.idle, w.select(isIdle, w.add(this.idle, w.u32(1)), w.u32(0)));
    this.emitter.assign(this.before, alive);
    const size = (axis: 'x' | 'y' | 'z') => w.swizzle(uses.builtin('nctaid'), axis);
    const isAlone = w.eq(w.or(w.or(size('x'), size('y')), size('z')), w.u32(1));
    const limit = (shift: number) => w.u32(Math.ceil(uses.options.maxPolls / 2 ** shift));
    return w.gt(this.idle, w.select(isAlone, limit(shiftOf.block), limit(shiftOf.grid)));
  }
}
