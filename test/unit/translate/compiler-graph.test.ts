import { describe, expect, it } from 'vitest';
import {
  dominatorsOf,
  type FlowGraph,
  flowGraph,
  loopsOf,
  postdominatorsOf,
} from '../../../src/translate/graph/index.ts';
import { Builder, Ids } from '../../../src/translate/ir/builder.ts';
import type { Func } from '../../../src/translate/ir/nodes.ts';

/** Builds a function in which block i branches to the blocks `edges[i]`. */
function functionOf(edges: readonly (readonly number[])[]): Func {
  const builder = new Builder(new Ids());
  const blocks = edges.map(() => builder.block());
  edges.forEach((targets, from) => {
    const block = blocks[from];
    const to = targets.flatMap((target) => (blocks[target] ? [builder.edge(blocks[target])] : []));
    if (block && to.length > 0) block.end = { kind: 'switch', selector: builder.i32(0), edges: to, span: undefined };
  });
  return { name: 'graph', kind: 'kernel', results: [], blocks };
}

/** Returns the blocks that `from` reaches without passing `avoid`. */
function reach(next: readonly (readonly number[])[], from: readonly number[], avoid: number): Set<number> {
  const seen = new Set(from.filter((node) => node !== avoid));
  for (const node of seen) {
    for (const to of next[node] ?? []) if (to !== avoid) seen.add(to);
  }
  return seen;
}

function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const randomGraph = (seed: number): FlowGraph => {
  const next = random(seed);
  const count = 1 + next(14);
  return flowGraph(functionOf(Array.from({ length: count }, () => Array.from({ length: next(4) }, () => next(count)))));
};

describe('dominators', () => {
  it('are on every path, on random graphs', () => {
    for (let seed = 1; seed <= 400; seed++) {
      const graph = randomGraph(seed);
      const dominators = dominatorsOf(graph);
      for (const [a] of graph.blocks.entries()) {
        const without = reach(graph.successors, [0], a);
        for (const [b] of graph.blocks.entries()) {
          expect(dominators.dominates(a, b), `seed ${seed}: ${a} of ${b}`).toBe(!without.has(b));
        }
        const parent = dominators.parents[a] ?? -1;
        expect(parent === -1).toBe(a === 0);
        // `parent` is the immediate dominator, so all other dominators dominate it.
        for (const [other] of graph.blocks.entries()) {
          if (a !== 0 && other !== a && dominators.dominates(other, a))
            expect(dominators.dominates(other, parent)).toBe(true);
        }
      }
    }
  });

  it('postdominators are on every path to the end', () => {
    for (let seed = 1; seed <= 400; seed++) {
      const graph = randomGraph(seed);
      const ends = graph.successors.flatMap((list, node) => (list.length === 0 ? [node] : []));
      // The analysis assumes that endless loops exit somewhere. Only graphs without endless loops
      // have a unique answer.
      if (reach(graph.predecessors, ends, -1).size < graph.blocks.length) continue;
      const postdominators = postdominatorsOf(graph);
      for (const [a] of graph.blocks.entries()) {
        const without = reach(graph.predecessors, ends, a);
        for (const [b] of graph.blocks.entries()) {
          expect(postdominators.postdominates(a, b), `seed ${seed}: ${a} of ${b}`).toBe(!without.has(b));
        }
      }
    }
  });

  it('postdominators exist for endless loops', () => {
    const graph = flowGraph(functionOf([[1, 3], [2], [1], []]));
    expect([...postdominatorsOf(graph).parents]).toHaveLength(4);
  });
});

describe('loops', () => {
  it('nest, and list their blocks', () => {
    // Block 1 is the header of the outer loop, and block 2 that of the inner loop. Block 4 is
    // outside of both.
    const graph = flowGraph(functionOf([[1], [2], [3], [2, 5], [], [1, 4]]));
    const loops = loopsOf(graph, dominatorsOf(graph));
    expect(loops.reducible).toBe(true);
    expect(loops.all.map(({ depth, latches }) => [depth, latches.length])).toEqual([
      [1, 1],
      [2, 1],
    ]);
    const [outer, inner] = loops.all;
    expect(inner?.parent).toBe(outer);
    expect(outer?.blocks().length).toBe(4);
    expect(inner?.blocks().length).toBe(2);
    expect(outer?.blocks().every((block) => outer.contains(block))).toBe(true);
  });

  it('are the cycles through a dominating header, on random graphs', () => {
    for (let seed = 1; seed <= 400; seed++) {
      const graph = randomGraph(seed);
      const dominators = dominatorsOf(graph);
      const loops = loopsOf(graph, dominators);
      graph.blocks.forEach((header, at) => {
        const latches = (graph.predecessors[at] ?? []).filter((from) => dominators.dominates(at, from));
        const body = latches.length === 0 ? undefined : reach(graph.predecessors, latches, at).add(at);
        const loop = loops.loopAt(header);
        expect(
          loop?.blocks().map((block) => graph.numberOf(block)),
          `seed ${seed}, header ${at}`,
        ).toEqual(body && [...body].sort((a, b) => a - b));
      });
    }
  });

  it('with two entries are not reducible', () => {
    const graph = flowGraph(functionOf([[1, 2], [2], [1, 3], []]));
    expect(loopsOf(graph, dominatorsOf(graph)).reducible).toBe(false);
  });
});

// A quadratic walk would exceed the time limit.
it('the analyses of large graphs are fast', () => {
  const count = 30_000;
  // A chain in which every block may also branch to the last block, and every tenth block branches
  // back.
  const graph = flowGraph(
    functionOf(
      Array.from({ length: count }, (_, at) =>
        at === count - 1 ? [] : [at + 1, count - 1, ...(at % 10 === 9 ? [at - 9] : [])],
      ),
    ),
  );
  const dominators = dominatorsOf(graph);
  postdominatorsOf(graph);
  const loops = loopsOf(graph, dominators).all;
  expect(loops.map((loop) => loop.blocks().length)).toEqual(new Array(2_999).fill(10));
});
