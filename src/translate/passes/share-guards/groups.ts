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
import { escapingFrom, hasGroups, inPlace, type Part, type Parts } from '../fast-paths/parts.ts';
import { shuffled } from './facts.ts';
import { type Ops, scheduleBlock } from './schedule.ts';
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
  /** If the group consists of groups that share their exact path (`sequences.ts`), these groups. */
  readonly stages?: readonly Group[];
}

/** The approximate cost of an operation's own guard, in instructions. */
const ownGuards: Readonly<Partial<Record<Inst['op'], number>>> = { ffma: 12, fmin: 8, fmax: 8 };
/**
 * Returns the approximate cost of an operation's own guard. Absent: operations that are
 * not in `ownGuards` have equal costs.
 */
const ownGuard = (op: Inst['op']): number => ownGuards[op] ?? 6;
const testCost = 2;
const branchCost = 4;

export interface GroupOptions {
  readonly float: FloatProfile;
  /** Whether lanes can exchange facts cheaply. */
  readonly votes: boolean;
  /** Whether all operations form groups, including groups whose guard costs more than it saves. */
  readonly all: boolean;
}

/** Returns the parts of each block that has groups. */
export function partsOf(func: Func, { float, votes, all }: GroupOptions): Parts<Group> {
  let zeros: KnownZeros | undefined;
  // A driver that knows that an operand is zero may ignore infinities and signs when it folds the
  // operation.
  const isCandidate = (inst: Inst): boolean => {
    if (!isExactBut(inst, float, all ? 'any' : 'kept')) return false;
    zeros ??= new KnownZeros(func, { hidden: true });
    const known = zeros;
    return !inst.args.some((arg) => constantOf(arg) === undefined && known.mayBeZero(arg));
  };
  const scheduled = func.blocks.flatMap((block) => {
    const parts = scheduleBlock(block, isCandidate);
    return parts === undefined ? [] : [{ block, parts }];
  });
  if (scheduled.length === 0) return new Map();
  const users = usersOf(func);
  const entry = func.blocks[0];
  const found = new Map<Block, readonly Part<Group>[]>();
  const wanted = new Wanted(func);
  // Visit later groups first, because earlier groups can establish the facts that later groups
  // require.
  for (const { block, parts } of scheduled.reverse()) {
    const chosen = parts.toReversed().map((part): readonly Part<Group>[] => {
      if (part.kind === 'inst') return [part];
      const group = groupOf(block, part.group);
      if (group === undefined) return inPlace(part.group.ops);
      wanted.add(group);
      return [{ kind: 'group', group }];
    });
    const own = chosen.reverse().flat();
    if (hasGroups(own)) found.set(block, own);
  }
  return found;

  function isOfGroup(value: Value | undefined): boolean {
    if (value?.kind === 'param') return value.block !== entry;
    return value?.kind === 'result' && isCandidate(value.inst);
  }

  function groupOf(block: Block, { ops, degreeOf }: Ops): Group | undefined {
    const forOthers = demandsOf(ops, degreeOf, (result) => wanted.of(result, block));
    // A test of the results is better than a requirement that often fails.
    const own = forOthers && isModest(forOthers) ? forOthers : demandsOf(ops, degreeOf);
    if (own === undefined) return undefined;
    const needs = wanted.raised(own, block);
    let cost = branchCost;
    let anyPassedOn = false;
    for (const [value, quantum] of needs) {
      if (knownQuantum(value) !== undefined) continue;
      // The test is cheap if a loop probably passes the value on, because one bit covers all such
      // values. The test is also cheap if the value belongs to a group whose guard has tested it.
      const isPassedOn = quantum <= leastQuantum && (isOfGroup(value) || (votes && isOfGroup(shuffled(value)?.source)));
      anyPassedOn ||= isPassedOn;
      cost += isPassedOn ? testCost / 4 : testCost;
    }
    const saved = ops.reduce((sum, { op }) => sum + ownGuard(op), 0);
    // A group of one operation is worth its cost only if a loop carries the sum.
    if (!all && (saved <= cost || (ops.length === 1 && !anyPassedOn))) return undefined;
    const escaping = escapingFrom(ops, users);
    return escaping.length === 0
      ? undefined
      : { block, ops, needs, escaping, own: ownLoads(block, new Set(ops), users) };
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
