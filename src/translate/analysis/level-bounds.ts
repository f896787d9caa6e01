// The bounds of the level of each value, branch, block and loop. A value's level is bounded by the
// levels of its arguments. A block parameter's level is also bounded by the branches that choose
// among the edges into its block. A block's level is bounded by the branches that determine whether
// it executes.
import { at, missing } from '../../base/invariants.ts';
import { type Block, type Definition, edgesOf, type Inst, type Param, sameValue, type Value } from '../ir/nodes.ts';
import { Choosers, type Incoming } from './choosers.ts';
import type { ControlGraph, Decider } from './control-dependence.ts';
import type { LevelNode, LevelNodes } from './level-nodes.ts';

/** For each node, by its number, a list of nodes. */
type Lists = (LevelNode[] | undefined)[];

interface Dependents {
  /** For each node, the nodes whose level it bounds. */
  readonly bounded: Lists;
  /** For the node of each value, the results that instructions compute from it. */
  readonly users: Lists;
}

export class LevelBounds {
  private readonly control: ControlGraph;
  private readonly nodes: LevelNodes;
  private readonly restOf: (result: Definition) => readonly Definition[];
  private readonly choosers: Choosers;
  /**
   * For each node, the nodes that bound its level, in addition to the rule for an instruction's
   * results.
   */
  private readonly bounds: Lists;
  /**
   * For each node, whether a decrease of its level affects an earlier node or itself, which must
   * then be visited again.
   */
  private readonly looksBack: Uint8Array;
  /**
   * For each value, a number n: the ends of the n innermost loops around the value bound its level.
   */
  private readonly outlived: Int32Array;
  private foundDependents: Dependents | undefined;

  /**
   * `restOf`: the values on which the level of a result depends in addition to the instruction's
   * arguments.
   */
  constructor(control: ControlGraph, nodes: LevelNodes, restOf: (result: Definition) => readonly Definition[]) {
    this.control = control;
    this.nodes = nodes;
    this.restOf = restOf;
    this.choosers = new Choosers(control, nodes);
    this.bounds = this.emptyLists();
    this.outlived = new Int32Array(nodes.definitions.length);
    this.looksBack = new Uint8Array(nodes.count);
    this.boundControl();
    this.boundValues();
  }

  /** Returns the nodes whose levels a node's level cannot exceed. */
  of(node: LevelNode): readonly LevelNode[] | undefined {
    return this.bounds[node];
  }

  isLookedBackAt(node: LevelNode): boolean {
    return this.looksBack[node] === 1;
  }

  private bound(node: LevelNode, by: LevelNode): void {
    addTo(this.bounds, node, by);
    if (node <= by) this.looksBack[by] = 1;
  }

  private boundByValue(node: LevelNode, value: Value): void {
    const other = this.nodes.of(value);
    if (other !== undefined) this.bound(node, other);
  }

  // Control.

  private boundControl(): void {
    const { graph, deciders, loops, allLoops, core, targets, tangled } = this.control;
    graph.blocks.forEach(({ end }, block) => {
      const branch = this.nodes.branch(block);
      if (end.kind === 'branch') this.boundByValue(branch, end.condition);
      if (end.kind === 'switch') this.boundByValue(branch, end.selector);
      if (!core[block]) return;
      if (tangled) {
        this.bound(this.nodes.block(block), this.nodes.tangle);
        if (at(targets, block, 'the targets of a block').length > 1) this.bound(this.nodes.tangle, branch);
        return;
      }
      const loop = loops[block];
      if (loop) this.bound(this.nodes.block(block), this.nodes.iteration(loop));
      for (const decider of at(deciders, block, 'the deciders of a block'))
        this.boundByDecider(this.nodes.block(block), decider);
    });
    for (const loop of allLoops) {
      const [iteration, end] = [this.nodes.iteration(loop), this.nodes.end(loop)];
      this.bound(iteration, end);
      if (tangled) this.bound(end, this.nodes.tangle);
      if (loop.parent) this.bound(iteration, this.nodes.iteration(loop.parent));
      for (const decider of loop.deciders) this.boundByDecider(iteration, decider);
      for (const exit of loop.exits) {
        this.bound(end, this.nodes.branch(exit));
        this.bound(end, this.nodes.block(exit));
      }
    }
  }

  private boundByDecider(node: LevelNode, decider: Decider): void {
    if ('loop' in decider) {
      this.bound(node, this.nodes.end(decider.loop));
      return;
    }
    this.bound(node, this.nodes.branch(decider.block));
    this.bound(node, this.nodes.block(decider.block));
  }

  // Values.

  private boundValues(): void {
    const { graph, core, allLoops } = this.control;
    const hasLoops = allLoops.length > 0;
    const incoming: Incoming[][] = graph.blocks.map(() => []);
    const numberOf = (block: Block): number => graph.numberOf(block) ?? missing('the number of a block', block);
    graph.blocks.forEach(({ end }, from) => {
      for (const { to, args } of edgesOf(end))
        at(incoming, numberOf(to), 'the edges into a block').push({ from, args });
    });
    graph.blocks.forEach((block, number) => {
      if (block.params.length > 0)
        this.boundParams(number, block.params, at(incoming, number, 'the edges into a block'));
      const { insts, end } = block;
      const decides = core[number] ? this.nodes.block(number) : undefined;
      for (let index = 0; index < insts.length; index++) {
        const inst = insts[index];
        if (inst === undefined) continue;
        this.boundResults(inst, decides);
        if (!hasLoops) continue;
        this.outlive(inst.args, number);
        if (inst.when !== undefined) this.outlive([inst.when, ...inst.otherwise], number);
      }
      if (!hasLoops) return;
      if (end.kind === 'branch') this.outlive([end.condition], number);
      if (end.kind === 'switch') this.outlive([end.selector], number);
      if (end.kind === 'return') this.outlive(end.values, number);
      // The target of an edge reads the edge's arguments.
      for (const { to, args } of edgesOf(end)) this.outlive(args, numberOf(to));
    });
  }

  /**
   * Bounds the levels of an instruction's results. `decides`: the node of the instruction's block,
   * if lanes may arrive there at different times.
   */
  private boundResults(inst: Inst, decides: LevelNode | undefined): void {
    const { args, results, when } = inst;
    for (let at = 0; at < results.length; at++) {
      const result = results[at];
      const node = (result && this.nodes.of(result)) ?? missing('the node of a result', result);
      for (let position = 0; position < args.length; position++) {
        const arg = args[position];
        const other = arg && this.nodes.of(arg);
        if (other !== undefined && node <= other) this.looksBack[other] = 1;
      }
      for (const value of result === undefined ? [] : this.restOf(result)) {
        const other = this.nodes.of(value);
        if (other !== undefined && node <= other) this.looksBack[other] = 1;
      }
      if (when !== undefined) {
        this.boundByValue(node, when);
        for (const value of inst.otherwise) this.boundByValue(node, value);
      }
      if (decides !== undefined && mayDiffer(inst)) this.bound(node, decides);
    }
  }

  /**
   * The nodes to visit again when a level falls. Computed on demand, because only functions with
   * loops need them.
   */
  get dependents(): Dependents {
    if (this.foundDependents !== undefined) return this.foundDependents;
    const users = this.emptyLists();
    this.nodes.definitions.forEach((value, node) => {
      if (value.kind === 'param') return;
      for (const arg of value.inst.args) this.addUser(users, arg, node);
      for (const other of this.restOf(value)) this.addUser(users, other, node);
    });
    const bounded = this.emptyLists();
    this.bounds.forEach((list, node) => {
      if (list !== undefined) for (const other of list) addTo(bounded, other, node);
    });
    this.foundDependents = { bounded, users };
    return this.foundDependents;
  }

  private emptyLists(): Lists {
    return new Array(this.nodes.count).fill(undefined);
  }

  private addUser(users: Lists, value: Value, node: LevelNode): void {
    const other = this.nodes.of(value);
    if (other !== undefined) addTo(users, other, node);
  }

  /**
   * Bounds values that are read after their loop. Lanes that left the loop in different iterations
   * have their own values, so such a value is at most as uniform as the loop's end.
   */
  private outlive(read: readonly Value[], block: number): void {
    const { loops, core, isInLoop } = this.control;
    if (!core[block]) return;
    const { homes } = this.nodes;
    for (let at = 0; at < read.length; at++) {
      const value = read[at];
      const node = value && this.nodes.of(value);
      const home = node === undefined ? undefined : homes[node];
      if (node === undefined || home === undefined || home === block) continue;
      const done = this.outlived[node] ?? missing('the count of a node', node);
      let count = 0;
      for (let loop = loops[home]; loop !== undefined && !isInLoop(block, loop); loop = loop.parent) {
        if (count >= done) this.bound(node, this.nodes.end(loop));
        count += 1;
      }
      if (count > done) this.outlived[node] = count;
    }
  }

  private boundParams(block: number, params: readonly Param[], incoming: readonly Incoming[]): void {
    const loop = this.control.loops[block];
    const isLatch = new Set(loop?.header === block ? loop.latches : []);
    const entering = incoming.filter(({ from }) => !isLatch.has(from));
    const again = incoming.filter(({ from }) => isLatch.has(from));
    const { core, dominators } = this.control;
    const above = dominators.parents[block] ?? missing('the dominator of a block', block);
    for (let index = 0; index < params.length; index++) {
      const param = params[index];
      const node = (param && this.nodes.of(param)) ?? missing('the node of a parameter', param);
      for (let at = 0; at < incoming.length; at++) {
        const arg = incoming[at]?.args[index];
        if (arg) this.boundByValue(node, arg);
      }
      if (!core[block]) continue;
      if (isChoice(entering, index)) for (const chooser of this.choosers.of(entering, above)) this.bound(node, chooser);
      if (isChoice(again, index)) for (const chooser of this.choosers.of(again, block)) this.bound(node, chooser);
    }
  }
}

/** Whether the edges pass different values to a parameter. */
function isChoice(edges: readonly Incoming[], index: number): boolean {
  const own = edges[0]?.args[index];
  for (let at = 1; at < edges.length; at++) {
    const arg = edges[at]?.args[index];
    if (arg && own && !sameValue(arg, own)) return true;
  }
  return false;
}

/** Adds to the list of a node. The list is created on demand because most nodes have none. */
function addTo(lists: Lists, at: LevelNode, node: LevelNode): void {
  const list = lists[at];
  if (list === undefined) lists[at] = [node];
  else list.push(node);
}

/**
 * Whether the result of an instruction may differ if other lanes execute it with the same
 * arguments.
 */
function mayDiffer(inst: Inst): boolean {
  // Special registers have a rule of their own, and parameters never change.
  if (inst.op === 'special' || (inst.op === 'load' && inst.attrs.place.root.kind === 'param')) return false;
  return inst.operation.effect !== 'pure';
}
