// Finds the branches that determine the edge by which lanes enter a block.
import { at } from '../../base/invariants.ts';
import { getOrInsert } from '../../base/maps.ts';
import type { Value } from '../ir/nodes.ts';
import type { ControlGraph, Decider, LoopControl } from './control-dependence.ts';
import type { LevelNode, LevelNodes } from './level-nodes.ts';

/** An edge into a block, with the number of its source block. */
export interface Incoming {
  readonly from: number;
  readonly args: readonly Value[];
}

/** The maximum number of branches that are visited for one choice among edges. */
const maxChoosers = 64;

export class Choosers {
  private readonly control: ControlGraph;
  private readonly nodes: LevelNodes;
  private readonly chosen = new Map<readonly Incoming[], readonly LevelNode[]>();

  constructor(control: ControlGraph, nodes: LevelNodes) {
    this.control = control;
    this.nodes = nodes;
  }

  /**
   * Returns the nodes that determine which of `edges` lanes take. The lanes were together at block
   * `from`, which dominates the edges.
   */
  of(edges: readonly Incoming[], from: number): readonly LevelNode[] {
    return getOrInsert(this.chosen, edges, () => this.findChoosers(edges, from) ?? this.allChoosers(edges));
  }

  private findChoosers(edges: readonly Incoming[], from: number): readonly LevelNode[] | undefined {
    const { deciders, loops, targets, dominators, tangled } = this.control;
    if (tangled) return [this.nodes.tangle];
    const nodes = new Set<LevelNode>();
    const seen = new Set<number | LoopControl>();
    const queue: (number | LoopControl)[] = [];
    const reach = (next: number | LoopControl) => {
      if (seen.has(next)) return;
      seen.add(next);
      queue.push(next);
    };
    const decide = (decider: Decider) => {
      const place = 'loop' in decider ? decider.loop : decider.block;
      if (!dominators.dominates(from, typeof place === 'number' ? place : place.header)) return;
      nodes.add(typeof place === 'number' ? this.nodes.branch(place) : this.nodes.end(place));
      reach(place);
    };
    for (const edge of edges) {
      const isAgain = seen.has(edge.from);
      if (isAgain || at(targets, edge.from, 'the targets of a block').length > 1)
        nodes.add(this.nodes.branch(edge.from));
      reach(edge.from);
    }
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      if (seen.size > maxChoosers) return undefined;
      const own = typeof next === 'number' ? at(deciders, next, 'the deciders of a block') : next.deciders;
      for (const decider of own) decide(decider);
      // If the block is in a loop, lanes may leave the loop in different iterations, so the end of
      // the loop is a chooser, too.
      const around = typeof next === 'number' ? loops[next] : next.parent;
      if (around !== undefined && around.header !== from && dominators.dominates(from, around.header)) {
        nodes.add(this.nodes.end(around));
        reach(around);
      }
    }
    return [...nodes];
  }

  /**
   * Returns a conservative superset: everything that determines whether lanes take one of the
   * edges.
   */
  private allChoosers(edges: readonly Incoming[]): readonly LevelNode[] {
    return edges.flatMap(({ from }) => [this.nodes.branch(from), this.nodes.block(from)]);
  }
}
