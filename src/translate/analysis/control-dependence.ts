// Control dependence: the branches that determine whether a block executes. Only the core is
// analyzed: the blocks from which a warp instruction or barrier can be reached.
//
// Lanes arrive at a block together if these branches decide the same for all of them, in each
// iteration of the loops around the block. So dependences are computed for one iteration of a loop
// at a time. The nodes of an iteration are the loop's own blocks, and each inner loop as a whole.
// The iteration ends at any edge that leaves the loop or returns to its header. A lane that starts
// the next iteration without executing a block at which other lanes wait has decided not to execute
// that block.
//
// The execution of the iteration itself depends on the loop: on the branches that determine whether
// it is entered, and on every branch that leaves it.
import { at, get, missing } from '../../base/invariants.ts';
import { getOrInsert } from '../../base/maps.ts';
import {
  type Dominators,
  dominatorsOf,
  dominatorTree,
  type FlowGraph,
  flowGraph,
  type Loop,
  loopsOf,
} from '../graph/index.ts';
import { type Block, type Func, isCollective } from '../ir/nodes.ts';

/** A block by its number in the graph, or a loop as a whole. */
export type Decider = { readonly block: number } | { readonly loop: LoopControl };

export interface LoopControl {
  readonly header: number;
  /** The innermost loop around this one. */
  readonly parent: LoopControl | undefined;
  readonly depth: number;
  /** The branches and loops in the surrounding loop that determine whether this loop is entered. */
  readonly deciders: readonly Decider[];
  /** The core blocks with a branch out of the loop to other core blocks. */
  readonly exits: readonly number[];
  /** The latches: blocks with an edge to the header. */
  readonly latches: readonly number[];
}

export interface ControlGraph {
  readonly graph: FlowGraph;
  readonly dominators: Dominators;
  /** For each block, whether a warp instruction or barrier can be reached from it. */
  readonly core: Uint8Array;
  /**
   * For each core block, its successors in the core, without duplicates. Empty for other blocks.
   */
  readonly targets: readonly (readonly number[])[];
  /** For each block, the branches in its innermost loop that determine whether it executes. */
  readonly deciders: readonly (readonly Decider[])[];
  /** For each block, its innermost loop. */
  readonly loops: readonly (LoopControl | undefined)[];
  readonly allLoops: readonly LoopControl[];
  /**
   * Whether the dependences are unknown. Then every core block depends on each branch of the core.
   */
  readonly tangled: boolean;
  /** The core blocks with a branch out of the core. */
  readonly departures: readonly number[];
  isInLoop(block: number, loop: LoopControl): boolean;
}

interface Making extends LoopControl {
  readonly parent: Making | undefined;
  readonly deciders: Decider[];
  readonly exits: number[];
  readonly latches: number[];
}

/**
 * The limit on the average number of dependences per block. Code whose branches jump into each
 * other's arms could have as many dependences as pairs of blocks.
 */
const maxDependences = 64;

/**
 * Analyzes a function. In a device function, all blocks belong to the core, because its results may
 * depend on any branch.
 */
export function controlGraph(func: Func): ControlGraph {
  const graph = flowGraph(func);
  const dominators = dominatorsOf(graph);
  const { all, loopOf, reducible } = loopsOf(graph, dominators);
  const core = coreOf(graph, func.kind === 'function');
  const targets = graph.successors.map((list, from) => (core[from] ? list.filter((to) => core[to]) : []));
  const made = new Map<Loop, Making>();
  const numberOf = (block: Block) => graph.numberOf(block) ?? missing('the number of a header', block);
  for (const loop of all) {
    const parent = loop.parent && made.get(loop.parent);
    made.set(loop, { header: numberOf(loop.header), parent, depth: loop.depth, deciders: [], exits: [], latches: [] });
  }
  const loops = graph.blocks.map((block) => {
    const loop = loopOf(block);
    return loop && made.get(loop);
  });
  const deciders: Decider[][] = graph.blocks.map(() => []);
  const allLoops = [...made.values()];
  const isInLoop = (block: number, loop: LoopControl): boolean => {
    let around: LoopControl | undefined = loops[block];
    while (around !== undefined && around.depth > loop.depth) around = around.parent;
    return around === loop;
  };
  const regions = regionsOf({ core, targets, loops, allLoops, isInLoop });
  const budget = { left: maxDependences * graph.blocks.length + 4096 };
  const known = reducible && regions.every((region) => addDependences(region, deciders, budget));
  return {
    graph,
    dominators,
    core,
    targets,
    deciders,
    loops,
    allLoops,
    tangled: !known,
    departures: graph.successors.flatMap((list, from) => {
      const staying = at(targets, from, 'the targets of a block').length;
      return staying > 0 && staying < list.length ? [from] : [];
    }),
    isInLoop,
  };
}

function coreOf({ blocks, predecessors }: FlowGraph, isWhole: boolean): Uint8Array {
  const core = new Uint8Array(blocks.length);
  const stack: number[] = [];
  const add = (number: number) => {
    if (core[number]) return;
    core[number] = 1;
    stack.push(number);
  };
  blocks.forEach(({ insts }, number) => {
    if (isWhole || insts.some(isCollective)) add(number);
  });
  for (let block = stack.pop(); block !== undefined; block = stack.pop())
    for (const from of at(predecessors, block, 'the predecessors of a block')) add(from);
  return core;
}

/** A block, or a loop as a whole. */
type RegionNode = { readonly block: number } | { readonly loop: LoopControl; readonly making: Making };

/** One iteration of a loop, or the function outside of all loops. */
interface Region {
  readonly nodes: RegionNode[];
  /** The successors of each node, as indices in `nodes`. The number of nodes represents the end. */
  readonly successors: number[][];
}

interface Blocks {
  readonly core: Uint8Array;
  readonly targets: readonly (readonly number[])[];
  readonly loops: readonly (Making | undefined)[];
  readonly allLoops: readonly Making[];
  readonly isInLoop: (block: number, loop: LoopControl) => boolean;
}

function regionsOf({ core, targets, loops, allLoops, isInLoop }: Blocks): readonly Region[] {
  const regions = new Map<Making | undefined, Region>();
  const region = (loop: Making | undefined): Region => {
    return getOrInsert(regions, loop, () => ({ nodes: [], successors: [] }));
  };
  const placeOfBlock = new Int32Array(core.length).fill(-1);
  const placeOfLoop = new Map<LoopControl, number>();
  core.forEach((isCore, block) => {
    if (!isCore) return;
    const { nodes, successors } = region(loops[block]);
    placeOfBlock[block] = nodes.length;
    nodes.push({ block });
    successors.push([]);
  });
  for (const loop of allLoops) {
    if (!core[loop.header]) continue;
    const { nodes, successors } = region(loop.parent);
    placeOfLoop.set(loop, nodes.length);
    nodes.push({ loop, making: loop });
    successors.push([]);
  }
  const end = -1;
  const placeOf = (block: number): number => placeOfBlock[block] ?? missing('the place of a block', block);
  /** Returns the node of `to` in the region of `loop`, or the region's end. */
  const placeIn = (loop: LoopControl | undefined, to: number): number => {
    if (loop !== undefined && (to === loop.header || !isInLoop(to, loop))) return end;
    let around = loops[to];
    if (around === loop) return placeOf(to);
    while (around !== undefined && around.parent !== loop) around = around.parent;
    return around === undefined ? end : get(placeOfLoop, around, 'the place of a loop');
  };
  const connect = (loop: Making | undefined, from: number, to: number) => {
    const list = at(region(loop).successors, from, 'the successors of a node');
    // A loop may have many edges to the same target.
    if (list[list.length - 1] !== to) list.push(to);
  };
  targets.forEach((list, from) => {
    for (const to of list) {
      let loop = loops[from];
      connect(loop, placeOf(from), placeIn(loop, to));
      if (loop !== undefined && to === loop.header) loop.latches.push(from);
      while (loop !== undefined && !isInLoop(to, loop)) {
        if (loop.exits[loop.exits.length - 1] !== from) loop.exits.push(from);
        const { parent }: Making = loop;
        connect(parent, get(placeOfLoop, loop, 'the place of a loop'), placeIn(parent, to));
        if (parent !== undefined && to === parent.header) parent.latches.push(from);
        loop = parent;
      }
    }
  });
  for (const { nodes, successors } of regions.values()) {
    successors.forEach((list, node) => {
      const unique = [...new Set(list.map((to) => (to === end ? nodes.length : to)))];
      successors[node] = unique.length === 0 ? [nodes.length] : unique;
    });
  }
  return [...regions.values()];
}

/**
 * Finds for each node of a region the branches that determine whether it executes: one of the
 * branch's edges always leads to the node, and another may not. Returns false if there are too many
 * dependences.
 */
function addDependences({ nodes, successors }: Region, deciders: Decider[][], budget: { left: number }): boolean {
  const end = nodes.length;
  const forwards = [...successors, []];
  const backwards: number[][] = forwards.map(() => []);
  forwards.forEach((list, from) => {
    for (const to of list) at(backwards, to, 'the predecessors of a node').push(from);
  });
  const { parents } = dominatorTree(backwards, forwards, end);
  for (let branch = 0; branch < end; branch++) {
    const targets = at(successors, branch, 'the successors of a node');
    const decider = nodes[branch];
    if (targets.length < 2 || decider === undefined) continue;
    const stop = parents[branch] ?? missing('the postdominator of a node', branch);
    for (const target of targets) {
      for (
        let node = target;
        node !== stop && node !== end;
        node = parents[node] ?? missing('the postdominator of a node', node)
      ) {
        // The node is in an irreducible cycle from which the end cannot be reached.
        if (node === -1) return false;
        budget.left -= 1;
        if (budget.left < 0) return false;
        const own = at(nodes, node, 'a node');
        const list = 'block' in own ? at(deciders, own.block, 'the deciders of a block') : own.making.deciders;
        if (list[list.length - 1] !== decider) list.push(decider);
        if (node === branch) break;
      }
    }
  }
  return true;
}
