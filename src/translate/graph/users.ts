// The users of values.
import { get } from '../../base/invariants.ts';
import { countOf, getOrInsert } from '../../base/maps.ts';
import { IdMap } from '../ir/id-map.ts';
import {
  type Block,
  type Definition,
  edgesOf,
  type Func,
  type Inst,
  isDefinition,
  type Terminator,
  type Value,
} from '../ir/nodes.ts';

/** An instruction, or a block's terminator with its edges. */
export type User =
  | { readonly kind: 'inst'; readonly inst: Inst; readonly block: Block }
  | { readonly kind: 'end'; readonly block: Block };

/** Visits every value that an instruction reads. Allocates no lists. */
export function forEachOperand(inst: Inst, visit: (value: Value) => void): void {
  const { args, when, otherwise } = inst;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at];
    if (arg !== undefined) visit(arg);
  }
  if (when === undefined) return;
  visit(when);
  for (const value of otherwise) visit(value);
}

/**
 * Visits the values that a terminator itself reads, without the arguments of its edges. Allocates
 * no lists.
 */
export function forEachOwnValue(end: Terminator, visit: (value: Value) => void): void {
  if (end.kind === 'branch') visit(end.condition);
  else if (end.kind === 'switch') visit(end.selector);
  else if (end.kind === 'return') for (const value of end.values) visit(value);
}

/** Returns the number of uses of each value. Values without uses have no entry. */
export function useCounts(func: Func): IdMap<Definition, number> {
  const counts = new IdMap<Definition, number>();
  const visit = (value: Value) => {
    if (isDefinition(value)) counts.set(value, countOf(counts, value) + 1);
  };
  for (const block of func.blocks) {
    const { insts } = block;
    for (let at = 0; at < insts.length; at++) {
      const inst = insts[at];
      if (inst !== undefined) forEachOperand(inst, visit);
    }
    forEachOwnValue(block.end, visit);
    for (const edge of edgesOf(block.end)) for (const arg of edge.args) visit(arg);
  }
  return counts;
}

/**
 * Returns the users of each value, one entry per use. Values without uses have no entry. Several
 * functions may share a map.
 */
export function usersOf(func: Func, users = new IdMap<Definition, User[]>()): IdMap<Definition, User[]> {
  let user: User | undefined;
  const visit = (value: Value) => {
    if (!isDefinition(value) || user === undefined) return;
    getOrInsert(users, value, () => []).push(user);
  };
  for (const block of func.blocks) {
    for (const inst of block.insts) {
      user = { kind: 'inst', inst, block };
      forEachOperand(inst, visit);
    }
    user = { kind: 'end', block };
    forEachOwnValue(block.end, visit);
    for (const edge of edgesOf(block.end)) edge.args.forEach(visit);
  }
  return users;
}

/** Returns the block that contains each instruction. */
export function blocksOfInsts(func: Func): IdMap<Inst, Block> {
  const blocks = new IdMap<Inst, Block>();
  for (const block of func.blocks) for (const inst of block.insts) blocks.set(inst, block);
  return blocks;
}

export interface ArgumentEdge {
  readonly from: Block;
  readonly args: readonly Value[];
}

/** Returns the edges into each block, including parallel edges. */
export function incomingEdges(func: Func): IdMap<Block, ArgumentEdge[]> {
  const incoming = new IdMap<Block, ArgumentEdge[]>();
  for (const block of func.blocks) incoming.set(block, []);
  for (const from of func.blocks) {
    for (const { to, args } of edgesOf(from.end))
      get(incoming, to, 'the block that an edge leads to').push({ from, args });
  }
  return incoming;
}
