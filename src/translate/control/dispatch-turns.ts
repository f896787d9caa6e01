// The order in which lanes of a dispatched kernel take turns, if it has instructions without `.sync`: of several that lanes wait at, the
// one executes first that leads to the others, and lanes that go back to a loop's head wait there for those still in the iteration. So
// lanes that a branch has parted are together again behind it, in each iteration.
import { at, get } from '../../base/invariants.ts';
import { type LoopOrder, loopOrder, turnRank } from '../../base/loop-order.ts';
import type { SplitBlock, SplitGraph } from './split-graph.ts';

export class DispatchTurns {
  /** Blocks that lanes wait in front of for their turn. */
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

  /** Whether lanes that go from one block to another wait for their turn. */
  isTurn(from: number, to: number): boolean {
    return turnRank(this.order, from, to) !== undefined;
  }

  /** By block: lower ones first. */
  rankOf(block: number): number {
    return at(this.order.ranks, block, 'the rank of a block');
  }

  /** Of the wait in front of a head. */
  turnOf(head: number): number {
    return get(this.order.turns, head, 'the rank of a wait before the head of a loop');
  }
}
