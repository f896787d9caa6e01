// Structured control flow of a lane as WGSL. WGSL's break and continue reach the innermost construct only; a jump further out sets a variable that
// each construct on the way looks at.

import * as w from '../../wgsl/tree/build.ts';
import { type Expr, Name } from '../../wgsl/tree/nodes.ts';
import type { Inst, Value } from '../ir/nodes.ts';
import { type Jump, type Label, listsOf, type Tree, type TreeOf } from '../structure/tree.ts';
import type { Emitter } from './emitter.ts';

/// A WGSL construct that catches `break` (a loop, a switch) or `continue` (a loop).
export interface Frame {
  readonly kind: 'loop' | 'switch';
  /// Labels whose break leaves exactly this construct.
  readonly breaks: ReadonlySet<Label>;
  readonly continues: Label | undefined;
  /// Jumps that pass through it, checked once it is closed.
  readonly passing: Jump[];
}

/// What lane code leaves to its caller: whole warps and single lanes end and leave differently.
export interface LaneHooks {
  insts(insts: readonly Inst[]): void;
  exit(): void;
  trap(): void;
  leave(until: Jump | undefined): void;
  result(values: readonly Value[]): void;
}

/// Variables of one function that say where a jump goes on to.
class Exits {
  private readonly numbers = new Map<Label, number>();
  private name: Name | undefined;
  private readonly emitter: Emitter;

  constructor(emitter: Emitter) {
    this.emitter = emitter;
  }

  variable(): Expr {
    if (this.name === undefined) {
      this.name = new Name('exit_to');
      this.emitter.declare(this.name, 'u32', w.u32(0));
    }
    return w.ref(this.name, 'u32');
  }

  /// From 1 on; 0 is no jump.
  number({ kind, label }: Jump): Expr {
    const known = this.numbers.get(label) ?? this.numbers.size;
    this.numbers.set(label, known);
    return w.u32(2 * known + (kind === 'break' ? 1 : 2));
  }
}

const sameJump = (a: Jump, b: Jump): boolean => a.kind === b.kind && a.label === b.label;

export class LaneCode {
  private readonly frames: Frame[] = [];
  private readonly emitter: Emitter;
  private readonly hooks: LaneHooks;
  private readonly exits: Exits;

  constructor(emitter: Emitter, hooks: LaneHooks) {
    this.emitter = emitter;
    this.hooks = hooks;
    this.exits = emitter.once('exits', () => new Exits(emitter));
  }

  list(trees: readonly Tree[]): void {
    for (const tree of trees) this.tree(tree);
  }

  tree(tree: Tree): void {
    const { emitter, hooks } = this;
    switch (tree.kind) {
      case 'code':
        return hooks.insts(tree.insts);
      case 'move':
        return emitter.move(tree.params, tree.args);
      case 'if':
        return this.branch(tree);
      case 'switch':
        return this.switch(tree);
      case 'loop':
        return this.loop(tree);
      case 'block':
        return this.block(tree.label, () => this.list(tree.body));
      case 'break':
      case 'continue':
        return this.jump(tree);
      case 'exit':
        return hooks.exit();
      case 'trap':
        emitter.from(tree.span);
        return hooks.trap();
      case 'return':
        emitter.from(tree.span);
        return hooks.result(tree.values);
      case 'leave':
        return hooks.leave(tree.until);
    }
  }

  private branch({ condition, then, else: otherwise, span }: TreeOf<'if'>): void {
    const { emitter } = this;
    emitter.from(span);
    emitter.if(
      emitter.read(condition),
      () => this.list(then),
      () => this.list(otherwise),
    );
  }

  private switch({ selector, arms, span }: TreeOf<'switch'>): void {
    const { writer } = this.emitter;
    this.emitter.from(span);
    const { origin } = writer;
    const value = this.emitter.read(selector);
    this.frame({ kind: 'switch', breaks: new Set(), continues: undefined, passing: [] }, () => {
      const cases = arms.map(({ values, body }, index) => ({
        values,
        isDefault: index === arms.length - 1,
        body: writer.nest(() => this.list(body)),
      }));
      writer.origin = origin;
      writer.push({ kind: 'switch', selector: value, cases });
    });
  }

  private loop({ label, exits, body }: TreeOf<'loop'>): void {
    const { writer } = this.emitter;
    const frame: Frame = { kind: 'loop', breaks: new Set(exits), continues: label, passing: [] };
    this.frame(frame, () => {
      const stmts = writer.nest(() => {
        if (!canLeave(body, label)) this.emitter.breakNever();
        this.list(body);
      });
      writer.origin = undefined;
      writer.push({ kind: 'loop', body: stmts, continuing: [] });
    });
  }

  /// Statements that a `break` to the label leaves.
  block(label: Label, body: () => void): void {
    const { writer } = this.emitter;
    this.frame({ kind: 'switch', breaks: new Set([label]), continues: undefined, passing: [] }, () => {
      const stmts = writer.nest(body);
      writer.origin = undefined;
      writer.push({ kind: 'switch', selector: w.u32(0), cases: [{ values: [], isDefault: true, body: stmts }] });
    });
  }

  /// Writes a construct as a frame, then what became of the jumps through it.
  frame(frame: Frame, write: () => void): void {
    this.frames.push(frame);
    write();
    this.frames.pop();
    for (const jump of frame.passing) {
      const condition = w.eq(this.exits.variable(), this.exits.number(jump));
      this.emitter.if(condition, () => {
        if (this.reaches(jump))
          this.emitter.writer.push({ kind: 'assign', target: this.exits.variable(), value: w.u32(0) });
        this.jump(jump);
      });
    }
  }

  private catches(frame: Frame, { kind, label }: Jump): boolean {
    return kind === 'break' ? frame.breaks.has(label) : frame.continues === label;
  }

  /// Whether one WGSL statement does the jump from here.
  private reaches(jump: Jump): boolean {
    for (let index = this.frames.length - 1; index >= 0; index--) {
      const frame = this.frames[index];
      if (frame === undefined) return false;
      if (this.catches(frame, jump)) return true;
      if (jump.kind === 'break' || frame.kind === 'loop') return false;
    }
    return false;
  }

  jump(jump: Jump): void {
    const { writer } = this.emitter;
    if (this.reaches(jump)) {
      writer.push({ kind: jump.kind });
      return;
    }
    const innermost = this.frames[this.frames.length - 1];
    if (innermost === undefined) throw new Error(`a ${jump.kind} out of nothing`);
    if (!innermost.passing.some((known) => sameJump(known, jump))) innermost.passing.push(jump);
    writer.push({ kind: 'assign', target: this.exits.variable(), value: this.exits.number(jump) });
    writer.push({ kind: 'break' });
  }
}

/// Whether anything in a loop's body gets out of it. Loops inside are looked at last: most loops have a way out of their own.
function canLeave(list: readonly Tree[], loop: Label): boolean {
  const inside = new Set<Label>([loop]);
  const queue: (readonly Tree[])[] = [list];
  for (let at = 0; at < queue.length; at++) {
    for (const tree of queue[at] ?? []) {
      if (tree.kind === 'block') inside.add(tree.label);
      if (tree.kind === 'loop') for (const label of [tree.label, ...tree.exits]) inside.add(label);
      if (tree.kind === 'break' || tree.kind === 'continue') {
        if (!inside.has(tree.label)) return true;
      } else if (tree.kind === 'exit' || tree.kind === 'trap' || tree.kind === 'return') return true;
      for (const inner of listsOf(tree)) queue.push(inner);
    }
  }
  return false;
}
