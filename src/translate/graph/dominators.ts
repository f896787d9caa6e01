// Dominators and postdominators by the SEMI-NCA algorithm (Georgiadis, "Linear-Time Algorithms for
// Dominators and Related Problems", 2005): semidominators with path compression, then nearest
// common ancestors. Nothing here is recursive.
import { at, missing } from '../../base/invariants.ts';
import { getOrInsert } from '../../base/maps.ts';
import type { Block } from '../ir/nodes.ts';
import type { FlowGraph } from './flow-graph.ts';

type Edges = readonly (readonly number[])[];

export interface Tree {
  /** The immediate dominator of each node; -1 for the root and unreachable nodes. */
  readonly parents: Int32Array;
  /** The nodes in an order in which each node follows its parent. */
  readonly order: readonly number[];
}

/** Returns an entry of a node that must exist. */
const of = (list: Int32Array, index: number): number => list[index] ?? missing('a node', index);

/** Returns the dominator tree of any graph of numbered nodes. */
export function dominatorTree(successors: Edges, predecessors: Edges, root: number): Tree {
  const count = successors.length;
  const place = new Int32Array(count).fill(-1);
  const order: number[] = [];
  // From here on, arrays are indexed by preorder number.
  const up = new Int32Array(count);
  depthFirst(successors, root, place, order, up);
  const size = order.length;
  const semi = Int32Array.from({ length: size }, (_, at) => at);
  const label = semi.slice();
  const ancestor = new Int32Array(size).fill(-1);
  const path: number[] = [];
  /**
   * Returns the node with the least semidominator on the path from `node` to the root of its tree
   * in the forest.
   */
  const evaluate = (node: number): number => {
    if (of(ancestor, node) === -1) return node;
    let top = node;
    while (of(ancestor, of(ancestor, top)) !== -1) {
      path.push(top);
      top = of(ancestor, top);
    }
    for (let next = path.pop(); next !== undefined; next = path.pop()) {
      const above = of(ancestor, next);
      if (of(semi, of(label, above)) < of(semi, of(label, next))) label[next] = of(label, above);
      ancestor[next] = of(ancestor, above);
    }
    return of(label, node);
  };
  for (let node = size - 1; node > 0; node--) {
    let best = node;
    for (const from of predecessors[at(order, node, 'a node')] ?? missing('the predecessors of a node', node)) {
      const other = of(place, from);
      if (other === -1) continue;
      best = Math.min(best, other <= node ? other : of(semi, evaluate(other)));
    }
    semi[node] = best;
    ancestor[node] = of(up, node);
  }
  const idom = up.slice(0, size);
  for (let node = 1; node < size; node++) {
    let above = of(idom, node);
    while (above > of(semi, node)) above = of(idom, above);
    idom[node] = above;
  }
  const parents = new Int32Array(count).fill(-1);
  for (let node = 1; node < size; node++) parents[at(order, node, 'a node')] = at(order, of(idom, node), 'a node');
  return { parents, order };
}

function depthFirst(successors: Edges, root: number, place: Int32Array, order: number[], up: Int32Array) {
  const stack = [{ node: root, next: 0 }];
  place[root] = 0;
  order.push(root);
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const to = at(successors, top.node, 'the successors of a node')[top.next];
    top.next += 1;
    if (to === undefined) {
      stack.pop();
    } else if (place[to] === -1) {
      up[order.length] = place[top.node] ?? missing('the place of a node', top.node);
      place[to] = order.length;
      order.push(to);
      stack.push({ node: to, next: 0 });
    }
  }
}

/**
 * Numbers the nodes so that ancestry is tested in constant time: a node and its descendants have
 * `size` consecutive numbers from `first`.
 */
function intervals({ parents, order }: Tree): { readonly first: Int32Array; readonly size: Int32Array } {
  const size = new Int32Array(parents.length);
  const first = new Int32Array(parents.length).fill(-1);
  const next = new Int32Array(parents.length);
  for (let index = order.length - 1; index >= 0; index--) {
    const node = at(order, index, 'a node');
    const parent = of(parents, node);
    const own = of(size, node) + 1;
    size[node] = own;
    if (parent !== -1) size[parent] = of(size, parent) + own;
  }
  for (const node of order) {
    const parent = of(parents, node);
    const start = parent === -1 ? 0 : of(next, parent);
    first[node] = start;
    next[node] = start + 1;
    if (parent !== -1) next[parent] = start + of(size, node);
  }
  return { first, size };
}

export interface Dominators {
  /** The immediate dominator of each block, by number; -1 for the entry. */
  readonly parents: Int32Array;
  /** The children in the dominator tree, by number, in reverse postorder. */
  readonly children: readonly (readonly number[])[];
  /**
   * Whether every path from the entry to `b` contains `a`, in constant time. A block dominates
   * itself.
   */
  dominates(a: number, b: number): boolean;
  dominatesBlock(a: Block, b: Block): boolean;
  idomOf(block: Block): Block | undefined;
}

const known = new WeakMap<FlowGraph, Dominators>();

/** Returns the dominators of a graph. The result is cached for each graph. */
export function dominatorsOf(graph: FlowGraph): Dominators {
  return getOrInsert(known, graph, () => findDominators(graph));
}

function findDominators(graph: FlowGraph): Dominators {
  const tree = dominatorTree(graph.successors, graph.predecessors, 0);
  const { first, size } = intervals(tree);
  const children: number[][] = graph.blocks.map(() => []);
  tree.parents.forEach((parent, node) => {
    if (parent !== -1) at(children, parent, 'the children of a node').push(node);
  });
  const dominates = (a: number, b: number) => {
    const [start, inner] = [of(first, a), of(first, b)];
    return start <= inner && inner < start + of(size, a);
  };
  return {
    parents: tree.parents,
    children,
    dominates,
    dominatesBlock(a, b) {
      const [from, to] = [graph.numberOf(a), graph.numberOf(b)];
      return from !== undefined && to !== undefined && dominates(from, to);
    },
    idomOf(block) {
      const number = graph.numberOf(block);
      return number === undefined ? undefined : graph.blocks[of(tree.parents, number)];
    },
  };
}

export interface Postdominators {
  /**
   * The immediate postdominator of each block, by number. The number of blocks means the end of
   * all threads.
   */
  readonly parents: Int32Array;
  /**
   * Whether every path from `b` to the end contains `a`, in constant time. A block postdominates
   * itself.
   */
  postdominates(a: number, b: number): boolean;
  /** Returns the immediate postdominator; undefined means the end of all threads. */
  ipdomOf(block: Block): Block | undefined;
}

/**
 * Returns the postdominators of a graph. A loop that never ends is assumed to end at its last
 * block, so every block reaches the end.
 */
export function postdominatorsOf(graph: FlowGraph): Postdominators {
  const count = graph.blocks.length;
  const ends = endsOf(graph);
  const isEnd = new Set(ends);
  // The trees are computed on the reversed graph, in which node `count` precedes all ends.
  const backwards: Edges = [...graph.predecessors, ends];
  const forwards: Edges = [...graph.successors.map((list, node) => (isEnd.has(node) ? [...list, count] : list)), []];
  const tree = dominatorTree(backwards, forwards, count);
  const { first, size } = intervals(tree);
  return {
    parents: tree.parents.slice(0, count),
    postdominates(a, b) {
      const [start, inner] = [of(first, a), of(first, b)];
      return start <= inner && inner < start + of(size, a);
    },
    ipdomOf(block) {
      const number = graph.numberOf(block);
      return number === undefined ? undefined : graph.blocks[of(tree.parents, number)];
    },
  };
}

/**
 * Returns the blocks at which threads end, and the last block of each region from which no end can
 * be reached.
 */
function endsOf({ successors, predecessors }: FlowGraph): number[] {
  const ends: number[] = [];
  const seen = new Uint8Array(successors.length);
  const stack: number[] = [];
  const end = (node: number) => {
    ends.push(node);
    seen[node] = 1;
    stack.push(node);
    for (let from = stack.pop(); from !== undefined; from = stack.pop()) {
      for (const before of at(predecessors, from, 'the predecessors of a block')) {
        if (seen[before]) continue;
        seen[before] = 1;
        stack.push(before);
      }
    }
  };
  successors.forEach((list, node) => {
    if (list.length === 0) end(node);
  });
  for (let node = successors.length - 1; node >= 0; node--) {
    if (!seen[node]) end(node);
  }
  return ends;
}
