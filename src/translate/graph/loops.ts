// Natural loops: headers, bodies, nesting, and whether every cycle is a natural loop.
import { at, missing } from '../../base/invariants.ts';
import { getOrInsert } from '../../base/maps.ts';
import type { Block, Func } from '../ir/nodes.ts';
import { type Dominators, dominatorsOf } from './dominators.ts';
import { type FlowGraph, flowGraph } from './flow-graph.ts';

export interface Loop {
  readonly header: Block;
  /** The blocks with an edge back to the header. */
  readonly latches: readonly Block[];
  /** The enclosing loop. */
  readonly parent: Loop | undefined;
  /** The nesting depth; 1 for an outermost loop. */
  readonly depth: number;
  /** The loops directly inside this one. */
  readonly inner: readonly Loop[];
  /** All blocks, including those of inner loops, in reverse postorder; the header is first. */
  blocks(): readonly Block[];
  contains(block: Block): boolean;
}

export interface Loops {
  /** All loops, outer loops before inner loops. */
  readonly all: readonly Loop[];
  /** Returns the innermost loop that contains a block. */
  loopOf(block: Block): Loop | undefined;
  depthOf(block: Block): number;
  loopAt(header: Block): Loop | undefined;
  /** Whether every cycle is a natural loop, which is entered only through its header. */
  readonly reducible: boolean;
}

interface Making extends Loop {
  parent: Loop | undefined;
  depth: number;
  readonly inner: Making[];
  readonly latches: Block[];
  /** The numbers of the blocks outside all inner loops. */
  readonly own: number[];
}

export function loopsIn(func: Func): Loops {
  const graph = flowGraph(func);
  return loopsOf(graph, dominatorsOf(graph));
}

const known = new WeakMap<FlowGraph, Loops>();

/** Returns the loops of a graph. The result is cached for each graph. */
export function loopsOf(graph: FlowGraph, dominators: Dominators): Loops {
  return getOrInsert(known, graph, () => findLoops(graph, dominators));
}

function findLoops(graph: FlowGraph, dominators: Dominators): Loops {
  const { blocks, predecessors } = graph;
  const innermost: (Making | undefined)[] = new Array(blocks.length).fill(undefined);
  const byHeader = new Map<Block, Making>();
  const found: Making[] = [];
  let reducible = true;
  const outermost = (loop: Making): Making => {
    // Parents are set from the innermost loop outwards, so this path is at most as long as the
    // nesting is deep.
    let top = loop;
    for (let above = making.get(top); above !== undefined; above = making.get(top)) top = above;
    return top;
  };
  const making = new Map<Making, Making>();
  // Inner headers have higher numbers than enclosing headers.
  for (let header = blocks.length - 1; header >= 0; header--) {
    const block = blocks[header];
    if (block === undefined) continue;
    const latches: number[] = [];
    for (const from of at(predecessors, header, 'the predecessors of a block')) {
      if (from < header) continue;
      if (dominators.dominates(header, from)) latches.push(from);
      else reducible = false;
    }
    if (latches.length === 0) continue;
    const loop = makeLoop(block, graph, innermost);
    loop.latches.push(...latches.map((latch) => at(blocks, latch, 'a block')));
    found.push(loop);
    byHeader.set(block, loop);
    innermost[header] ??= loop;
    const stack = latches.filter((latch) => latch !== header);
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      const inside = innermost[node];
      if (inside === undefined) {
        innermost[node] = loop;
        for (const from of at(predecessors, node, 'the predecessors of a block')) if (from !== header) stack.push(from);
        continue;
      }
      const top = outermost(inside);
      if (top === loop) continue;
      // An inner loop counts as one node: the search continues with the predecessors of its header.
      making.set(top, loop);
      top.parent = loop;
      loop.inner.push(top);
      const start = graph.numberOf(top.header) ?? missing('the number of a header', top.header);
      for (const from of at(predecessors, start, 'the predecessors of a block')) if (from !== header) stack.push(from);
    }
  }
  innermost.forEach((loop, number) => {
    loop?.own.push(number);
  });
  found.reverse();
  for (const loop of found) loop.depth = loop.parent === undefined ? 1 : loop.parent.depth + 1;
  const loopOf = (block: Block) => loopAround(block, graph, innermost);
  return {
    all: found,
    loopOf,
    depthOf: (block) => loopOf(block)?.depth ?? 0, // Absent: a block outside of all loops has depth 0.
    loopAt: (header) => byHeader.get(header),
    reducible,
  };
}

function makeLoop(header: Block, graph: FlowGraph, innermost: readonly (Loop | undefined)[]): Making {
  let known: readonly Block[] | undefined;
  const loop: Making = {
    header,
    latches: [],
    parent: undefined,
    depth: 0,
    inner: [],
    own: [],
    blocks() {
      known ??= numbersIn(loop).map((number) => at(graph.blocks, number, 'a block'));
      return known;
    },
    contains(block) {
      let around = loopAround(block, graph, innermost);
      while (around !== undefined && around.depth > loop.depth) around = around.parent;
      return around === loop;
    },
  };
  return loop;
}

/**
 * Returns the innermost loop around a block; undefined for an unreachable block, or outside of all
 * loops.
 */
function loopAround<T extends Loop>(
  block: Block,
  graph: FlowGraph,
  innermost: readonly (T | undefined)[],
): T | undefined {
  const number = graph.numberOf(block);
  return number === undefined ? undefined : innermost[number];
}

function numbersIn(loop: Making): number[] {
  const numbers: number[] = [];
  const stack = [loop];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    for (const number of next.own) numbers.push(number);
    for (const inner of next.inner) stack.push(inner);
  }
  return numbers.sort((a, b) => a - b);
}
