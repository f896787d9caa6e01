// The state shared by the writers of one function: its statements, its values, and the parts of the
// program that it uses.

import type { Span } from '../../../ptx/ast.ts';
import * as w from '../../../wgsl/tree/build.ts';
import { type Expr, Name, type ScalarType, type WgslType } from '../../../wgsl/tree/nodes.ts';
import { type Scope, Writer } from '../../../wgsl/tree/writer.ts';
import type { FlowGraph } from '../../graph/index.ts';
import { IdMap, type ReadonlyIdSet } from '../../ir/id-map.ts';
import {
  type Definition,
  type Func,
  type Inst,
  isDefinition,
  type Param,
  type Result,
  type Value,
} from '../../ir/nodes.ts';
import type { Type } from '../../ir/types.ts';
import type { ProgramUses } from '../program/program-uses.ts';
import { type Held, HeldValues, type HoldOptions } from './held-values.ts';
import { LiveRanges } from './live-ranges.ts';
import { assignInParallel, type Move } from './parallel-moves.ts';
import { readOnceNearby } from './read-once.ts';
import { shareDispatched, shareWithParams } from './shared-variables.ts';

/** The maximum nesting depth of an expression, because WGSL compilers recurse into expressions. */
const maxHeight = 8;

/** Emits instructions that involve one lane only. */
export interface InstWriter {
  readonly write: (emitter: Emitter, inst: Inst) => void;
  /** Handles instructions whose values need no statement. */
  readonly alias: (emitter: Emitter, inst: Inst) => void;
}

/**
 * A variable with one element per lane. Returns the element of a slot, by default of the current
 * slot.
 */
export type LaneVariable = (slot?: Expr) => Expr;

export interface EmitterOptions extends HoldOptions {
  /**
   * The graph of the function, if values may share variables. That requires each lane to execute
   * blocks exactly in the order of the graph.
   */
  readonly sharing: FlowGraph | undefined;
  /** Whether a branch's condition may be written twice. */
  readonly repeatsConditions: boolean;
}

export class Emitter {
  readonly writer = new Writer();
  readonly values: HeldValues;
  readonly uses: ProgramUses;
  /** Lanes per invocation. */
  readonly slots: number;
  /** The slot of the lane that is being written. */
  slot: Expr = w.u32(0);
  private readonly writing: InstWriter;
  private readonly top: Scope;
  private readonly shared = new Map<string, unknown>();
  private readonly inlined: ReadonlyIdSet<Definition>;
  private readonly isResultRead: (value: Result) => boolean;
  private readonly heights = new IdMap<Definition, number>();
  private ranges: LiveRanges | undefined;
  private readonly options: EmitterOptions;

  constructor(func: Func, uses: ProgramUses, writing: InstWriter, options: EmitterOptions) {
    const { sharing, dispatched } = options;
    this.options = options;
    this.uses = uses;
    this.writing = writing;
    this.slots = options.slots;
    this.values = new HeldValues(this.writer, options, uses.options.workarounds);
    this.top = this.writer.scope;
    // If values share variables, statements between two copies of a condition may assign its
    // operands.
    const mayShare = (type: Type) => sharing !== undefined && (dispatched || type !== 'i1');
    const { inlined, isRead } = readOnceNearby(func, {
      args: (type) => !mayShare(type),
      conditions: sharing === undefined || !options.repeatsConditions,
    });
    this.inlined = inlined;
    this.isResultRead = isRead;
    for (const { insts } of func.blocks) {
      for (let at = 0; at < insts.length; at++) {
        const inst = insts[at];
        if (inst !== undefined) writing.alias(this, inst);
      }
    }
    if (sharing === undefined) return;
    const isHeld = (value: Definition) => this.values.isHeld(value);
    const ranges = () => this.rangesIn(sharing);
    this.values.share(shareWithParams(sharing, { ranges, isHeld, mayShare }));
  }

  /** Chooses a `let` or a variable for each value. Call this after everything is written. */
  settle(): void {
    const { sharing, dispatched } = this.options;
    if (sharing === undefined || !dispatched) this.values.settle();
    else this.values.settle((variables, join) => shareDispatched(sharing, this.rangesIn(sharing), variables, join));
  }

  /**
   * Returns the live ranges. They do not change while the function is being written, so they are
   * computed once.
   */
  private rangesIn(graph: FlowGraph): LiveRanges {
    this.ranges ??= new LiveRanges(graph, this.inlined);
    this.ranges.restart();
    return this.ranges;
  }

  /** Returns the function's single item with this key. Creates the item on first use. */
  once<T>(key: string, make: () => T): T {
    if (!this.shared.has(key)) this.shared.set(key, make());
    return this.shared.get(key) as T;
  }

  /**
   * Sets the PTX span of the statements that follow. An undefined span, as in a fragment's frame,
   * changes nothing.
   */
  from(span: Span | undefined): void {
    if (span !== undefined) this.writer.origin = span;
  }

  /** Whether any instruction reads the result. */
  isRead(value: Result | undefined): boolean {
    return value !== undefined && this.isResultRead(value);
  }

  read(value: Value, slot: Expr = this.slot): Expr {
    return this.values.read(value, slot);
  }

  /** Names the current value of an expression. */
  copy(hint: string, value: Expr): Expr {
    const name = new Name(hint);
    this.writer.let(name, value);
    return w.ref(name, value.type);
  }

  /** Declares a variable at the top of the function. */
  declare(hint: string, type: WgslType, value?: Expr): Expr {
    const name = new Name(hint);
    this.top.stmts.unshift(w.variable(name, type, value));
    return w.ref(name, type);
  }

  /** Declares a variable at the current place. */
  variable(hint: string, type: WgslType, value?: Expr): Expr {
    const [variable, declaration] = w.localVariable(hint, type, value);
    this.writer.push(declaration);
    return variable;
  }

  assign(target: Expr, value: Expr): void {
    this.writer.push(w.assign(target, value));
  }

  loop(body: () => void, continuing: () => void = () => undefined): void {
    const stmts = this.writer.nest(body);
    this.writer.push(w.loop(stmts, this.writer.nest(continuing)));
  }

  /** Leaves the innermost loop if a condition holds. */
  leaveIf(condition: Expr): void {
    this.writer.push(w.when(condition, [w.leave]));
  }

  /** Emits `body` for each index below `count`. */
  repeat(hint: string, count: number, body: (index: Expr) => void): void {
    const name = new Name(hint);
    const stmts = this.writer.nest(() => body(w.ref(name, 'u32')));
    this.writer.push(w.repeat(name, count, stmts));
  }

  comment(text: string): void {
    this.writer.push({ kind: 'comment', text });
  }

  /** Loads a word that other invocations change, and names the loaded value. */
  load(hint: string, word: Expr): Expr {
    return this.copy(hint, w.builtin('atomicLoad', 'u32', w.addressOf(word)));
  }

  /** Performs an atomic operation on a word for its effect. */
  perform(fn: 'atomicAdd' | 'atomicMax' | 'atomicOr' | 'atomicStore', word: Expr, value: Expr): void {
    this.writer.push(w.perform(w.builtin(fn, 'u32', w.addressOf(word), value)));
  }

  /** Defines the value of an instruction or parameter. */
  define(value: Definition, expression: Expr): void {
    this.values.define(value, expression, this.slot);
  }

  /**
   * Defines a pure result. If the result is read once and nearby, its expression is written there;
   * otherwise the result has a name.
   */
  defineOrInline(value: Definition, height: number, expression: (slot: Expr) => Expr): void {
    if (this.inlined.has(value) && height < maxHeight) {
      this.heights.set(value, height + 1);
      this.values.inline(value, expression);
    } else {
      this.define(value, expression(this.slot));
    }
  }

  /**
   * Like `defineOrInline`, for an expression of an instruction's arguments. Most results have a
   * name.
   */
  defineInst(value: Definition, inst: Inst, expression: (args: readonly Expr[], inst: Inst) => Expr): void {
    const { args } = inst;
    const height = this.inlined.has(value) ? this.heightOfAll(args) : maxHeight;
    if (height < maxHeight) this.inlineInst(value, inst, height, expression);
    else this.define(value, expression(this.readAll(args, this.slot), inst));
  }

  private inlineInst(
    value: Definition,
    inst: Inst,
    height: number,
    expression: (args: readonly Expr[], inst: Inst) => Expr,
  ): void {
    this.heights.set(value, height + 1);
    this.values.inline(value, (slot) => expression(this.readAll(inst.args, slot), inst));
  }

  /**
   * Reads several values. Lists of one and two elements are written out, because a growing list
   * reserves room for sixteen more.
   */
  private readAll(values: readonly Value[], slot: Expr): readonly Expr[] {
    const first = values[0];
    const second = values[1];
    if (first === undefined) return [];
    if (second === undefined) return [this.values.read(first, slot)];
    if (values.length === 2) return [this.values.read(first, slot), this.values.read(second, slot)];
    return values.map((value) => this.values.read(value, slot));
  }

  /** Returns the nesting depth of a value's expression, if the expression is written in place. */
  heightOf(value: Value): number {
    // Absent: a named value has no height.
    return isDefinition(value) ? (this.heights.get(value) ?? 0) : 0;
  }

  /** Returns the maximum nesting depth of several values. */
  heightOfAll(values: readonly Value[]): number {
    let height = 0;
    for (const value of values) height = Math.max(height, this.heightOf(value));
    return height;
  }

  /** Names an expression, unless it is already a name or a literal. */
  name(hint: string, value: Expr): Expr {
    return value.kind === 'name' || value.kind === 'literal' ? value : this.copy(hint, value);
  }

  insts(insts: readonly Inst[]): void {
    let index = 0;
    while (index < insts.length) {
      const inst = insts[index];
      if (inst === undefined) return;
      index += 1;
      if (inst.when === undefined) {
        this.from(inst.span);
        this.writing.write(this, inst);
        continue;
      }
      // Adjacent instructions under the same condition share an `if`.
      const group = [inst];
      for (
        let next = insts[index];
        next?.when === inst.when && !next.otherwise.some((value) => isResultOf(value, group));
        next = insts[index]
      ) {
        group.push(next);
        index += 1;
      }
      this.guarded(inst.when, group);
    }
  }

  private guarded(when: Value, group: readonly Inst[]): void {
    this.from(group[0]?.span);
    for (const inst of group) {
      inst.results.forEach((result, index) => {
        const otherwise = inst.otherwise[index];
        if (otherwise !== undefined) this.values.assign(result, this.read(otherwise), this.slot);
      });
    }
    this.if(this.read(when), () => {
      for (const inst of group) {
        this.from(inst.span);
        this.writing.write(this, inst);
      }
    });
  }

  /** Emits an `if`. If only the second arm has statements, negates the condition. */
  if(condition: Expr, then: () => void, otherwise: () => void = () => undefined): void {
    const { writer } = this;
    const { origin } = writer;
    const first = writer.nest(then);
    writer.origin = origin;
    const second = writer.nest(otherwise);
    if (first.length === 0 && second.length === 0) return;
    const { origin: last } = writer;
    writer.origin = origin;
    if (first.length === 0) writer.push({ kind: 'if', condition: w.not(condition), then: second, else: [] });
    else writer.push({ kind: 'if', condition, then: first, else: second });
    writer.origin = last;
  }

  /** Assigns the parameters of a block, all in parallel. */
  move(params: readonly Param[], args: readonly Value[]): void {
    this.writer.origin = undefined;
    const moves = new Map<Held, Move>();
    params.forEach((param, index) => {
      const arg = args[index];
      if (arg?.kind === 'undef') this.values.reach(param);
      if (arg === undefined || arg.kind === 'undef') return;
      if (isDefinition(arg) && this.values.shareVariable(param, arg)) return;
      const variable = this.values.variableOf(param);
      const span = arg.kind === 'result' && this.inlined.has(arg) ? arg.inst.span : undefined;
      const { result, reads } = this.values.watch(() => this.read(arg));
      moves.set(variable, { param, variable, span, value: result, reads, readers: 0 });
    });
    assignInParallel(moves, {
      assign: (move) => {
        this.from(move.span);
        this.values.assign(move.param, move.value, this.slot);
      },
      copy: (value) => this.copy('next', value),
    });
  }

  /** Emits `body` for each lane of the invocation. */
  eachSlot(body: () => void): void {
    if (this.slots === 1) return body();
    const outside = this.slot;
    const name = new Name('s');
    this.slot = w.ref(name, 'u32');
    const stmts = this.writer.nest(body, name);
    this.slot = outside;
    if (stmts.length > 0) this.writer.push({ kind: 'repeat', name, count: this.slots, body: stmts });
  }

  /** Declares a variable with one element per lane of the invocation. */
  laneVariable(hint: string, type: ScalarType): LaneVariable {
    if (this.slots === 1) {
      const variable = this.declare(hint, type);
      return () => variable;
    }
    const array = this.declare(hint, w.array(type, this.slots));
    return (slot = this.slot) => w.index(array, slot);
  }

  /** Emits an exit that never executes, because WGSL requires an exit in an endless loop. */
  breakNever(): void {
    const never = this.once('never', () => this.declare('never', 'bool', w.bool(false)));
    this.writer.push(w.when(never, [w.leave]));
  }
}

const isResultOf = (value: Value, group: readonly Inst[]): boolean =>
  value.kind === 'result' && group.includes(value.inst);
