// Warp instructions that the whole subgroup reaches.

import { exchangesInWorkgroup } from '../../../base/lane-plan.ts';
import { getOrInsert } from '../../../base/maps.ts';
import * as w from '../../../wgsl/tree/build.ts';
import { type Expr, Name } from '../../../wgsl/tree/nodes.ts';
import {
  type ExchangeMemory,
  lowerWarp as lower,
  WarpPrelude,
  type WarpSite,
  type WarpValue,
} from '../../../wgsl/warp/index.ts';
import { WarpWriter } from '../../../wgsl/warp/warp-writer.ts';
import { constantOf, type InstNamed, type Value } from '../../ir/nodes.ts';
import { memberMaskOf, warpFacts } from '../../ir/warp-facts.ts';
import { laneNumber } from '../program/lane-numbers.ts';
import { waitBeforeBarrier } from '../program/ordered-accesses.ts';
import type { ProgramUses } from '../program/program-uses.ts';
import type { Emitter } from '../values/emitter.ts';
import { wgslTypeOf } from '../values/held-values.ts';
import { writeWorkgroupBarrier } from './workgroup-barrier.ts';

type Warp = InstNamed<'warp'>;
type Condition = (slot: Expr) => Expr;

/** Facts from the analyses about a kernel's warp instructions. */
export interface WarpKnowledge {
  /**
   * Whether lanes in the member mask may be missing when the others execute the instruction,
   * because they have ended or the warp has fewer than 32 threads.
   */
  readonly mayMiss: (inst: Warp) => boolean;
  /** Whether all lanes of the warp hold the same value. */
  readonly isUniform: (value: Value) => boolean;
  /** Returns a number of bits such that the value is less than 2^bits in every lane. */
  readonly bitsOf: (value: Value) => number;
  /** Whether the value, as an f32, is neither subnormal nor -0 in any lane. */
  readonly isOrdinary: (value: Value) => boolean;
}

/**
 * Returns the context of a warp instruction. `active`: whether a lane executes the instruction;
 * undefined if all lanes do. All instructions without `active` share one context.
 */
function siteOf(emitter: Emitter, active: Condition | undefined, guard?: Condition): WarpSite {
  if (active !== undefined || guard !== undefined) return { ...makeSite(emitter, active), guard };
  return emitter.once('warp site', () => makeSite(emitter, active));
}

function makeSite(emitter: Emitter, active: Condition | undefined): WarpSite {
  const { uses, writer } = emitter;
  const { plan, float, workarounds } = uses.options;
  if (plan.kind !== 'portable') uses.subgroups = true;
  const memory = exchangesInWorkgroup(plan) ? exchangeMemory(uses) : undefined;
  return {
    plan,
    workarounds,
    anyNaN: float.mode === 'fast',
    isExact: float.mode === 'exact',
    flushes: float.mode === 'exact' && float.denormals === 'flushed',
    matrix: float.matrix,
    packsHalf: float.packHalf === 'exact',
    prelude: uses.once('warp prelude', () => new WarpPrelude(plan, workarounds, memory)),
    lane: (slot) => laneNumber(uses, slot),
    active,
    warpInSubgroup: () => uses.builtin('warpInSubgroup'),
    push: (stmt) => {
      writer.push(stmt);
    },
    nest: (body) => writer.nest(body),
    order: () => (exchangesInWorkgroup(plan) ? writeWorkgroupBarrier : waitBeforeBarrier)(emitter),
    eachSlot: (body) => emitter.eachSlot(() => body(emitter.slot)),
    atTop: (key, hint, value) => {
      const { name } = getOrInsert(uses.laneValues, key, () => ({ name: new Name(hint), value: value() }));
      return w.ref(name, 'u32');
    },
  };
}

const exchangeMemory = (uses: ProgramUses): ExchangeMemory => ({
  invocations: uses.options.workgroupSize,
  thread: () => uses.builtin('thread'),
  workgroup: (hint, type) => uses.workgroupVariable(hint, type),
  own: (hint, start) => uses.invocationValue(hint, start),
});

export const warpWriter = (emitter: Emitter, active: Condition | undefined): WarpWriter =>
  new WarpWriter(siteOf(emitter, active));

/**
 * Returns a value as the lowering of a warp instruction reads it: its expression in each lane, and
 * its constant.
 */
function warpValue(emitter: Emitter, value: Value, knowledge: WarpKnowledge): WarpValue {
  const type = wgslTypeOf(value.type);
  const constant = constantOf(value);
  return {
    type,
    at: (slot) => emitter.read(value, slot),
    whole: constant === undefined ? () => emitter.values.readWhole(value, type) : undefined,
    constant,
    bits: value.type === 'i32' ? () => knowledge.bitsOf(value) : undefined,
    isOrdinary: () => knowledge.isOrdinary(value),
  };
}

/**
 * Writes an instruction for the lanes in which `active` holds. Returns its results in the order of
 * the row's syntax. A result that nothing reads is undefined.
 */
export function lowerWarp(
  emitter: Emitter,
  { attrs: { row, mods, products, asWord }, results }: Warp,
  args: readonly WarpValue[],
  wanted: (index: number) => boolean,
  active: Condition | undefined,
  guard?: Condition,
): readonly (Condition | undefined)[] {
  const values = lower(siteOf(emitter, active, guard), {
    row,
    mods,
    products,
    asWord,
    args,
    wanted: results.map((_, index) => wanted(index)),
  });
  return values.map((value) => value?.at);
}

function bothOf(a: Condition | undefined, b: Condition | undefined): Condition | undefined {
  return a && b ? (slot) => w.both(a(slot), b(slot)) : (a ?? b);
}

/** Whether a mask is the whole warp's ballot of a predicate. */
function isBallotOf(mask: Value, predicate: Value): boolean {
  if (mask.kind !== 'result' || mask.inst.op !== 'warp') return false;
  const { attrs, args, when } = mask.inst;
  if (warpFacts(attrs.row).ballot !== 'first' || when !== undefined || args[0] !== predicate) return false;
  const members = memberMaskOf(mask.inst);
  return members === undefined || constantOf(members) === 0xffff_ffffn;
}

/** The lanes that execute an instruction together, if a test has found them. */
export interface TogetherLanes {
  readonly executes: Condition;
  /** The member mask that the lanes share; undefined if it is a constant. */
  readonly members: Expr | undefined;
}

/**
 * Writes a warp instruction that the whole subgroup reaches. `live`: whether a lane is active;
 * undefined if all lanes are active. `keep`: lanes in which this is false keep the old results.
 */
export function writeWarp(
  emitter: Emitter,
  inst: Warp,
  live: Condition | undefined,
  keep: Condition | undefined,
  knowledge: WarpKnowledge,
  together?: TogetherLanes,
): void {
  const facts = warpFacts(inst.attrs.row);
  const { when } = inst;
  const guard = when && ((slot: Expr) => emitter.read(when, slot));
  // If one lane of a member mask executes the instruction, all lanes of the mask that have not
  // ended execute it, so the guard needs no test. The mask itself excludes the values of other
  // lanes.
  const present = knowledge.mayMiss(inst) ? live : undefined;
  const active = together?.executes ?? (facts.membermask === undefined ? bothOf(present, guard) : present);
  const maskIndex = facts.membermask === undefined ? -1 : inst.args.length - 1;
  const args = inst.args.map((arg, index): WarpValue => {
    if (index === maskIndex && together?.members !== undefined) {
      const { members } = together;
      return { type: 'u32', at: () => members, shared: true };
    }
    const value = warpValue(emitter, arg, knowledge);
    // If the whole warp has the same membermask, no search for groups is needed. This requires that
    // all lanes are active: an inactive lane may still hold an older membermask.
    if (index === maskIndex && value.constant === undefined && live === undefined && knowledge.isUniform(arg)) {
      const namesGuarded = when !== undefined && isBallotOf(arg, when);
      return { ...value, shared: true, ...(namesGuarded ? { namesGuarded } : {}) };
    }
    return value;
  });
  const results = lowerWarp(
    emitter,
    inst,
    args,
    (index) => emitter.isRead(inst.results[index]),
    active,
    bothOf(live, guard),
  );
  if (results.every((value) => value === undefined)) return;
  emitter.eachSlot(() => {
    const { slot } = emitter;
    const write = () => {
      for (let index = 0; index < results.length; index++) {
        const result = inst.results[index];
        const value = results[index];
        if (result === undefined || value === undefined) continue;
        const otherwise = inst.otherwise[index];
        const own = value(slot);
        const isKept = guard !== undefined && otherwise !== undefined && otherwise.kind !== 'undef';
        emitter.define(result, isKept ? w.select(guard(slot), own, emitter.read(otherwise)) : own);
      }
    };
    if (keep) emitter.if(keep(slot), write);
    else write();
  });
}
