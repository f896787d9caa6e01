// The control-flow graph of a function as numbers: blocks that the entry reaches, in reverse postorder, with the edges between them.
import { type Block, edgesOf, type Func } from '../ir/nodes.ts';

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

/// Blocks that the entry reaches, in reverse postorder. Of a branch's two ways, `then` comes first.
export function reversePostorder(func: Func): Block[] {
  const [entry] = func.blocks;
  if (entry === undefined) return [];
  const seen = new Set<Block>([entry]);
  const order: Block[] = [];
  const stack: { readonly block: Block; readonly next: readonly Block[]; at: number }[] = [];
  const push = (block: Block) => {
    // The way that is searched last stands first in the order.
    const next = edgesOf(block.end).map(({ to }) => to);
    stack.push({ block, next: next.reverse(), at: 0 });
  };
  push(entry);
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const to = top.next[top.at];
    top.at += 1;
    if (to === undefined) {
      order.push(top.block);
      stack.pop();
    } else if (!seen.has(to)) {
      seen.add(to);
      push(to);
    }
  }
  return order.reverse();
}

export function flowGraph(func: Func): FlowGraph {
  const blocks = reversePostorder(func);
  const numbers = new Map<Block, number>();
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
