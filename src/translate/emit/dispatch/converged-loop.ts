// Writes a loop for a warp in which all live lanes execute it together. The same variables as in
// the dispatch hold a lane's values, so that the lane can continue there from any point of the
// loop. Lanes do so if a warp instruction names lanes that have not reached it, or if some lanes
// leave the loop.
import { InternalError } from '../../../base/invariants.ts';
import * as w from '../../../wgsl/tree/build.ts';
import type { Expr } from '../../../wgsl/tree/nodes.ts';
import { lowestBit } from '../../../wgsl/warp/index.ts';
import type { WarpValue } from '../../../wgsl/warp/warp-writer.ts';
import type { DispatchLoop, Tree, TreeOf } from '../../control/tree.ts';
import { constantOf, type InstNamed } from '../../ir/nodes.ts';
import { memberMaskOf } from '../../ir/warp-facts.ts';
import { anyInSubgroup, inAnyWarp } from '../collectives/votes.ts';
import { lowerWarp, warpValue, warpWriter } from '../collectives/warp.ts';
import type { Emitter } from '../values/emitter.ts';

type Warp = InstNamed<'warp'>;
type Condition = (slot: Expr) => Expr;

/** The operations of the dispatch that a converged loop needs. */
export interface DispatchedLanes {
  /** Whether the lane is live. */
  readonly isLive: Condition;
  /** Writes the code of a lane on its own. */
  list(list: readonly Tree[]): void;
  /** The lane continues at a case. */
  continueAt(number: number): void;
}

/**
 * The maximum nesting of points at which lanes may diverge. On an H200, a loop of 32 guarded
 * shuffles runs at 51 % of native speed with one level, 65 % with four and 70 % with twelve.
 * SwiftShader needs three times as long to compile sixteen levels as twelve.
 */
const maxNested = 12;

export class ConvergedLoopWriter {
  private readonly emitter: Emitter;
  private readonly lanes: DispatchedLanes;
  private readonly eachIteration: () => void;
  /** The live lanes of the warp. */
  private readonly alive: Expr;
  private readonly together: Expr;
  /** In an arm that only some lanes take: the lanes of the arm. */
  private arm: Condition | undefined;

  constructor(emitter: Emitter, lanes: DispatchedLanes, alive: Expr, eachIteration: () => void) {
    this.emitter = emitter;
    this.eachIteration = eachIteration;
    this.lanes = lanes;
    this.alive = alive;
    this.together = emitter.once('together', () => emitter.declare('together', 'bool', w.bool(false)));
  }

  write({ body: list }: DispatchLoop): void {
    const { writer } = this.emitter;
    this.emitter.assign(this.together, w.bool(true));
    const body = writer.nest(() => {
      writer.push({ kind: 'if', condition: w.not(this.together), then: [w.leave], else: [] });
      this.eachIteration();
      this.list(list);
    });
    writer.push({ kind: 'loop', body, continuing: [] });
  }

  private isHere(slot: Expr): Expr {
    return (this.arm ?? this.lanes.isLive)(slot);
  }

  /**
   * Nests the code after a point of divergence in the branch of the lanes that stay. After
   * `maxNested` levels, a new condition starts at the outer level.
   */
  private list(parts: readonly Tree[]): void {
    let chunk: Tree[] = [];
    let places = 0;
    let isFirst = true;
    const flush = () => {
      const written = chunk;
      const write = () => this.nested(written);
      if (isFirst) write();
      else if (written.length > 0) this.ifTogether(write);
      [chunk, places, isFirst] = [[], 0, false];
    };
    for (const part of parts) {
      // Arms have lists of their own: start them at the outer level.
      if (part.kind === 'arms' && places > 0) flush();
      chunk.push(part);
      if (!this.mayPart(part)) continue;
      places += 1;
      if (part.kind === 'arms' || places === maxNested) flush();
    }
    flush();
  }

  private nested(parts: readonly Tree[]): void {
    const at = parts.findIndex((part) => this.mayPart(part));
    this.run(at < 0 ? parts : parts.slice(0, at));
    const part = parts[at];
    const rest = () => this.nested(parts.slice(at + 1));
    if (part?.kind === 'meet') this.meet(part, rest);
    else if (part?.kind === 'part') this.exit(part, rest);
    else if (part?.kind === 'arms') this.arms(part);
  }

  /** If all lanes are here, an instruction with a constant mask cannot wait for missing lanes. */
  private mayPart(part: Tree): boolean {
    if (part.kind === 'part' || part.kind === 'arms') return true;
    if (part.kind !== 'meet') return false;
    const mask = memberMaskOf(part.inst);
    return part.inst.when !== undefined || this.arm !== undefined || constantOf(mask) === undefined;
  }

  // Lane code.

  private run(parts: readonly Tree[]): void {
    let run: Tree[] = [];
    const flush = () => {
      const code = run;
      run = [];
      if (code.length > 0) this.eachHere(code, () => this.lanes.list(code));
    };
    for (const part of parts) {
      if (part.kind === 'meet') {
        flush();
        this.exchange(part.inst, (slot) => this.isHere(slot), undefined);
      } else run.push(part);
    }
    flush();
  }

  /**
   * Lanes that have ended may execute speculatable code, because no code reads their variables.
   * Lanes of another arm may not.
   */
  private eachHere(parts: readonly Tree[], body: () => void): void {
    const { emitter } = this;
    const isFree = this.arm === undefined && parts.every(isSpeculatable);
    emitter.eachSlot(() => {
      if (isFree) body();
      else emitter.if(this.isHere(emitter.slot), body);
    });
  }

  // Collective operations.

  private meet({ inst, alone }: TreeOf<'meet'>, rest: () => void): void {
    const { emitter } = this;
    const { writer } = emitter;
    const { when } = inst;
    emitter.from(inst.span);
    const isHere: Condition = (slot) => this.isHere(slot);
    const executes: Condition = when ? (slot) => w.both(isHere(slot), emitter.read(when, slot)) : isHere;
    const executing = warpWriter(emitter, undefined).each('bool', 'executes', executes);
    const { isIncomplete, members } = this.ask(inst, executing.at);
    const then = writer.nest(() => this.diverge(() => this.lanes.list(alone)));
    const otherwise = writer.nest(() => {
      this.exchange(inst, executing.at, members);
      rest();
    });
    writer.push({ kind: 'if', condition: isIncomplete, then, else: otherwise });
  }

  /**
   * Whether a live lane in the member mask does not execute the instruction, or executes it under a
   * mask other than that of the first lane. `members`: that mask, unless it is a constant.
   */
  private ask(inst: Warp, executes: Condition): { readonly isIncomplete: Expr; readonly members: Expr | undefined } {
    const { emitter, alive } = this;
    const warp = warpWriter(emitter, undefined);
    const here = inst.when || this.arm ? warp.ballot('here', executes) : alive;
    const missing = (members: Expr) => w.and(w.and(members, alive), w.complement(here));
    const answer = (lanes: Expr) =>
      emitter.copy('incomplete', inAnyWarp(emitter, w.both(w.ne(here, w.u32(0)), w.ne(lanes, w.u32(0)))));
    const mask = memberMaskOf(inst);
    const constant = constantOf(mask);
    if (mask === undefined) throw new InternalError('a converged loop has a warp instruction without a mask');
    if (constant !== undefined) return { isIncomplete: answer(missing(w.u32(constant))), members: undefined };
    const own: Condition = (slot) => emitter.read(mask, slot);
    // If no lane executes the instruction, the leader may be any lane.
    const leader = warp.define('leader', w.and(lowestBit(here), w.u32(31)));
    const named = warp.shuffle('mask', { type: 'u32', at: own }, { type: 'u32', at: () => leader });
    const others = warp.ballot('others', (slot) => w.both(executes(slot), w.ne(own(slot), named.at(slot))));
    const members = named.at(w.u32(0));
    return { isIncomplete: answer(w.or(missing(members), others)), members };
  }

  /**
   * Each lane here continues in the dispatch. The program counters of the others are already set.
   */
  private diverge(continueAlone: () => void): void {
    const { emitter } = this;
    emitter.eachSlot(() => emitter.if(this.isHere(emitter.slot), continueAlone));
    this.emitter.assign(this.together, w.bool(false));
  }

  private exchange(inst: Warp, executes: Condition, members: Expr | undefined): void {
    const { emitter } = this;
    const { when, results } = inst;
    emitter.from(inst.span);
    const args = inst.args.map((arg, index): WarpValue => {
      if (members === undefined || index < inst.args.length - 1) return warpValue(emitter, arg);
      return { type: 'u32', at: () => members, shared: true };
    });
    const isWanted = (index: number) => emitter.isRead(results[index]);
    const values = lowerWarp(emitter, inst, args, isWanted, executes);
    emitter.writer.origin = undefined;
    const write = (slot: Expr) => {
      results.forEach((result, index) => {
        const value = values[index];
        if (value === undefined || !isWanted(index)) return;
        const other = inst.otherwise[index];
        const given =
          when && other && other.kind !== 'undef'
            ? w.select(emitter.read(when, slot), value(slot), emitter.read(other, slot))
            : value(slot);
        emitter.values.assign(result, given, slot);
      });
    };
    emitter.eachSlot(() => {
      const { slot } = emitter;
      if (this.arm) emitter.if(this.arm(slot), () => write(slot));
      else write(slot);
    });
  }

  private exit(tree: TreeOf<'part'>, rest: () => void): void {
    const { emitter } = this;
    emitter.from(tree.span);
    const leaves: Condition = (slot) => {
      const value = emitter.read(tree.condition, slot);
      return w.both(this.isHere(slot), tree.leaves === 'then' ? value : w.not(value));
    };
    const someLeave = emitter.copy('some_leave', anyInSubgroup(emitter, leaves));
    const leave = () =>
      this.diverge(() => {
        emitter.if(
          emitter.read(tree.condition),
          () => this.lanes.list(tree.then),
          () => this.lanes.list(tree.else),
        );
      });
    emitter.if(someLeave, leave, rest);
  }

  /**
   * Executes the lanes of one arm, then those of the other. Both arms set program counters first,
   * in case the lanes have to continue in the dispatch.
   */
  private arms(tree: TreeOf<'arms'>): void {
    const { emitter } = this;
    const { join } = tree;
    emitter.from(tree.span);
    const outside = this.arm;
    const live = emitter.laneVariable('in_arm', 'bool');
    const other = emitter.laneVariable('other_arm', 'bool');
    emitter.eachSlot(() => {
      const { slot } = emitter;
      const isHere = this.isHere(slot);
      const taken = emitter.copy('taken', emitter.read(tree.condition));
      this.emitter.assign(live(), w.both(isHere, taken));
      this.emitter.assign(other(), w.both(isHere, w.not(taken)));
      // Execute the moves into the arm, and set the program counter of its first block.
      emitter.if(live(), () => this.lanes.list(tree.then.enter));
      emitter.if(other(), () => this.lanes.list(tree.else.enter));
    });
    const way = (parts: readonly Tree[]) => {
      if (parts.length === 0) return;
      this.arm = live;
      emitter.if(anyInSubgroup(emitter, live), () => {
        this.list(parts);
        this.ifTogether(() => emitter.eachSlot(() => emitter.if(live(), () => this.lanes.continueAt(join))));
      });
      this.arm = outside;
    };
    way(tree.then.body);
    emitter.eachSlot(() => {
      const was = emitter.copy('was', live());
      this.emitter.assign(live(), other());
      this.emitter.assign(other(), was);
    });
    this.ifTogether(() => way(tree.else.body));
  }

  private ifTogether(body: () => void): void {
    this.emitter.if(this.together, body);
  }
}

function isSpeculatable(part: Tree): boolean {
  switch (part.kind) {
    case 'code':
      return part.insts.every(({ operation }) => operation.speculatable);
    case 'if':
      return [...part.then, ...part.else].every(isSpeculatable);
    default:
      return part.kind === 'move';
  }
}
