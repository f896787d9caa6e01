// The control-flow graph of a function with numbered blocks: the reachable blocks in reverse
// postorder, and the edges between them.
import { at, missing } from '../../base/invariants.ts';
import { IdMap, IdSet } from '../ir/id-map.ts';
import { type Block, edgesOf, type Func, type Terminator } from '../ir/nodes.ts';

export interface FlowGraph {
  /** The reachable blocks in reverse postorder; the entry is first. */
  readonly blocks: readonly Block[];
  /** The index of a block in that order; undefined for an unreachable block. */
  numberOf(block: Block): number | undefined;
  /** The successors of each block, by number and without duplicates. */
  readonly successors: readonly (readonly number[])[];
  readonly predecessors: readonly (readonly number[])[];
  successorsOf(block: Block): readonly Block[];
  predecessorsOf(block: Block): readonly Block[];
}

/**
 * Returns the number of edges of a terminator. With `wayOf`, this is equivalent to `edgesOf`, but
 * allocates no list.
 */
function countWays(end: Terminator): number {
  if (end.kind === 'jump') return 1;
  if (end.kind === 'branch') return 2;
  return end.kind === 'switch' ? end.edges.length : 0;
}

function wayOf(end: Terminator, index: number): Block | undefined {
  if (end.kind === 'jump') return end.to.to;
  if (end.kind === 'branch') return index === 0 ? end.then.to : end.else.to;
  return end.kind === 'switch' ? end.edges[index]?.to : undefined;
}

/** The latest result for a function. */
interface Known {
  /** The blocks in reverse postorder, and the terminator of each. */
  readonly order: readonly Block[];
  readonly ends: Terminator[];
  graph: FlowGraph | undefined;
}

/**
 * The latest result for each function. It is cached, because every pass requests the graph and most
 * passes leave the graph unchanged.
 */
const latest = new WeakMap<Func, Known>();

/**
 * Returns the cached result, unless the graph has changed. Terminators are never modified in place.
 */
function unchanged(func: Func): Known | undefined {
  const known = latest.get(func);
  if (known === undefined || known.order[0] !== func.blocks[0]) return undefined;
  const { order, ends } = known;
  for (let number = 0; number < order.length; number++) {
    const end = order[number]?.end;
    const before = ends[number];
    if (end === undefined || before === undefined) return undefined;
    if (end === before) continue;
    if (!leadAlike(end, before)) return undefined;
    ends[number] = end;
  }
  return known;
}

function leadAlike(a: Terminator, b: Terminator): boolean {
  const count = countWays(a);
  if (count !== countWays(b)) return false;
  for (let index = 0; index < count; index++) if (wayOf(a, index) !== wayOf(b, index)) return false;
  return true;
}

function find(func: Func): Known {
  const found = unchanged(func);
  if (found !== undefined) return found;
  const order = findOrder(func);
  const made: Known = { order, ends: order.map(({ end }) => end), graph: undefined };
  latest.set(func, made);
  return made;
}

/**
 * Returns the reachable blocks in reverse postorder. The `then` edge of a branch precedes the
 * `else` edge.
 */
export const reversePostorder = (func: Func): Block[] => find(func).order.slice();

function findOrder(func: Func): Block[] {
  const entry = func.blocks[0];
  if (entry === undefined) return [];
  const seen = new IdSet<Block>();
  seen.add(entry);
  const order: Block[] = [];
  const stack: Block[] = [entry];
  // The number of unvisited edges of each block on the stack. The edge visited last is first in the
  // order.
  const ways: number[] = [countWays(entry.end)];
  for (let top = 0; top >= 0; top = stack.length - 1) {
    const block = stack[top];
    const way = (ways[top] ?? missing('the ways out of a block', top)) - 1;
    ways[top] = way;
    if (block === undefined) break;
    if (way < 0) {
      order.push(block);
      stack.pop();
      ways.pop();
      continue;
    }
    const to = wayOf(block.end, way);
    if (to === undefined || seen.has(to)) continue;
    seen.add(to);
    stack.push(to);
    ways.push(countWays(to.end));
  }
  return order.reverse();
}

/** Returns the current graph: the same object until the graph changes. */
export function flowGraph(func: Func): FlowGraph {
  const found = find(func);
  found.graph ??= graphOf(found.order);
  return found.graph;
}

function graphOf(blocks: readonly Block[]): FlowGraph {
  const numbers = new IdMap<Block, number>();
  for (let number = 0; number < blocks.length; number++) {
    const block = blocks[number];
    if (block) numbers.set(block, number);
  }
  const predecessors: number[][] = blocks.map(() => []);
  const successors = blocks.map((block, from) => {
    const list: number[] = [];
    const edges = edgesOf(block.end);
    // A switch may have many edges to few blocks.
    const listed = edges.length > 8 ? new Set<number>() : undefined;
    for (const { to } of edges) {
      const number = numbers.get(to) ?? missing('the number of the block that an edge leads to', to);
      if (listed ? listed.has(number) : list.includes(number)) continue;
      listed?.add(number);
      list.push(number);
      at(predecessors, number, 'the predecessors of a block').push(from);
    }
    return list;
  });
  const toBlocks = (list: readonly number[]) => list.map((number) => at(blocks, number, 'a block'));
  const neighbours = (lists: readonly (readonly number[])[], block: Block) => {
    const number = numbers.get(block);
    return number === undefined ? [] : toBlocks(at(lists, number, 'the neighbours of a block'));
  };
  return {
    blocks,
    successors,
    predecessors,
    numberOf: (block) => numbers.get(block),
    successorsOf: (block) => neighbours(successors, block),
    predecessorsOf: (block) => neighbours(predecessors, block),
  };
}
