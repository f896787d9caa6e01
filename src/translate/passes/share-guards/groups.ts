// Groups of f32 operations that are worth one guard, and what the guard has to ask for.

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
  /** The quanta that it needs of values from elsewhere. */
  readonly needs: ReadonlyMap<Definition, number>;
  /** Results that something else reads. */
  readonly escaping: readonly Result[];
  /** What it alone reads of memory, and what is made of that: loads and bitcasts, in order. */
  readonly own: readonly Inst[];
}

/** What a block consists of. */
export type Part = { readonly kind: 'inst'; readonly inst: Inst } | { readonly kind: 'group'; readonly group: Group };

/** What the guard of one operation costs, by and large, in instructions. */
const ownGuards: Readonly<Partial<Record<Inst['op'], number>>> = { ffma: 12, fmin: 8, fmax: 8 };
/** Absent: the other operations cost alike. */
const ownGuard = (op: Inst['op']): number => ownGuards[op] ?? 6;
const testCost = 2;
const branchCost = 4;

export const groupsIn = (parts: ReadonlyMap<Block, readonly Part[]>): readonly Group[] =>
  [...parts.values()].flat().flatMap((part) => (part.kind === 'group' ? [part.group] : []));

/** Of the blocks that have groups, what they consist of. `votes`: whether lanes can cheaply tell each other what they know. */
export function partsOf(func: Func, float: FloatProfile, votes: boolean): ReadonlyMap<Block, readonly Part[]> {
  let zeros: KnownZeros | undefined;
  // Of a zero that it knows of the driver makes what it likes: it has no regard for infinities, or for signs.
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
  // The last first: what they need of values, those before them can see to.
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
    // Rather look at results again than ask for what is often missed.
    const own = forOthers && isModest(forOthers) ? forOthers : demandsOf(ops, degreeOf);
    if (own === undefined) return undefined;
    const needs = wanted.raised(own, block);
    let cost = branchCost;
    let anyPassedOn = false;
    for (const [value, quantum] of needs) {
      if (knownQuantum(value) !== undefined) continue;
      // Likely to be passed on by a loop, with a bit for all of them; or to be of a group, whose guard has told.
      const isPassedOn = quantum <= leastQuantum && (isOfGroup(value) || (votes && isOfGroup(shuffled(value)?.source)));
      anyPassedOn ||= isPassedOn;
      cost += isPassedOn ? testCost / 4 : testCost;
    }
    const saved = ops.reduce((sum, { op }) => sum + ownGuard(op), 0);
    // One operation alone gains only where a loop passes its sum on.
    if (saved <= cost || (ops.length === 1 && !anyPassedOn)) return undefined;
    const members = new Set(ops);
    const escaping = ops.flatMap(({ results }) =>
      results.filter((result) => allOf(users, result).some((user) => user.kind === 'end' || !members.has(user.inst))),
    );
    return escaping.length === 0 ? undefined : { block, ops, needs, escaping, own: ownLoads(block, members, users) };
  }
}

/** Loads in a group's block of which only the group reads, with the bitcasts between. */
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
