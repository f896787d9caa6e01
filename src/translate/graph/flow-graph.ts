// The control-flow graph of a function as numbers: blocks that the entry reaches, in reverse postorder, with the edges between them.
import { IdMap, IdSet } from '../ir/id-map.ts';
import { type Block, edgesOf, type Func, type Terminator } from '../ir/nodes.ts';

export interface FlowGraph {
  /// Reachable blocks in reverse postorder; the entry first.
  readonly blocks: readonly Block[];
  /// A block's place in that order; undefined for what the entry does not reach.
  numberOf(block: Block): number | undefined;
  /// By number, each neighbour once.
  readonly successors: readonly (readonly number[])[];
  readonly predecessors: readonly (readonly number[])[];
  successorsOf(block: Block): readonly Block[];
  predecessorsOf(block: Block): readonly Block[];
}

/// How many ways there are behind a terminator, and where each leads: as `edgesOf` has them, without making a list.
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

/// Blocks that the entry reaches, in reverse postorder. Of a branch's two ways, `then` comes first.
export function reversePostorder(func: Func): Block[] {
  const entry = func.blocks[0];
  if (entry === undefined) return [];
  const seen = new IdSet<Block>();
  seen.add(entry);
  const order: Block[] = [];
  const stack: Block[] = [entry];
  // Of each block on the stack. The way that is searched last stands first in the order.
  const ways: number[] = [countWays(entry.end)];
  for (let top = 0; top >= 0; top = stack.length - 1) {
    const block = stack[top];
    const way = (ways[top] ?? 0) - 1;
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

export function flowGraph(func: Func): FlowGraph {
  const blocks = reversePostorder(func);
  const numbers = new IdMap<Block, number>();
  for (let number = 0; number < blocks.length; number++) {
    const block = blocks[number];
    if (block) numbers.set(block, number);
  }
  const predecessors: number[][] = blocks.map(() => []);
  const successors = blocks.map((block, from) => {
    const list: number[] = [];
    const edges = edgesOf(block.end);
    // Switches have many ways to few blocks.
    const listed = edges.length > 8 ? new Set<number>() : undefined;
    for (const { to } of edges) {
      const number = numbers.get(to) ?? 0;
      if (listed ? listed.has(number) : list.includes(number)) continue;
      listed?.add(number);
      list.push(number);
      predecessors[number]?.push(from);
    }
    return list;
  });
  const toBlocks = (list: readonly number[]) => list.flatMap((number) => blocks[number] ?? []);
  const neighbours = (lists: readonly (readonly number[])[], block: Block) => {
    const number = numbers.get(block);
    return number === undefined ? [] : toBlocks(lists[number] ?? []);
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
