// Numbers the nodes that have a level: values, branches, blocks, iterations and ends of loops.
import { get } from '../../base/invariants.ts';
import { IdMap } from '../ir/id-map.ts';
import { type Definition, isDefinition, type Value } from '../ir/nodes.ts';
import type { ControlGraph, LoopControl } from './control-dependence.ts';

/** The number of a node that has a level. */
export type LevelNode = number;

export class LevelNodes {
  /**
   * The values. Their nodes have the lowest numbers: the number of a value's node is its index in
   * this list.
   */
  readonly definitions: Definition[] = [];
  /** For the node of each value, the number of the block that defines it. */
  readonly homes: number[] = [];
  /** The last node, which determines all control if the dependences are unknown. */
  readonly tangle: LevelNode;
  private readonly values = new IdMap<Definition, LevelNode>();
  private readonly loops = new Map<LoopControl, number>();
  private readonly firstBranch: LevelNode;
  private readonly firstBlock: LevelNode;
  private readonly firstLoop: LevelNode;

  constructor({ graph: { blocks }, allLoops }: ControlGraph) {
    blocks.forEach(({ params, insts }, number) => {
      for (const param of params) this.add(param, number);
      for (const { results } of insts) for (const result of results) this.add(result, number);
    });
    this.firstBranch = this.definitions.length;
    this.firstBlock = this.firstBranch + blocks.length;
    this.firstLoop = this.firstBlock + blocks.length;
    allLoops.forEach((loop, index) => {
      this.loops.set(loop, index);
    });
    this.tangle = this.firstLoop + 2 * allLoops.length;
  }

  private add(value: Definition, block: number): void {
    this.values.set(value, this.definitions.length);
    this.definitions.push(value);
    this.homes.push(block);
  }

  get count(): number {
    return this.tangle + 1;
  }

  /** Returns the node of a value; undefined for constants, and for values of another function. */
  of(value: Value): LevelNode | undefined {
    return isDefinition(value) ? this.values.get(value) : undefined;
  }

  /** Returns the node of the branch at a block's end. */
  branch(block: number): LevelNode {
    return this.firstBranch + block;
  }

  block(block: number): LevelNode {
    return this.firstBlock + block;
  }

  iteration(loop: LoopControl): LevelNode {
    return this.firstLoop + 2 * get(this.loops, loop, 'the number of a loop');
  }

  end(loop: LoopControl): LevelNode {
    return this.iteration(loop) + 1;
  }
}
