// The order in which a dispatched kernel releases lanes that wait, if it has instructions without
// `.sync`. Of several instructions at which lanes wait, the one that leads to the others executes
// first. Lanes wait on a loop's back edge for the lanes still in the iteration. So lanes that
// diverge at a branch reconverge after it, in each iteration.
import { at, get } from '../../base/invariants.ts';
import { type LoopOrder, loopOrder, turnRank } from '../../base/loop-order.ts';
import type { SplitBlock, SplitGraph } from './split-graph.ts';

export class UnsynchronizedOrder {
  /** The heads of loops on whose back edges lanes wait. */
  readonly heads: readonly number[];
  private readonly order: LoopOrder;

  constructor(graph: SplitGraph, isUnsynchronized: (block: SplitBlock) => boolean) {
    const { blocks } = graph;
    const successors = blocks.map(({ end }) => graph.targetsOf(end));
    this.order = loopOrder(
      blocks.length,
      0,
      (number) => at(successors, number, 'the successors of a block'),
      (number) => isUnsynchronized(graph.at(number)),
    );
    this.heads = [...this.order.turns.keys()];
  }

  /** Whether lanes that go from one block to another wait on that edge. */
  isBackEdge(from: number, to: number): boolean {
    return turnRank(this.order, from, to) !== undefined;
  }

  /** Returns the rank of a block: lanes at lower ranks are released first. */
  rankOf(block: number): number {
    return at(this.order.ranks, block, 'the rank of a block');
  }

  /** Returns the rank of the wait on the back edges to a head. */
  backEdgeRank(head: number): number {
    return get(this.order.turns, head, 'the rank of the back edges to a head');
  }
}
