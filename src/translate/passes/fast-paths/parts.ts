// Finds operations of a block that can share a guard, because no other instruction must execute
// between them.
import { allOf } from '../../../base/maps.ts';
import { forEachOperand, type usersOf } from '../../graph/index.ts';
import { IdMap, IdSet } from '../../ir/id-map.ts';
import { type Block, type Definition, type Inst, isDefinition, type Result } from '../../ir/nodes.ts';

/** A part of a block: an instruction in its original position, or a group. */
export type Part<Group> =
  | { readonly kind: 'inst'; readonly inst: Inst }
  | { readonly kind: 'group'; readonly group: Group };

/** The parts of each block that has groups. */
export type Parts<Group> = ReadonlyMap<Block, readonly Part<Group>[]>;

export const inPlace = (insts: readonly Inst[]) => insts.map((inst) => ({ kind: 'inst', inst }) as const);

export const groupsIn = <Group>(parts: Parts<Group>): readonly Group[] =>
  [...parts.values()].flat().flatMap((part) => (part.kind === 'group' ? [part.group] : []));

export const hasGroups = <Group>(parts: readonly Part<Group>[]): boolean => parts.some(({ kind }) => kind === 'group');

/** Whether an instruction may execute anywhere after its operands. */
export const isMovable = ({ operation: { effect, speculatable }, when }: Inst): boolean =>
  effect === 'pure' && speculatable && when === undefined;

/**
 * Returns the parts of a block. Each group contains operations in a valid order. It also contains
 * the instructions that depend on these operations and for which `canWait` is true: they may
 * execute after the group. A group has at most `maxOps` operations, because their operands are live
 * together.
 */
export function runsOf(
  block: Block,
  ops: ReadonlySet<Inst>,
  { canWait = () => true, maxOps = Number.POSITIVE_INFINITY }: { canWait?: (inst: Inst) => boolean; maxOps?: number },
): readonly Part<readonly Inst[]>[] {
  const parts: Part<readonly Inst[]>[] = [];
  let run: Inst[] = [];
  let count = 0;
  let results = new IdSet<Definition>();
  const flush = () => {
    if (run.length > 0) parts.push({ kind: 'group', group: run });
    run = [];
    count = 0;
    results = new IdSet();
  };
  for (const inst of early(block.insts, ops)) {
    const isOp = ops.has(inst);
    let waits = isOp;
    forEachOperand(inst, (value) => {
      waits ||= isDefinition(value) && results.has(value);
    });
    if (!isOp && waits && !(isMovable(inst) && canWait(inst))) {
      flush();
      waits = false;
    }
    if (!waits) {
      parts.push({ kind: 'inst', inst });
      continue;
    }
    run.push(inst);
    for (const result of inst.results) results.add(result);
    if (isOp) count += 1;
    if (count >= maxOps) flush();
  }
  flush();
  return parts;
}

/**
 * Moves each of `ops`, and the movable instructions that depend on it, to just after its last
 * operand. Then stores of results no longer separate the operations.
 */
function early(insts: readonly Inst[], ops: ReadonlySet<Inst>): readonly Inst[] {
  const times = new IdMap<Definition, number>();
  /** The results of `ops`, and of the instructions that move with them. */
  const follows = new IdSet<Definition>();
  const timed = insts.map((inst, index) => {
    const moves = ops.has(inst) || (isMovable(inst) && inst.args.some((arg) => isDefinition(arg) && follows.has(arg)));
    let time = index;
    if (moves) {
      time = -1;
      // Absent: a value from another block is available from the start.
      for (const arg of inst.args) if (isDefinition(arg)) time = Math.max(time, times.get(arg) ?? -1);
    }
    for (const result of inst.results) {
      times.set(result, time);
      if (moves) follows.add(result);
    }
    return { inst, time };
  });
  return timed.sort((a, b) => a.time - b.time).map(({ inst }) => inst);
}

/** Returns the results of a group's members that other instructions read. */
export function escapingFrom(members: readonly Inst[], users: ReturnType<typeof usersOf>): readonly Result[] {
  const own = new Set(members);
  return members.flatMap(({ results }) =>
    results.filter((result) => allOf(users, result).some((user) => user.kind === 'end' || !own.has(user.inst))),
  );
}
