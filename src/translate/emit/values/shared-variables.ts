// Finds values that share a WGSL variable. A block parameter shares the variable of its arguments
// if their live ranges do not overlap. Then the edge needs no move, and a loop updates its counter
// in the same variable. In a dispatched kernel, values that are live across cases are variables.
// There, any other values with disjoint live ranges share a variable, too.

import { at, missing } from '../../../base/invariants.ts';
import { getOrInsert } from '../../../base/maps.ts';
import type { FlowGraph } from '../../graph/index.ts';
import { IdMap, type ReadonlyIdMap } from '../../ir/id-map.ts';
import { type Definition, edgesOf, isDefinition, type Param } from '../../ir/nodes.ts';
import type { Type } from '../../ir/types.ts';
import { type LiveRanges, overlap, type Range, union, withPlaces } from './live-ranges.ts';

/** Values that share one variable. */
export interface Family {
  readonly members: readonly Definition[];
  readonly hint: string | undefined;
  /** The union of the members' live ranges. */
  readonly range: Range;
}

interface Growing extends Family {
  members: Definition[];
  hint: string | undefined;
  range: Range;
  /** The family into which this one was merged. */
  into: Growing | undefined;
}

export interface SharingOptions {
  /** Returns the live ranges. Called only if values could share a variable. */
  readonly ranges: () => LiveRanges;
  /**
   * Whether a `let` or a variable holds the value. Values that are written at every reading are not
   * held.
   */
  readonly isHeld: (value: Definition) => boolean;
  readonly mayShare: (type: Type) => boolean;
}

/** Returns the family of each value that shares a variable with a parameter or an argument. */
export function shareWithParams(graph: FlowGraph, options: SharingOptions): ReadonlyIdMap<Definition, Family> {
  const families = new IdMap<Definition, Growing>();
  const pairs = argumentsOf(graph).filter(
    ({ param, arg }) => options.mayShare(param.type) && options.isHeld(arg) && options.isHeld(param),
  );
  if (pairs.length === 0) return families;
  const ranges = options.ranges();
  const familyOf = (value: Definition): Growing | undefined => {
    let family = families.get(value);
    if (family === undefined) {
      const range = ranges.rangeOf(value);
      if (range === undefined) return undefined;
      family = { members: [value], hint: value.hint, range, into: undefined };
      families.set(value, family);
    }
    while (family.into !== undefined) family = family.into;
    return family;
  };
  for (const { param, arg } of pairs) {
    const to = familyOf(param);
    const from = familyOf(arg);
    if (to === undefined || from === undefined || to === from || overlap(to.range, from.range)) continue;
    const [large, small] = to.members.length >= from.members.length ? [to, from] : [from, to];
    for (const member of small.members) large.members.push(member);
    large.hint = to.hint ?? from.hint;
    large.range = union(large.range, small.range);
    small.into = large;
  }
  const shared = new IdMap<Definition, Family>();
  for (const { param, arg } of pairs) {
    for (const value of [param, arg]) {
      const family = familyOf(value);
      if (family !== undefined && family.members.length > 1) shared.set(value, family);
    }
  }
  return shared;
}

/**
 * Returns the arguments of block parameters. Those of inner loops come first, because their moves
 * execute most often.
 */
function argumentsOf({ blocks, numberOf }: FlowGraph): readonly { readonly param: Param; readonly arg: Definition }[] {
  const back: { readonly to: number; readonly param: Param; readonly arg: Definition }[] = [];
  const forward: typeof back = [];
  // A function's own parameters are not variables.
  const given = new Set<Definition>(blocks[0]?.params);
  blocks.forEach(({ end }, from) => {
    for (const { to, args } of edgesOf(end)) {
      const number = numberOf(to) ?? missing('the number of a block', to);
      to.params.forEach((param, index) => {
        const arg = args[index];
        if (number === 0 || arg === undefined || !isDefinition(arg) || given.has(arg)) return;
        (number <= from ? back : forward).push({ to: number, param, arg });
      });
    }
  });
  return [...back.sort((a, b) => b.to - a.to), ...forward];
}

/** The maximum number of variables to try for a value. */
const maxTried = 48;

interface HeldValue {
  readonly value: Definition;
  readonly family: Family | undefined;
}

/**
 * Merges variables of the same type whose live ranges do not overlap. Calls `join` for each merge.
 */
export function shareDispatched<T extends HeldValue>(
  graph: FlowGraph,
  ranges: LiveRanges,
  held: readonly T[],
  join: (joining: T, leader: T) => void,
): void {
  /**
   * Returns the exit places of the blocks that precede the members' blocks. A parameter is assigned
   * there, while the other arguments are still read.
   */
  const waysIn = (members: readonly Definition[]): readonly number[] => {
    const places = new Set<number>();
    for (const member of members) {
      if (member.kind !== 'param') continue;
      const block = graph.numberOf(member.block) ?? missing('the number of a block', member.block);
      for (const from of at(graph.predecessors, block, 'predecessors')) places.add(ranges.exitOf(from));
    }
    return [...places].sort((a, b) => a - b);
  };
  const rangeOf = ({ value, family }: HeldValue): Range | undefined => {
    const members = family?.members ?? [value];
    let range: Range | undefined;
    for (const member of members) {
      range = ranges.rangeOf(member);
      if (range === undefined) return undefined;
    }
    return range && withPlaces(family?.range ?? range, waysIn(members));
  };
  const variables = new Map<string, { readonly leader: T; range: Range }[]>();
  const waiting = held.flatMap((value) => {
    const range = rangeOf(value);
    return range === undefined ? [] : [{ value, range }];
  });
  waiting.sort((a, b) => at(a.range, 0, 'a live range') - at(b.range, 0, 'a live range'));
  for (const { value, range } of waiting) {
    const known = getOrInsert(variables, value.value.type, () => []);
    const free = known.slice(-maxTried).find((tried) => !overlap(tried.range, range));
    if (free === undefined) {
      known.push({ leader: value, range });
      continue;
    }
    free.range = union(free.range, range);
    join(value, free.leader);
  }
}
