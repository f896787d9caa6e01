// Simplifies the graph: folds branches on constants, redirects jumps to empty blocks, joins chains,
// and removes block parameters that always have one value.
//
// Each branch that leaves the kernel becomes an arm that ends: `if (i >= n) return;` does not have
// an edge to a shared `ret`.

import { at } from '../../base/invariants.ts';
import { countOf } from '../../base/maps.ts';
import { reversePostorder } from '../graph/flow-graph.ts';
import { forEachOwnValue } from '../graph/users.ts';
import { type Builder, replaceValues } from '../ir/builder.ts';
import { IdMap, IdSet } from '../ir/id-map.ts';
import {
  type Block,
  constantOf,
  type Definition,
  type Edge,
  edgesOf,
  type Func,
  mapTerminator,
  type Param,
  sameValue,
  type Terminator,
  type Value,
} from '../ir/nodes.ts';
import { isRemovable } from './remove-dead-code.ts';
import { isSettled, noteSettled } from './settled-flow.ts';
import { removeTrivialParams } from './trivial-params.ts';
import { Unused } from './unused.ts';

export function simplifyControlFlow(func: Func, builder: Builder): boolean {
  if (isSettled(func)) return false;
  const changed = simplifyOnce(func, builder);
  if (!changed) noteSettled(func);
  return changed;
}

function simplifyOnce(func: Func, builder: Builder): boolean {
  let changed = false;
  for (let again = true; again; ) {
    again = simplifyTerminators(func, builder);
    again = removeTrivialParams(func) || again;
    changed ||= again;
  }
  changed = joinChains(func) || changed;
  return separateEndings(func, builder) || changed;
}

/**
 * Returns the parameters that code other than their own block's terminator reads. Jumps cannot
 * bypass a block with such a parameter. Ignores the function's own parameters.
 */
function spreadParams(func: Func): IdSet<Param> {
  const spread = new IdSet<Param>();
  for (const block of func.blocks) {
    for (const { args, when, otherwise } of block.insts) {
      for (const value of args) if (value.kind === 'param') spread.add(value);
      if (when?.kind === 'param') spread.add(when);
      for (const value of otherwise) if (value.kind === 'param') spread.add(value);
    }
    const elsewhere = (value: Value) => {
      if (value.kind === 'param' && value.block !== block) spread.add(value);
    };
    forEachOwnValue(block.end, elsewhere);
    for (const { args } of edgesOf(block.end)) for (const arg of args) elsewhere(arg);
  }
  return spread;
}

const none = new IdSet<Param>();

/**
 * Returns a function that maps an operand of a block's terminator to its value if control enters
 * the block through this edge.
 */
function through({ to, args }: Edge): (value: Value) => Value {
  if (to.params.length === 0) return (value) => value;
  const given = new Map<Value, Value>(
    to.params.map((param, index) => [param, at(args, index, 'an argument of an edge')]),
  );
  return (value) => given.get(value) ?? value;
}

function simplifyTerminators(func: Func, builder: Builder): boolean {
  const order = reversePostorder(func);
  let changed = order.length !== func.blocks.length;
  func.blocks = order;
  const [entry] = order;
  // Only blocks that jumps may bypass need this set: their instructions change nothing, and they
  // have parameters.
  const isOpen = (block: Block) => block !== entry && block.params.length > 0 && block.insts.every(isRemovable);
  const spread = order.some(isOpen) ? spreadParams(func) : none;
  const unused = new Unused(func);
  const isPassable = (block: Block) =>
    block !== entry && unused.hasOnly(block) && !block.params.some((param) => spread.has(param));
  const headers = retreatTargets(order);
  const undecided = undecidedBlocks(order);

  /** Moves an edge one block further, past an empty block. */
  const step = (edge: Edge): Edge | undefined => {
    const { to } = edge;
    if (!isPassable(to)) return undefined;
    const { end } = to;
    if (end.kind === 'jump') return end.to.to === to ? undefined : mapEdge(end.to, through(edge));
    // Bypassing the header of a loop could give the loop a second entry. Bypassing a block that
    // other edges still use would not simplify the nesting.
    if (headers.has(to) || undecided.has(to)) return undefined;
    if (end.kind !== 'branch' && end.kind !== 'switch') return undefined;
    const value = through(edge);
    const way = decided(end, value);
    return way && mapEdge(way, value);
  };
  const thread = (edge: Edge): Edge => {
    let at = edge;
    // Later blocks have already been redirected, except around a loop.
    for (let steps = 0; steps < 16; steps++) {
      const next = step(at);
      if (next === undefined || next.to === edge.to) return at;
      changed = true;
      at = next;
    }
    return at;
  };
  for (let index = order.length - 1; index >= 0; index--) {
    const block = order[index];
    if (block === undefined) continue;
    let end = block.end;
    const way = decided(end, (value) => value);
    if (way !== undefined && end.kind !== 'jump') {
      end = { kind: 'jump', to: way, span: end.span };
      changed = true;
    }
    if (edgesOf(end).some(({ to }) => isPassable(to))) end = mapTerminator(end, (value) => value, thread);
    const ended = endedBy(end, isPassable);
    if (ended) changed = true;
    end = ended ?? end;
    if (end.kind === 'branch') {
      const negated = negationOf(end.condition);
      if (negated) {
        end = { ...end, condition: negated, then: end.else, else: end.then };
        changed = true;
      }
      if (end.then.to === end.else.to) {
        const before = block.insts.length;
        end = { kind: 'jump', to: selectedEdge(end, block, builder), span: end.span };
        unused.addInsts(block.insts.slice(before));
        changed = true;
      }
    } else if (end.kind === 'switch') {
      const [first, ...rest] = end.edges;
      if (first && rest.every((edge) => isSameEdge(edge, first))) {
        end = { kind: 'jump', to: first, span: end.span };
        changed = true;
      }
    }
    unused.replaceEnd(block, end);
  }
  if (changed) func.blocks = reversePostorder(func);
  return changed;
}

const mapEdge = ({ to, args }: Edge, value: (value: Value) => Value): Edge => ({ to, args: args.map(value) });

const isSameEdge = (a: Edge, b: Edge): boolean =>
  a.to === b.to && a.args.every((arg, index) => b.args[index] !== undefined && sameValue(arg, b.args[index]));

/**
 * Returns the edge that a constant condition selects. If both edges are equal, returns one of them.
 */
function decided(end: Terminator, value: (value: Value) => Value): Edge | undefined {
  if (end.kind === 'branch') {
    const bits = constantOf(value(end.condition));
    if (bits === undefined) return undefined;
    return bits === 1n ? end.then : end.else;
  }
  if (end.kind !== 'switch') return undefined;
  if (end.edges.length === 1) return end.edges[0];
  const bits = constantOf(value(end.selector));
  if (bits === undefined) return undefined;
  return end.edges[bits < BigInt(end.edges.length) ? Number(bits) : end.edges.length - 1];
}

/**
 * If every successor of a block is empty, and all of them end in the same way without successors,
 * returns this ending. Otherwise returns undefined.
 */
function endedBy(end: Terminator, isPassable: (block: Block) => boolean): Terminator | undefined {
  const edges = edgesOf(end);
  const [first] = edges;
  const ending = first?.to.end;
  if (first === undefined || ending === undefined || edgesOf(ending).length > 0) return undefined;
  if (ending.kind === 'return' && edges.length > 1) return undefined;
  if (!edges.every(({ to }) => isPassable(to) && to.end.kind === ending.kind)) return undefined;
  return mapTerminator(ending, through(first));
}

/** Returns the value of which the condition is the negation, if any. */
function negationOf(condition: Value): Value | undefined {
  if (condition.kind !== 'result' || condition.inst.op !== 'xor' || condition.inst.when !== undefined) return undefined;
  const [value, ones] = condition.inst.args;
  return constantOf(ones) === 1n ? value : undefined;
}

/** If both edges of a branch lead to one block, returns one edge with selected arguments. */
function selectedEdge(end: Extract<Terminator, { kind: 'branch' }>, block: Block, builder: Builder): Edge {
  builder.into(block.insts);
  builder.span = end.span;
  const args = end.then.args.map((then, index) => {
    const other = at(end.else.args, index, 'an argument of an edge');
    if (sameValue(then, other)) return then;
    const chosen = builder.select(end.condition, then, other);
    if (chosen.kind === 'result') chosen.hint ??= end.then.to.params[index]?.hint;
    return chosen;
  });
  return { to: end.then.to, args };
}

/** Returns the targets of back edges. */
function retreatTargets(order: readonly Block[]): Set<Block> {
  const placed = new Set<Block>();
  const targets = new Set<Block>();
  for (const block of order) {
    placed.add(block);
    for (const { to } of edgesOf(block.end)) if (placed.has(to)) targets.add(to);
  }
  return targets;
}

/** Returns blocks with a branch whose condition is not known on any incoming edge. */
function undecidedBlocks(order: readonly Block[]): Set<Block> {
  const undecided = new Set<Block>();
  for (const block of order) {
    for (const edge of edgesOf(block.end)) {
      const { end, insts } = edge.to;
      if (insts.length > 0 || (end.kind !== 'branch' && end.kind !== 'switch') || undecided.has(edge.to)) continue;
      if (decided(end, through(edge)) === undefined) undecided.add(edge.to);
    }
  }
  return undecided;
}

/** Joins each block with its only successor, if it is that block's only predecessor. */
function joinChains(func: Func): boolean {
  const entries = new IdMap<Block, number>();
  for (const block of func.blocks) {
    for (const { to } of edgesOf(block.end)) entries.set(to, countOf(entries, to) + 1);
  }
  const [entry] = func.blocks;
  const absorbed = new IdSet<Block>();
  const replacements = new IdMap<Definition, Value>();
  for (const block of func.blocks) {
    if (absorbed.has(block)) continue;
    while (block.end.kind === 'jump') {
      const { to, args } = block.end.to;
      if (to === block || to === entry || entries.get(to) !== 1) break;
      to.params.forEach((param, index) => {
        const arg = args[index];
        if (arg) replacements.set(param, arg);
      });
      if (block.insts.length === 0) block.insts = to.insts;
      else for (const inst of to.insts) block.insts.push(inst);
      block.end = to.end;
      absorbed.add(to);
    }
  }
  if (absorbed.size === 0) return false;
  func.blocks = func.blocks.filter((block) => !absorbed.has(block));
  replaceValues(func, replacements);
  return true;
}

/** Copies a shared ending without instructions for every edge to it. */
function separateEndings(func: Func, builder: Builder): boolean {
  const isBare = ({ insts, end }: Block) => insts.length === 0 && edgesOf(end).length === 0;
  const spread = func.blocks.some((block) => isBare(block) && block.params.length > 0) ? spreadParams(func) : none;
  const isEnding = (block: Block) => isBare(block) && !block.params.some((param) => spread.has(param));
  const taken = new Set<Block>();
  const made: Block[] = [];
  const separate = (edge: Edge): Edge => {
    const { to } = edge;
    if (!isEnding(to)) return edge;
    if (!taken.has(to)) {
      taken.add(to);
      return edge;
    }
    const copy = builder.block();
    copy.end = mapTerminator(to.end, through(edge));
    made.push(copy);
    return { to: copy, args: [] };
  };
  for (const block of func.blocks) {
    if (block.end.kind !== 'switch' && edgesOf(block.end).some(({ to }) => isEnding(to)))
      block.end = mapTerminator(block.end, (value) => value, separate);
  }
  if (made.length > 0) func.blocks = [...func.blocks, ...made];
  return made.length > 0;
}
