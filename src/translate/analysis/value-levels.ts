// Computes which values and branches are uniform among the lanes of a warp or the threads of a
// block.
//
// All levels start at the maximum and fall to their bounds. A value's level falls to the lowest
// level of its arguments. The level of a block parameter also falls to the level of the branches
// that choose among the edges into its block. A block's level falls to the level of the branches
// that determine whether the block executes. Each level falls at most three times, so the time is
// linear in the number of dependences.

import { at, missing } from '../../base/invariants.ts';
import { type Func, isDefinition, type Value } from '../ir/nodes.ts';
import type { ControlGraph } from './control-dependence.ts';
import type { LaunchFacts } from './launch-facts.ts';
import { LevelBounds } from './level-bounds.ts';
import { type LevelNode, LevelNodes } from './level-nodes.ts';
import { type CalleeLevel, LevelRules, type MemoryFacts } from './level-rules.ts';
import { rank } from './levels.ts';

/** The levels among some lanes, as numbers of `rank`. */
export interface Levels {
  /** Returns the level of a value, wherever it is read. */
  readonly value: (value: Value) => number;
  /**
   * Returns the level of the branches that determine whether a block executes, directly or through
   * others.
   */
  readonly control: (block: number) => number;
  /** Returns the level of the branch at a block's end. */
  readonly branch: (block: number) => number;
  /** Returns the level of a function's result. */
  readonly returned: (index: number) => number;
}

export class ValueLevels {
  private readonly nodes: LevelNodes;
  private readonly bounds: LevelBounds;
  private readonly facts: LaunchFacts;
  private readonly memory: MemoryFacts;
  private readonly callee: CalleeLevel;
  /** The blocks of a device function that return, and their values. */
  private readonly returns: { readonly values: readonly Value[]; readonly block: number }[] = [];
  /** The blocks of a device function that end the thread. */
  private readonly ends: number[] = [];
  private readonly resultCount: number;

  constructor(func: Func, control: ControlGraph, facts: LaunchFacts, memory: MemoryFacts, callee: CalleeLevel) {
    this.resultCount = func.results.length;
    this.facts = facts;
    this.memory = memory;
    this.callee = callee;
    this.nodes = new LevelNodes(control);
    this.bounds = new LevelBounds(control, this.nodes, (result) => facts.restOf(result));
    if (func.kind === 'function') this.collectReturns(control);
  }

  private collectReturns({ graph }: ControlGraph): void {
    graph.blocks.forEach(({ end }, block) => {
      if (end.kind === 'return') this.returns.push({ values: end.values, block });
      if (end.kind === 'exit' || end.kind === 'trap') this.ends.push(block);
    });
  }

  /** Returns the levels among the lanes of the mask `members`. */
  among(members: number): Levels {
    const { nodes } = this;
    const level = new Uint8Array(nodes.count).fill(rank.provable);
    const ofNode = (node: LevelNode): number => level[node] ?? missing('the level of a node', node);
    const levelOf = (value: Value): number =>
      isDefinition(value) ? ofNode(nodes.of(value) ?? missing('the node of a value', value)) : rank.provable;
    const rules = new LevelRules(members, this.facts, this.memory, this.callee, levelOf);
    const queue: LevelNode[] = [];
    const lower = (node: LevelNode, to: number) => {
      if (to >= ofNode(node)) return;
      level[node] = to;
      if (!isFirst || this.bounds.isLookedBackAt(node)) queue.push(node);
    };
    const applyRule = (node: LevelNode) => {
      const definition = nodes.definitions[node];
      if (definition?.kind === 'result') lower(node, rules.result(definition.inst, definition.index, definition));
    };
    // The first walk is in order, so later nodes read the new levels of earlier ones.
    let isFirst = true;
    for (let node = 0; node < level.length; node++) {
      let least = rank.provable;
      const bounds = this.bounds.of(node);
      if (bounds !== undefined) for (const bound of bounds) least = Math.min(least, ofNode(bound));
      lower(node, least);
      applyRule(node);
    }
    isFirst = false;
    for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
      const { bounded, users } = this.bounds.dependents;
      const to = ofNode(node);
      const others = bounded[node];
      if (others !== undefined) for (const other of others) lower(other, to);
      const results = users[node];
      if (results !== undefined) for (const result of results) applyRule(result);
    }
    const control = (block: number) => ofNode(nodes.block(block));
    const levelOfResult = (index: number): number => {
      const values = this.returns.map(({ values }) => at(values, index, 'a result'));
      // A lane that ends has only one result: the last one, which shows whether the lane ended.
      const isLast = this.returns.length > 0 && index === this.resultCount - 1;
      const blocks = [...this.returns.map(({ block }) => block), ...(isLast ? this.ends : [])];
      return Math.min(rank.provable, ...values.map(levelOf), ...(blocks.length > 1 ? blocks.map(control) : []));
    };
    const results = Array.from({ length: this.resultCount }, (_, index) => levelOfResult(index));
    return {
      value: levelOf,
      control,
      branch: (block) => ofNode(nodes.branch(block)),
      returned: (index) => at(results, index, 'a result'),
    };
  }
}
