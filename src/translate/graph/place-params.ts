// Places block parameters for registers: at the iterated dominance frontier of their writes, if
// they are live there (Cytron et al., "Efficiently Computing Static Single Assignment Form", 1991).
// A register with one write that dominates all reads needs no parameter. Compilers mostly emit such
// registers.
import { at, get, missing } from '../../base/invariants.ts';
import type { Dominators } from './dominators.ts';
import type { FlowGraph } from './flow-graph.ts';

/**
 * The registers that a block reads before it writes them, and the registers that it writes. The
 * numbers in each list are relative to a base.
 */
export interface RegisterSets {
  readonly exposed: readonly number[];
  readonly exposedBase: number;
  readonly defined: readonly number[];
  readonly definedBase: number;
}

/** Returns, for each block number, the registers of the block's parameters. */
export function placeParams(
  graph: FlowGraph,
  dominators: Dominators,
  sets: readonly RegisterSets[],
  registers: number,
): readonly (readonly number[])[] {
  const placed: number[][] = graph.blocks.map(() => []);
  const needed = findNeeded(dominators, sets, registers);
  if (needed.size === 0) return placed;
  const frontiers = dominanceFrontiers(graph, dominators);
  const count = graph.blocks.length;
  // For each block, the last register of the loop below that the block writes, that is live at its
  // start, or that has a parameter there.
  const writtenFor = new Int32Array(count).fill(-1);
  const liveFor = new Int32Array(count).fill(-1);
  const placedFor = new Int32Array(count).fill(-1);
  for (const [register, { writes, reads }] of needed) {
    for (const block of writes) writtenFor[block] = register;
    const stack = [...reads];
    for (const block of reads) liveFor[block] = register;
    for (let block = stack.pop(); block !== undefined; block = stack.pop()) {
      for (const from of at(graph.predecessors, block, 'the predecessors of a block')) {
        if (writtenFor[from] === register || liveFor[from] === register) continue;
        liveFor[from] = register;
        stack.push(from);
      }
    }
    const work = [...writes];
    for (let block = work.pop(); block !== undefined; block = work.pop()) {
      for (const join of at(frontiers, block, 'the frontier of a block')) {
        if (placedFor[join] === register || liveFor[join] !== register) continue;
        placedFor[join] = register;
        at(placed, join, 'the parameters of a block').push(register);
        work.push(join);
      }
    }
  }
  return placed;
}

interface Uses {
  readonly writes: number[];
  /** The blocks that read the register before they write it. */
  readonly reads: number[];
}

/** Returns the registers with several writes, or with a read that the write does not dominate. */
function findNeeded(
  dominators: Dominators,
  sets: readonly RegisterSets[],
  registers: number,
): ReadonlyMap<number, Uses> {
  const firstWrite = new Int32Array(registers).fill(-1);
  const isNeeded = new Uint8Array(registers);
  const list: number[] = [];
  const need = (register: number) => {
    if (isNeeded[register]) return;
    isNeeded[register] = 1;
    list.push(register);
  };
  sets.forEach(({ defined, definedBase }, block) => {
    for (const local of defined) {
      const register = definedBase + local;
      if (firstWrite[register] === -1) firstWrite[register] = block;
      else need(register);
    }
  });
  sets.forEach(({ exposed, exposedBase }, block) => {
    for (const local of exposed) {
      const register = exposedBase + local;
      const write = firstWrite[register] ?? missing('the first write of a register', register);
      if (write === -1 || isNeeded[register]) continue;
      if (write === block || !dominators.dominates(write, block)) need(register);
    }
  });
  const uses = new Map<number, Uses>(list.map((register) => [register, { writes: [], reads: [] }]));
  if (list.length === 0) return uses;
  sets.forEach(({ exposed, exposedBase, defined, definedBase }, block) => {
    for (const local of defined) {
      const register = definedBase + local;
      if (isNeeded[register]) get(uses, register, 'the uses of a register').writes.push(block);
    }
    for (const local of exposed) {
      const register = exposedBase + local;
      if (isNeeded[register]) get(uses, register, 'the uses of a register').reads.push(block);
    }
  });
  return uses;
}

/** Returns the dominance frontier of each block. */
function dominanceFrontiers({ predecessors }: FlowGraph, { parents }: Dominators): readonly (readonly number[])[] {
  const frontiers: number[][] = predecessors.map(() => []);
  predecessors.forEach((before, join) => {
    if (before.length < 2) return;
    const top = parents[join] ?? missing('the dominator of a block', join);
    for (const from of before) {
      for (
        let block = from;
        block !== top && block !== -1;
        block = parents[block] ?? missing('the dominator of a block', block)
      ) {
        const list = at(frontiers, block, 'the frontier of a block');
        // Joins are processed in order. So if another predecessor has already added this join, the
        // join is last in the list, here and in all dominators above.
        if (list.at(-1) === join) break;
        list.push(join);
      }
    }
  });
  return frontiers;
}
