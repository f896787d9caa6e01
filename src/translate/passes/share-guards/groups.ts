// Finds groups of f32 operations that are worth one guard, and the requirements of the guard.

import type { FloatProfile } from '../../../base/float-profile.ts';
import { allOf } from '../../../base/maps.ts';
import { demandsOf, isExactBut, knownQuantum, leastQuantum } from '../../analysis/quanta.ts';
import { usersOf } from '../../graph/index.ts';
import { KnownZeros } from '../../graph/known-zeros.ts';
import {
  type Block,
  constantOf,
  type Definition,
  type Func,
  type Inst,
  type Result,
  type Value,
} from '../../ir/nodes.ts';
import { shuffled } from './facts.ts';
import { type Item, scheduleBlock } from './schedule.ts';
import { isModest, Wanted } from './wanted.ts';

/** Operations under one guard. */
export interface Group {
  readonly block: Block;
  readonly ops: readonly Inst[];
  /** The quanta that the group requires of values from outside. */
  readonly needs: ReadonlyMap<Definition, number>;
  /** Results that other instructions read. */
  readonly escaping: readonly Result[];
  /** Loads that only the group reads, and the bitcasts of their results, in order. */
  readonly own: readonly Inst[];
}

/** A part of a block: an instruction, or a group. */
export type Part = { readonly kind: 'inst'; readonly inst: Inst } | { readonly kind: 'group'; readonly group: Group };

/** The approximate cost of an operation's own guard, in instructions. */
const ownGuards: Readonly<Partial<Record<Inst['op'], number>>> = { ffma: 12, fmin: 8, fmax: 8 };
/** Absent: the other operations have equal costs. */
const ownGuard = (op: Inst['op']): number => ownGuards[op] ?? 6;
const testCost = 2;
const branchCost = 4;

export const groupsIn = (parts: ReadonlyMap<Block, readonly Part[]>): readonly Group[] =>
  [...parts.values()].flat().flatMap((part) => (part.kind === 'group' ? [part.group] : []));

/**
 * Returns the parts of each block that has groups. `votes`: whether lanes can exchange facts
 * cheaply.
 */
export function partsOf(func: Func, float: FloatProfile, votes: boolean): ReadonlyMap<Block, readonly Part[]> {
  let zeros: KnownZeros | undefined;
  // A driver folds operations with a known zero without regard for infinities and signs.
  const isCandidate = (inst: Inst): boolean => {
    if (!isExactBut(inst, float)) return false;
    zeros ??= new KnownZeros(func, { hidden: true });
    const known = zeros;
    return !inst.args.some((arg) => constantOf(arg) === undefined && known.mayBeZero(arg));
  };
  const scheduled = func.blocks.flatMap((block) => {
    const items = scheduleBlock(block, isCandidate);
    return items === undefined ? [] : [{ block, items }];
  });
  if (scheduled.length === 0) return new Map();
  const users = usersOf(func);
  const entry = func.blocks[0];
  const found = new Map<Block, readonly Part[]>();
  const wanted = new Wanted(func);
  // Later groups first: earlier groups can establish the facts that later ones require.
  for (const { block, items } of scheduled.reverse()) {
    let any = false;
    const parts = [...items].reverse().map((item): readonly Part[] => {
      if (item.kind === 'inst') return [item];
      const group = groupOf(block, item);
      if (group === undefined) return item.ops.map((inst) => ({ kind: 'inst', inst }));
      any = true;
      wanted.add(group);
      return [{ kind: 'group', group }];
    });
    if (any) found.set(block, parts.reverse().flat());
  }
  return found;

  function isOfGroup(value: Value | undefined): boolean {
    if (value?.kind === 'param') return value.block !== entry;
    return value?.kind === 'result' && isCandidate(value.inst);
  }

  function groupOf(block: Block, { ops, degreeOf }: Extract<Item, { readonly kind: 'ops' }>): Group | undefined {
    const forOthers = demandsOf(ops, degreeOf, (result) => wanted.of(result, block));
    // Testing the results again is better than a requirement that often fails.
    const own = forOthers && isModest(forOthers) ? forOthers : demandsOf(ops, degreeOf);
    if (own === undefined) return undefined;
    const needs = wanted.raised(own, block);
    let cost = branchCost;
    let anyPassedOn = false;
    for (const [value, quantum] of needs) {
      if (knownQuantum(value) !== undefined) continue;
      // The test is cheap if a loop probably passes the value on, because one bit covers all such
      // values. It is also cheap if the value belongs to a group whose guard has tested it.
      const isPassedOn = quantum <= leastQuantum && (isOfGroup(value) || (votes && isOfGroup(shuffled(value)?.source)));
      anyPassedOn ||= isPassedOn;
      cost += isPassedOn ? testCost / 4 : testCost;
    }
    const saved = ops.reduce((sum, { op }) => sum + ownGuard(op), 0);
    // A single operation gains only if a loop passes its sum on.
    if (saved <= cost || (ops.length === 1 && !anyPassedOn)) return undefined;
    const members = new Set(ops);
    const escaping = ops.flatMap(({ results }) =>
      results.filter((result) => allOf(users, result).some((user) => user.kind === 'end' || !members.has(user.inst))),
    );
    return escaping.length === 0 ? undefined : { block, ops, needs, escaping, own: ownLoads(block, members, users) };
  }
}

/**
 * Returns the loads in a group's block that only the group reads, and the bitcasts of their
 * results.
 */
function ownLoads(block: Block, members: ReadonlySet<Inst>, users: ReturnType<typeof usersOf>): readonly Inst[] {
  const own = new Set<Inst>();
  const isOwn = (inst: Inst): boolean =>
    inst.when === undefined &&
    inst.results.every((result) =>
      allOf(users, result).every((user) => user.kind === 'inst' && (members.has(user.inst) || own.has(user.inst))),
    );
  for (const inst of [...block.insts].reverse()) {
    const isLoad = inst.op === 'load' && inst.attrs.order === 'weak';
    if ((isLoad || inst.op === 'bitcast') && isOwn(inst)) own.add(inst);
  }
  return [...own].reverse();
}
