// What decides by which edge lanes come to a block.
import type { Value } from '../ir/nodes.ts';
import type { ControlGraph, Decider, LoopControl } from './control-dependence.ts';
import type { LevelNode, LevelNodes } from './level-nodes.ts';

/// An edge into a block, by the block that it comes from.
export interface Incoming {
  readonly from: number;
  readonly args: readonly Value[];
}

/// Branches looked at for one choice among edges, at most.
const maxChoosers = 64;

export class Choosers {
  private readonly control: ControlGraph;
  private readonly nodes: LevelNodes;
  private readonly chosen = new Map<readonly Incoming[], readonly LevelNode[]>();

  constructor(control: ControlGraph, nodes: LevelNodes) {
    this.control = control;
    this.nodes = nodes;
  }

  /// What decides by which of some edges lanes come that were together at block `from`, which dominates them.
  of(edges: readonly Incoming[], from: number): readonly LevelNode[] {
    const known = this.chosen.get(edges);
    if (known !== undefined) return known;
    const found = this.findChoosers(edges, from) ?? this.allChoosers(edges);
    this.chosen.set(edges, found);
    return found;
  }

  private findChoosers(edges: readonly Incoming[], from: number): readonly LevelNode[] | undefined {
    const { deciders, loops, targets, dominators, tangled } = this.control;
    if (tangled) return [this.nodes.tangle];
    const nodes = new Set<LevelNode>();
    const seen = new Set<number | LoopControl>();
    const queue: (number | LoopControl)[] = [];
    const reach = (at: number | LoopControl) => {
      if (seen.has(at)) return;
      seen.add(at);
      queue.push(at);
    };
    const decide = (decider: Decider) => {
      const at = 'loop' in decider ? decider.loop : decider.block;
      if (!dominators.dominates(from, typeof at === 'number' ? at : at.header)) return;
      nodes.add(typeof at === 'number' ? this.nodes.branch(at) : this.nodes.end(at));
      reach(at);
    };
    for (const edge of edges) {
      const isAgain = seen.has(edge.from);
      if (isAgain || (targets[edge.from]?.length ?? 0) > 1) nodes.add(this.nodes.branch(edge.from));
      reach(edge.from);
    }
    for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
      if (seen.size > maxChoosers) return undefined;
      for (const decider of typeof at === 'number' ? (deciders[at] ?? []) : at.deciders) decide(decider);
      // From inside a loop lanes come by one of its ways out, which they may leave by in different iterations.
      const around = typeof at === 'number' ? loops[at] : at.parent;
      if (around !== undefined && around.header !== from && dominators.dominates(from, around.header)) {
        nodes.add(this.nodes.end(around));
        reach(around);
      }
    }
    return [...nodes];
  }

  /// More than what chooses: all that decides whether lanes come by an edge.
  private allChoosers(edges: readonly Incoming[]): readonly LevelNode[] {
    return edges.flatMap(({ from }) => [this.nodes.branch(from), this.nodes.block(from)]);
  }
}
