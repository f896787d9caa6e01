// Writes jumps. In WGSL, `break` and `continue` reach only the innermost construct. A jump further
// out sets a variable, and each construct on the way checks it.
import { InternalError } from '../../base/invariants.ts';
import * as w from '../../wgsl/tree/build.ts';
import type { Expr } from '../../wgsl/tree/nodes.ts';
import { type Jump, type Label, sameJump } from '../control/tree.ts';
import type { Emitter } from './values/emitter.ts';

/** A WGSL construct that catches `break` (a loop or a switch) or `continue` (a loop). */
interface Frame {
  readonly kind: 'loop' | 'switch';
  /** Labels whose `break` leaves exactly this construct. */
  readonly breaks: ReadonlySet<Label>;
  readonly continues: Label | undefined;
  /** Jumps through the construct. The code after it checks for them. */
  readonly passing: Jump[];
}

/** The variable of a function that holds the target of a jump, and the numbers of the targets. */
class Exits {
  private readonly numbers = new Map<Label, number>();
  private readonly emitter: Emitter;

  constructor(emitter: Emitter) {
    this.emitter = emitter;
  }

  variable(): Expr {
    return this.emitter.once('exit variable', () => this.emitter.declare('exit_to', 'u32', w.u32(0)));
  }

  /** Returns the number of a jump's target. Numbers start at 1; 0 means no jump. */
  number({ kind, label }: Jump): Expr {
    const known = this.numbers.get(label) ?? this.numbers.size;
    this.numbers.set(label, known);
    return w.u32(2 * known + (kind === 'break' ? 1 : 2));
  }
}

export class Jumps {
  private frames: Frame[] = [];
  private readonly emitter: Emitter;
  private readonly exits: Exits;

  constructor(emitter: Emitter) {
    this.emitter = emitter;
    this.exits = emitter.once('exits', () => new Exits(emitter));
  }

  /** Emits code that no jump leaves. */
  apart(write: () => void): void {
    const outside = this.frames;
    this.frames = [];
    write();
    this.frames = outside;
  }

  /** Emits a construct as a frame, then the checks for jumps through it. */
  frame(frame: Frame, write: () => void): void {
    this.frames.push(frame);
    write();
    this.frames.pop();
    for (const jump of frame.passing) {
      const condition = w.eq(this.exits.variable(), this.exits.number(jump));
      this.emitter.if(condition, () => {
        if (this.reaches(jump)) this.emitter.assign(this.exits.variable(), w.u32(0));
        this.jump(jump);
      });
    }
  }

  private catches(frame: Frame, { kind, label }: Jump): boolean {
    return kind === 'break' ? frame.breaks.has(label) : frame.continues === label;
  }

  /** Whether one WGSL statement can perform the jump at this place. */
  private reaches(jump: Jump): boolean {
    for (let index = this.frames.length - 1; index >= 0; index--) {
      const frame = this.frames[index];
      if (frame === undefined) return false;
      if (this.catches(frame, jump)) return true;
      if (jump.kind === 'break' || frame.kind === 'loop') return false;
    }
    return false;
  }

  /** Emits a jump. */
  jump(jump: Jump): void {
    const { writer } = this.emitter;
    if (this.reaches(jump)) {
      writer.push({ kind: jump.kind });
      return;
    }
    const innermost = this.frames[this.frames.length - 1];
    if (innermost === undefined) throw new InternalError(`a ${jump.kind} out of nothing`);
    if (!innermost.passing.some((known) => sameJump(known, jump))) innermost.passing.push(jump);
    this.emitter.assign(this.exits.variable(), this.exits.number(jump));
    writer.push(w.leave);
  }
}
