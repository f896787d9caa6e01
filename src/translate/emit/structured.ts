// Writes the plan of a kernel whose warp instructions stand in place.
import * as w from '../../wgsl/tree/build.ts';
import type { Expr } from '../../wgsl/tree/nodes.ts';
import type { Inst, Value } from '../ir/nodes.ts';
import { anyInBlock, anyInSubgroup } from './agreements.ts';
import { writeBarrier } from './barrier.ts';
import type { Emitter } from './emitter.ts';
import { type Frame, LaneCode, type LaneHooks } from './lane-code.ts';
import { LiveMask } from './live-mask.ts';
import { writeTrap } from './status.ts';
import type { Agreement, Needs, Step } from './steps.ts';
import { type WarpKnowledge, writeWarp } from './warp.ts';

type StepOf<Kind extends Step['kind']> = Extract<Step, { readonly kind: Kind }>;

export class Structured {
  private readonly emitter: Emitter;
  private readonly facts: WarpKnowledge;
  private readonly mask: LiveMask;
  /// Jumps of the warp's own.
  private readonly jumps: LaneCode;
  /// Runs of lane code, which nothing jumps out of.
  private readonly runs: LaneCode;

  constructor(emitter: Emitter, needs: Needs, facts: WarpKnowledge) {
    this.emitter = emitter;
    this.facts = facts;
    this.mask = new LiveMask(emitter, needs);
    this.jumps = new LaneCode(emitter, this.hooks());
    this.runs = new LaneCode(emitter, this.hooks());
  }

  write(steps: readonly Step[]): void {
    this.mask.start();
    this.list(steps);
  }

  private hooks(): LaneHooks {
    return {
      insts: (insts) => this.emitter.insts(insts),
      exit: () => this.mask.leave(undefined),
      trap: () => writeTrap(this.emitter),
      leave: (until) => this.mask.leave(until),
      result: () => {
        throw new Error('a kernel returns nothing');
      },
    };
  }

  private list(steps: readonly Step[]): void {
    for (const step of steps) this.step(step);
  }

  private step(step: Step): void {
    const { emitter, mask } = this;
    switch (step.kind) {
      case 'lanes': {
        const { runs } = this;
        return emitter.eachSlot(() => {
          if (step.masked) emitter.if(mask.at(), () => runs.list(step.body));
          else runs.list(step.body);
        });
      }
      case 'leave':
        return emitter.eachSlot(() => {
          const condition = emitter.read(step.condition);
          mask.leaveUnless(step.negated ? w.not(condition) : condition, step.until);
        });
      case 'collective':
        return this.collective(step);
      case 'if':
        return this.uniformIf(step);
      case 'arms':
        return this.arms(step);
      case 'loop':
        return this.loop(step);
      case 'block':
        return this.jumps.block(step.label, () => this.list(step.body));
      case 'jump':
        return this.jumps.jump(step.jump);
      case 'leave-all':
        return mask.leaveAll(step.until);
      case 'return':
        return mask.comeBack(step.jump);
    }
  }

  /// A condition that lanes share, so that it is uniform even if some have ended.
  private common(agreement: Agreement, condition: Value, negated: boolean): Expr {
    const { emitter, mask } = this;
    const own = (slot: Expr) => {
      const value = emitter.read(condition, slot);
      return negated ? w.not(value) : value;
    };
    if (agreement === 'none') return own(emitter.slot);
    const live = (slot: Expr) => (mask.isNeeded ? w.both(mask.at(slot), own(slot)) : own(slot));
    return agreement === 'block' ? anyInBlock(emitter, live) : anyInSubgroup(emitter, live);
  }

  private anyone(agreement: Agreement): Expr {
    const live = (slot: Expr) => this.mask.at(slot);
    return agreement === 'block' ? anyInBlock(this.emitter, live) : anyInSubgroup(this.emitter, live);
  }

  private uniformIf({ condition, agreement, then, else: otherwise, tree }: StepOf<'if'>): void {
    const { emitter } = this;
    emitter.from(tree.span);
    const swap = then.length === 0;
    const value = this.common(agreement, condition, swap);
    emitter.if(
      value,
      () => this.list(swap ? otherwise : then),
      () => this.list(swap ? [] : otherwise),
    );
  }

  /// Both arms of a branch that lanes take differently, one after the other.
  private arms({ condition, then, else: otherwise, tree }: StepOf<'arms'>): void {
    const { emitter, mask } = this;
    const { writer } = emitter;
    emitter.from(tree.span);
    const other = emitter.laneVariable('other_arm', 'bool');
    const set = (target: Expr, value: Expr) => writer.push({ kind: 'assign', target, value });
    emitter.eachSlot(() => {
      const yes = emitter.name('taken', emitter.read(condition));
      set(other(), w.both(mask.at(), w.not(yes)));
      mask.set(w.both(mask.at(), yes));
    });
    this.arm(then);
    // The arms change places: the lanes of the first wait in the flag.
    emitter.eachSlot(() => {
      const was = emitter.copy('was_live', mask.at());
      mask.set(other());
      set(other(), was);
    });
    this.arm(otherwise);
    emitter.eachSlot(() => mask.set(w.either(mask.at(), other())));
  }

  private arm({ steps, agreement }: StepOf<'arms'>['then']): void {
    if (steps.length === 0) return;
    if (agreement === 'none') this.list(steps);
    else this.emitter.if(this.anyone(agreement), () => this.list(steps));
  }

  private loop({ tree, body, agreement, endless }: StepOf<'loop'>): void {
    const { emitter, mask } = this;
    const { writer } = emitter;
    const frame: Frame = { kind: 'loop', breaks: new Set(tree.exits), continues: tree.label, passing: [] };
    this.jumps.frame(frame, () => {
      const stmts = writer.nest(() => {
        if (agreement !== 'none') {
          const gone = w.not(this.anyone(agreement));
          writer.push({ kind: 'if', condition: gone, then: [w.leave], else: [] });
        } else if (endless) {
          emitter.breakNever();
        }
        this.list(body);
      });
      const continuing = writer.nest(() => mask.comeBack({ kind: 'continue', label: tree.label }));
      writer.origin = undefined;
      writer.push({ kind: 'loop', body: stmts, continuing });
    });
  }

  private collective({ inst, keep }: StepOf<'collective'>): void {
    const { emitter, mask } = this;
    emitter.from(inst.span);
    const live = mask.isNeeded ? (slot: Expr) => mask.at(slot) : undefined;
    if (inst.operation.effect === 'block') writeBarrier(emitter, inst as Extract<Inst, { op: 'barrier' }>, live);
    else writeWarp(emitter, inst as Extract<Inst, { op: 'warp' }>, live, keep ? live : undefined, this.facts);
  }
}
