// Writes a control tree as WGSL.

import { InternalError } from '../../base/invariants.ts';
import type { Span } from '../../ptx/ast.ts';
import * as w from '../../wgsl/tree/build.ts';
import type { Expr } from '../../wgsl/tree/nodes.ts';
import { endsLanes, jumpsOut, type Tree, type TreeOf, type Vote } from '../control/tree.ts';
import { isMatrixInst, type Value } from '../ir/nodes.ts';
import type { WarpKnowledge } from './collectives/warp.ts';
import type { DispatchWriter } from './dispatch/dispatch-writer.ts';
import { Jumps } from './jumps.ts';
import type { LiveMask } from './live-mask.ts';
import { collectivePart, matrixWriterPart } from './parts.ts';
import { statusCodes, statusStmt } from './program/status.ts';
import type { Emitter } from './values/emitter.ts';

/** The function that a tree belongs to: a kernel or a device function. */
export interface ControlContext {
  readonly knowledge?: () => WarpKnowledge;
  /** Emits the `return` of a device function. */
  readonly returnValues?: (values: readonly Value[]) => void;
}

export class ControlWriter {
  private readonly emitter: Emitter;
  private readonly context: ControlContext;
  private readonly jumps: Jumps;
  private mask: LiveMask | undefined;
  /** For each enclosing split of the mask: the lanes of the other arm. */
  private readonly otherArms: ((slot?: Expr) => Expr)[] = [];
  private dispatch: DispatchWriter | undefined;

  constructor(emitter: Emitter, context: ControlContext) {
    this.emitter = emitter;
    this.context = context;
    this.jumps = new Jumps(emitter);
  }

  write(trees: readonly Tree[]): void {
    this.list(trees);
  }

  list(trees: readonly Tree[]): void {
    const { writer } = this.emitter;
    const outside = writer.origin;
    for (const tree of trees) {
      writer.origin = placeOf(tree);
      this.tree(tree);
    }
    writer.origin = outside;
  }

  private tree(tree: Tree): void {
    const { emitter } = this;
    switch (tree.kind) {
      case 'code':
        return emitter.insts(tree.insts);
      case 'move':
        return emitter.move(tree.params, tree.args);
      case 'if':
        return this.branch(tree);
      case 'switch':
        return this.switch(tree);
      case 'loop':
        return this.loop(tree);
      case 'block':
        return this.block(tree);
      case 'break':
      case 'continue':
        return this.jumps.jump(tree);
      case 'exit':
        return this.exit();
      case 'trap':
        emitter.writer.push(statusStmt(emitter.uses, statusCodes.trap));
        return;
      case 'return':
        return this.return(tree.values);
      case 'lanes':
        return this.lanes(tree);
      case 'collective':
        return this.collective(tree);
      case 'any':
        return emitter.if(this.anyActive(tree.vote), () => this.list(tree.body));
      case 'mask':
        return this.changeMask(tree.change);
      case 'dispatch':
        this.dispatch = new collectivePart.content.DispatchWriter(emitter, tree.dispatch, {
          lane: (list) => this.list(list),
          converged: (list, active, eachIteration) => this.converged(list, active, eachIteration),
        });
        return this.dispatch.write();
      case 'goto':
      case 'wait':
      case 'resume':
      case 'pass':
        return this.dispatched.lane(tree);
      case 'meet':
        return this.meet(tree);
    }
  }

  private get dispatched(): DispatchWriter {
    if (this.dispatch === undefined) throw new InternalError('a lane is dispatched in a kernel that is not');
    return this.dispatch;
  }

  private get live(): LiveMask {
    if (this.mask === undefined) throw new InternalError('the kernel has no active mask');
    return this.mask;
  }

  private exit(): void {
    if (this.dispatch !== undefined) return this.dispatch.end();
    this.emitter.writer.push({ kind: 'return', value: undefined });
  }

  private return(values: readonly Value[]): void {
    if (this.context.returnValues === undefined) throw new InternalError('a kernel returns nothing');
    this.context.returnValues(values);
  }

  // Control flow.

  private branch({ condition, vote, then, else: otherwise }: TreeOf<'if'>): void {
    const { emitter } = this;
    const swap = vote !== 'none' && then.length === 0;
    emitter.if(
      this.sharedCondition(vote, condition, swap),
      () => this.list(swap ? otherwise : then),
      () => this.list(swap ? [] : otherwise),
    );
  }

  /**
   * Reads a condition that the lanes of a vote share: it is uniform even if some lanes are
   * inactive.
   */
  private sharedCondition(vote: Vote, condition: Value, negated: boolean): Expr {
    const { emitter, mask } = this;
    const own = (slot: Expr) => {
      const value = emitter.read(condition, slot);
      return negated ? w.not(value) : value;
    };
    if (vote === 'none') return own(emitter.slot);
    const live = (slot: Expr) => (mask ? w.both(mask.at(slot), own(slot)) : own(slot));
    return this.anyOf(vote, live);
  }

  private anyActive(vote: Vote): Expr {
    const live = (slot: Expr) => this.live.at(slot);
    return this.anyOf(vote, live);
  }

  private anyOf(vote: Vote, live: (slot: Expr) => Expr): Expr {
    const { anyInBlock, anyInSubgroup } = collectivePart.content;
    return (vote === 'block' ? anyInBlock : anyInSubgroup)(this.emitter, live);
  }

  private switch({ selector, arms }: TreeOf<'switch'>): void {
    const { writer } = this.emitter;
    const value = this.emitter.read(selector);
    this.jumps.frame({ kind: 'switch', breaks: new Set(), continues: undefined, passing: [] }, () => {
      const cases = arms.map(({ values, body }, index) => ({
        values,
        isDefault: index === arms.length - 1,
        body: writer.nest(() => this.list(body)),
      }));
      writer.push({ kind: 'switch', selector: value, cases });
    });
  }

  /** Writes a loop. `first` writes the start of the body. */
  private loop({ label, exits, vote, body, continuing }: TreeOf<'loop'>, first = () => {}): void {
    const { writer } = this.emitter;
    this.jumps.frame({ kind: 'loop', breaks: new Set(exits), continues: label, passing: [] }, () => {
      const stmts = writer.nest(() => {
        first();
        if (vote !== 'none') this.emitter.leaveIf(w.not(this.anyActive(vote)));
        else if (!endsLanes(body) && !jumpsOut(body, new Set([label]))) this.emitter.breakNever();
        this.list(body);
      });
      writer.push({ kind: 'loop', body: stmts, continuing: writer.nest(() => this.list(continuing)) });
    });
  }

  private block({ label, body }: TreeOf<'block'>): void {
    const { writer } = this.emitter;
    this.jumps.frame({ kind: 'switch', breaks: new Set([label]), continues: undefined, passing: [] }, () => {
      const stmts = writer.nest(() => this.list(body));
      writer.push({ kind: 'switch', selector: w.u32(0), cases: [{ values: [], isDefault: true, body: stmts }] });
    });
  }

  /** Writes lane code. No jump leaves it. */
  private lanes({ body, masked }: TreeOf<'lanes'>): void {
    const { emitter } = this;
    this.jumps.apart(() => {
      emitter.eachSlot(() => {
        if (masked) emitter.if(this.live.at(), () => this.list(body));
        else this.list(body);
      });
    });
  }

  private collective({ inst, keeps }: TreeOf<'collective'>): void {
    const { emitter, mask } = this;
    if (inst.op === 'barrier' && this.dispatch) return this.dispatch.pass(inst);
    const live = mask && ((slot: Expr) => mask.at(slot));
    if (inst.op === 'barrier') return collectivePart.content.writeBarrier(emitter, inst, live);
    if (isMatrixInst(inst)) return matrixWriterPart.content.writeMatrix(emitter, inst);
    collectivePart.content.writeWarp(emitter, inst, live, keeps ? live : undefined, this.knowledge);
  }

  private get knowledge(): WarpKnowledge {
    if (this.context.knowledge === undefined) throw new InternalError('a device function has no warp instructions');
    return this.context.knowledge();
  }

  /** Emits a converged loop, with an active mask of its own. */
  private converged(list: readonly Tree[], active: (slot: Expr) => Expr, eachIteration: () => void): void {
    const { emitter } = this;
    this.mask = new collectivePart.content.LiveMask(emitter, []);
    emitter.eachSlot(() => this.live.set(active(emitter.slot)));
    for (const tree of list) {
      if (tree.kind !== 'loop') throw new InternalError(`${tree.kind} is no converged loop`);
      this.loop(tree, eachIteration);
    }
    this.mask = undefined;
  }

  private meet({ inst, alone }: TreeOf<'meet'>): void {
    const { emitter } = this;
    const live = (slot: Expr) => this.live.at(slot);
    const isWhole = this.otherArms.length === 0;
    const { isIncomplete, ...together } = this.dispatched.ask(inst, live, isWhole);
    emitter.if(isIncomplete, () => this.list(alone));
    collectivePart.content.writeWarp(emitter, inst, live, isWhole ? undefined : live, this.knowledge, together);
  }

  private changeMask(change: TreeOf<'mask'>['change']): void {
    const { emitter } = this;
    switch (change.op) {
      case 'start':
        this.mask = new collectivePart.content.LiveMask(emitter, change.rejoins);
        return this.mask.start();
      case 'leave':
        return this.live.leave(change.until);
      case 'leave-if':
      case 'leave-unless':
        return emitter.eachSlot(() => {
          const condition = emitter.read(change.condition);
          this.live.leaveUnless(change.op === 'leave-if' ? w.not(condition) : condition, change.until);
        });
      case 'leave-all':
        return this.live.leaveAll(change.until);
      case 'rejoin':
        return this.live.rejoin(change.jump);
      case 'split':
        return this.split(change.condition);
      case 'other':
        return this.toOther();
      case 'join':
        return this.join();
    }
  }

  private split(condition: Value): void {
    const { emitter, live } = this;
    const other = emitter.laneVariable('other_arm', 'bool');
    this.otherArms.push(other);
    emitter.eachSlot(() => {
      const yes = emitter.name('taken', emitter.read(condition));
      emitter.writer.push(w.assign(other(), w.both(live.at(), w.not(yes))));
      live.set(w.both(live.at(), yes));
    });
  }

  /**
   * Exchanges the two arms of a split. Afterwards `other` holds the lanes that were active before.
   */
  private toOther(): void {
    const { emitter, live, other } = this;
    emitter.eachSlot(() => {
      const was = emitter.copy('was_live', live.at());
      live.set(other());
      emitter.writer.push(w.assign(other(), was));
    });
  }

  private join(): void {
    const { emitter, live, other } = this;
    emitter.eachSlot(() => live.set(w.either(live.at(), other())));
    this.otherArms.pop();
  }

  private get other(): (slot?: Expr) => Expr {
    const other = this.otherArms.at(-1);
    if (other === undefined) throw new InternalError('no branch has parted the lanes here');
    return other;
  }
}

/** Returns the PTX that a construct comes from; undefined for a construct without its own PTX. */
function placeOf(tree: Tree): Span | undefined {
  switch (tree.kind) {
    case 'if':
    case 'switch':
    case 'trap':
    case 'return':
      return tree.span;
    case 'collective':
    case 'meet':
    case 'resume':
    case 'pass':
      return tree.inst.span;
    case 'wait':
      return tree.inst?.span;
    case 'mask':
      return tree.change.op === 'split' ? tree.change.span : undefined;
    default:
      return undefined;
  }
}
