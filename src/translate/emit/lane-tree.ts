// Structured control flow of a lane as WGSL. WGSL's break and continue reach the innermost construct only; a jump further out sets a
// variable that each construct on the way looks at.
import type { Instruction } from '../../ptx/ast.ts';
import type { Jump, Tree } from '../structure.ts';
import { readOperand } from './operands.ts';
import type { Scope } from './scope.ts';

/// A WGSL construct that catches `break` (a loop, a switch) or `continue` (a loop).
interface Frame {
  readonly kind: 'loop' | 'switch';
  /// Labels whose break leaves exactly this construct.
  readonly breaks: ReadonlySet<number>;
  readonly continues: number | undefined;
  /// Jumps that pass through it, checked once it is closed.
  readonly passing: Map<string, Jump>;
}

/// What a tree emitter leaves to its caller: whole warps and single lanes end, leave and execute differently.
export interface TreeHooks {
  instructions(code: readonly Instruction[]): void;
  exit(): void;
  trap(): void;
  leave(until: Jump | undefined): void;
  blockCode(block: number): readonly Instruction[];
}

export class TreeEmitter {
  private readonly frames: Frame[] = [];
  private readonly scope: Scope;
  private readonly hooks: TreeHooks;

  constructor(scope: Scope, hooks: TreeHooks) {
    this.scope = scope;
    this.hooks = hooks;
  }

  list(trees: readonly Tree[]): void {
    for (const tree of trees) this.tree(tree);
  }

  tree(tree: Tree): void {
    const { out } = this.scope;
    switch (tree.kind) {
      case 'code':
        return this.hooks.instructions(this.hooks.blockCode(tree.block));
      case 'run':
        return this.hooks.instructions(tree.code);
      case 'if': {
        const condition = this.scope.read(tree.guard.register);
        const known = this.scope.valueOf(tree.guard.register)?.constant;
        if (known !== undefined) return this.list((known !== 0n) !== tree.guard.negated ? tree.then : tree.else);
        return this.branch(
          tree.guard.negated ? `!${condition}` : condition,
          tree.guard.negated ? condition : `!${condition}`,
          tree.then,
          tree.else,
        );
      }
      case 'switch':
        return this.switch(tree);
      case 'loop':
        return this.loop(tree);
      case 'block': {
        out.open('switch 0u');
        out.open('default:');
        this.frame(
          { kind: 'switch', breaks: new Set([tree.label]), continues: undefined, passing: new Map() },
          () => this.list(tree.body),
          () => {
            out.close();
            out.close();
          },
        );
        return;
      }
      case 'break':
      case 'continue':
        return this.jump(tree);
      case 'exit':
        return this.hooks.exit();
      case 'trap':
        return this.hooks.trap();
      case 'leave':
        return this.hooks.leave(tree.until);
    }
  }

  /// `if`, with the arms the other way round where only the second says anything.
  branch(condition: string, opposite: string, then: readonly Tree[], otherwise: readonly Tree[]): void {
    const { out } = this.scope;
    if (then.length === 0 && otherwise.length === 0) return;
    out.open(`if (${then.length === 0 ? opposite : condition})`);
    this.list(then.length === 0 ? otherwise : then);
    if (then.length > 0 && otherwise.length > 0) {
      out.middle('else');
      this.list(otherwise);
    }
    out.close();
  }

  private switch(tree: Extract<Tree, { kind: 'switch' }>): void {
    const { out } = this.scope;
    const selector = readOperand(this.scope, tree.selector, 'u32');
    out.open(`switch ${selector.code}`);
    const frame: Frame = { kind: 'switch', breaks: new Set(), continues: undefined, passing: new Map() };
    this.frame(
      frame,
      () =>
        tree.arms.forEach((arm, index) => {
          const values = arm.values.map((value) => `${value}u`).join(', ');
          out.open(index === tree.arms.length - 1 ? `case ${values}, default:` : `case ${values}:`);
          this.list(arm.body);
          out.close();
        }),
      () => out.close(),
    );
  }

  private loop(tree: Extract<Tree, { kind: 'loop' }>): void {
    const { out } = this.scope;
    out.open('loop');
    // WGSL wants a way out of every loop.
    if (!leaves(tree.body, tree.label)) {
      this.scope.uses.variables.set('never', 'var never = false;');
      out.line('if (never) { break; }');
    }
    this.frame(
      { kind: 'loop', breaks: new Set(tree.exits), continues: tree.label, passing: new Map() },
      () => this.list(tree.body),
      () => out.close(),
    );
  }

  /// Emits a construct's body as a frame, then what became of the jumps through it.
  frame(frame: Frame, body: () => void, close: () => void): void {
    this.frames.push(frame);
    body();
    this.frames.pop();
    close();
    for (const jump of frame.passing.values()) {
      const flag = this.exitFlag(jump);
      this.scope.out.open(`if (exit_to == ${flag}u)`);
      if (this.reaches(jump)) this.scope.out.line('exit_to = 0u;');
      this.jump(jump);
      this.scope.out.close();
    }
  }

  private exitFlag({ kind, label }: Jump): number {
    this.scope.uses.variables.set('exit_to', 'var exit_to = 0u;');
    return (label + 1) * 2 + (kind === 'break' ? 1 : 2);
  }

  private catches(frame: Frame, { kind, label }: Jump): boolean {
    return kind === 'break' ? frame.breaks.has(label) : frame.continues === label;
  }

  /// Whether one WGSL statement does the jump from here.
  private reaches(jump: Jump): boolean {
    for (const frame of [...this.frames].reverse()) {
      if (this.catches(frame, jump)) return true;
      if (jump.kind === 'break' || frame.kind === 'loop') return false;
    }
    return false;
  }

  private jump(jump: Jump): void {
    const { out } = this.scope;
    if (this.reaches(jump)) {
      out.line(jump.kind === 'break' ? 'break;' : 'continue;');
      return;
    }
    const flag = this.exitFlag(jump);
    const innermost = this.frames[this.frames.length - 1];
    if (innermost === undefined) throw new Error(`no construct ${jump.label} to ${jump.kind}`);
    if (!innermost.passing.has(`${jump.kind}${jump.label}`)) innermost.passing.set(`${jump.kind}${jump.label}`, jump);
    out.line(`exit_to = ${flag}u;`);
    out.line('break;');
  }
}

/// Whether anything in a loop's body gets out of it.
function leaves(list: readonly Tree[], label: number, inside: ReadonlySet<number> = new Set()): boolean {
  return list.some((tree) => {
    if (tree.kind === 'exit' || tree.kind === 'trap') return true;
    if (tree.kind === 'break') return !inside.has(tree.label);
    if (tree.kind === 'continue') return tree.label !== label && !inside.has(tree.label);
    if (tree.kind === 'if') return leaves(tree.then, label, inside) || leaves(tree.else, label, inside);
    if (tree.kind === 'switch') return tree.arms.some((arm) => leaves(arm.body, label, inside));
    if (tree.kind === 'block') return leaves(tree.body, label, new Set([...inside, tree.label]));
    return tree.kind === 'loop' && leaves(tree.body, label, new Set([...inside, tree.label, ...tree.exits]));
  });
}
