// Ends waits that never end. Lanes that wait through memory meet at turns, and read the same words again and again: if nothing else happens in the block for
// long enough, nothing will. Other blocks may still store what lanes wait for, as long as they run.
import * as w from '../../../wgsl/tree/build.ts';
import { type Expr, Name } from '../../../wgsl/tree/nodes.ts';
import type { InstNamed } from '../../ir/nodes.ts';
import type { Emitter } from '../values/emitter.ts';

type Turn = InstNamed<'barrier'>;
type LaneVariable = (slot?: Expr) => Expr;

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
    this.idle = this.counter('idle_turns');
    this.before = this.counter('alive_before');
  }

  private counter(hint: string): Expr {
    const name = new Name(hint);
    this.emitter.declare(name, 'u32', w.u32(0));
    return w.ref(name, 'u32');
  }

  private set(target: Expr, value: Expr): void {
    this.emitter.writer.push({ kind: 'assign', target, value });
  }

  private call(fn: string, value: Expr): void {
    this.emitter.writer.push(w.perform(w.builtin(fn, 'u32', w.addressOf(this.moves), value)));
  }

  /** A lane comes to a turn. One that names no word waits for something else, too. */
  arrive(turn: Turn): void {
    const { emitter } = this;
    const [seen] = turn.args;
    if (seen === undefined) return this.set(this.moved(), w.bool(true));
    const place = w.u32(this.turns.indexOf(turn) + 1);
    const word = emitter.name('seen', emitter.read(seen));
    emitter.if(w.either(w.ne(this.word(), word), w.ne(this.place(), place)), () => {
      this.set(this.word(), word);
      this.set(this.place(), place);
      this.set(this.moved(), w.bool(true));
    });
  }

  /** In each phase, of each lane. */
  count(): void {
    this.emitter.if(this.moved(), () => {
      this.call('atomicAdd', w.u32(1));
      this.set(this.moved(), w.bool(false));
    });
  }

  /** A lane goes on from a barrier that is complete. */
  noteRelease(): void {
    this.call('atomicAdd', w.u32(1));
  }

  /** Whether the block has waited for too long; asked once in each phase, by the first invocation. */
  isOver(alive: Expr): Expr {
    const { emitter } = this;
    const { uses } = emitter;
    const moves = emitter.copy('moves', w.builtin('atomicLoad', 'u32', w.addressOf(this.moves)));
    this.call('atomicStore', w.u32(0));
    const isIdle = w.both(w.eq(moves, w.u32(0)), w.eq(alive, this.before));
    this.set(this.idle, w.select(isIdle, w.add(this.idle, w.u32(1)), w.u32(0)));
    this.set(this.before, alive);
    const [x, y, z] = (['x', 'y', 'z'] as const).map((axis) => w.swizzle(uses.builtin('nctaid'), axis));
    if (x === undefined || y === undefined || z === undefined) throw new Error('a grid has three sizes');
    const isAlone = w.eq(w.or(w.or(x, y), z), w.u32(1));
    const limit = (shift: number) => w.u32(Math.ceil(uses.options.maxPolls / 2 ** shift));
    return w.gt(this.idle, w.select(isAlone, limit(shiftOf.block), limit(shiftOf.grid)));
  }
}
