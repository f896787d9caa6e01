// Joins the adjacent groups of a block with many groups. Hardware computes all of them, and one
// exact path computes them again if any of their guards fails. A long chain of products needs a
// guard for every second operation. If every guard had an exact path, a driver would need seconds
// to minutes.
//
// In a long function, every group with several operations has an exact path of this kind, because
// such a path is a loop with one copy of each function.

import { usersOf } from '../../graph/index.ts';
import type { Definition, Func, Inst } from '../../ir/nodes.ts';
import { escapingFrom, isMovable, type Part, type Parts } from '../fast-paths/parts.ts';
import type { Group } from './groups.ts';

/** The minimum number of groups in a block whose groups are joined. */
const minGroups = 8;
/** The maximum number of operations with one exact path. */
const maxOps = 64;

/** In a long function, the minimum number of operations in a group whose exact path is a loop. */
export const minLoopOps = 3;

/** Returns the parts of a function after sequences of groups have become single groups. */
export function joinSequences(func: Func, parts: Parts<Group>, isLongFunction: boolean): Parts<Group> {
  const isLong = (own: readonly Part<Group>[]): boolean =>
    isLongFunction || own.filter(({ kind }) => kind === 'group').length >= minGroups;
  if (![...parts.values()].some(isLong)) return parts;
  const users = usersOf(func);
  const minOps = isLongFunction ? minLoopOps : Number.POSITIVE_INFINITY;
  return new Map([...parts].map(([block, own]) => [block, isLong(own) ? joinedParts(own, users, minOps) : own]));
}

/**
 * Joins the parts of a block. A single group becomes a sequence if it has at least `minOps`
 * operations.
 */
function joinedParts(
  parts: readonly Part<Group>[],
  users: ReturnType<typeof usersOf>,
  minOps: number,
): readonly Part<Group>[] {
  const joined: Part<Group>[] = [];
  let stages: Group[] = [];
  let ops = 0;
  const flush = (): void => {
    const [first] = stages;
    if (first !== undefined)
      joined.push({
        kind: 'group',
        group: stages.length === 1 && ops < minOps ? first : sequenceOf(first, stages, users),
      });
    stages = [];
    ops = 0;
  };
  for (const part of parts) {
    if (part.kind === 'group') {
      if (ops + part.group.ops.length > maxOps) flush();
      stages.push(part.group);
      ops += part.group.ops.length;
      continue;
    }
    // An instruction between the groups moves before the groups, if it can.
    if (stages.length > 0 && !(isMovable(part.inst) && !readsResults(part.inst, stages))) flush();
    joined.push(part);
  }
  flush();
  return joined;
}

const readsResults = ({ args }: Inst, stages: readonly Group[]): boolean =>
  args.some((arg) => arg.kind === 'result' && stages.some(({ ops }) => ops.includes(arg.inst)));

function sequenceOf(first: Group, stages: readonly Group[], users: ReturnType<typeof usersOf>): Group {
  const ops = stages.flatMap((stage) => stage.ops);
  const own = new Set(ops);
  const needs = new Map<Definition, number>();
  for (const stage of stages) {
    for (const [value, quantum] of stage.needs) {
      const isInside = value.kind === 'result' && own.has(value.inst);
      if (!isInside) needs.set(value, Math.max(quantum, needs.get(value) ?? quantum));
    }
  }
  return { block: first.block, ops, needs, escaping: escapingFrom(ops, users), own: [], stages };
}
