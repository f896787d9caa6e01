// Which values and branches are the same in lanes of a warp, or in threads of a block.
//
// All start as the same, and fall to what they depend on: values to their arguments, parameters of blocks also to the branches that choose among the
// edges, blocks to the branches that decide whether they run. Each falls three times at most, so the whole is as long as the list of dependences.

import { IdMap, type ReadonlyIdMap } from '../ir/id-map.ts';
import {
  type Definition,
  edgesOf,
  type Func,
  type Inst,
  isDefinition,
  type Param,
  sameValue,
  type Value,
} from '../ir/nodes.ts';
import type { ControlGraph, Decider, LoopControl } from './control-dependence.ts';
import type { LaunchFacts } from './launch-facts.ts';
import { type CalleeLevel, LevelRules, type MemoryFacts } from './level-rules.ts';
import { rank } from './levels.ts';

/// What lanes have in common; numbers as in `rank`.
export interface Levels {
  /// Of a value, wherever it is read.
  readonly value: (value: Value) => number;
  /// Of the branches that decide whether a block runs, directly or through others.
  readonly control: (block: number) => number;
  /// Of the branch at a block's end.
  readonly branch: (block: number) => number;
  /// Of what a function returns.
  readonly returned: number;
}

/// A thing that has a level: a value, a branch, a block, an iteration of a loop, the end of a loop. Numbered; see `ValueLevels`.
type Node = number;

/// An edge into a block, by the block that it comes from.
interface Incoming {
  readonly from: number;
  readonly args: readonly Value[];
}

/// Branches looked at for one choice among edges, at most.
const maxChoosers = 64;

export class ValueLevels {
  private readonly control: ControlGraph;
  private readonly facts: LaunchFacts;
  private readonly memory: MemoryFacts;
  private readonly callee: CalleeLevel;
  private readonly values = new IdMap<Definition, Node>();
  private readonly definitions: Definition[] = [];
  private readonly returns: { readonly value: Value; readonly block: number }[] = [];
  private readonly loops = new Map<LoopControl, number>();
  /// By node: what its level is bounded by, beside the rule for an instruction's results.
  private readonly bounds: (Node[] | undefined)[];
  /// By node: whether a node that comes before it, or is it, is to be looked at again when it falls.
  private readonly looksBack: Uint8Array;
  private foundDependents: (Node[] | undefined)[] | undefined;
  private readonly firstBranch: Node;
  private readonly firstBlock: Node;
  private readonly firstLoop: Node;
  private readonly tangle: Node;

  constructor(func: Func, control: ControlGraph, facts: LaunchFacts, memory: MemoryFacts, callee: CalleeLevel) {
    this.control = control;
    this.facts = facts;
    this.memory = memory;
    this.callee = callee;
    const { blocks } = control.graph;
    for (const block of blocks) {
      for (const param of block.params) this.add(param);
      for (const { results } of block.insts) for (const result of results) this.add(result);
    }
    this.firstBranch = this.definitions.length;
    this.firstBlock = this.firstBranch + blocks.length;
    this.firstLoop = this.firstBlock + blocks.length;
    control.allLoops.forEach((loop, index) => {
      this.loops.set(loop, index);
    });
    this.tangle = this.firstLoop + 2 * control.allLoops.length;
    this.bounds = new Array(this.tangle + 1).fill(undefined);
    this.looksBack = new Uint8Array(this.tangle + 1);
    this.boundControl();
    this.boundValues();
    if (func.kind === 'function') this.collectReturns();
  }

  private add(value: Definition): void {
    this.values.set(value, this.definitions.length);
    this.definitions.push(value);
  }

  private bound(node: Node, by: Node): void {
    addTo(this.bounds, node, by);
    if (node <= by) this.looksBack[by] = 1;
  }

  private boundByValue(node: Node, value: Value): void {
    const other = this.nodeOf(value);
    if (other !== undefined) this.bound(node, other);
  }

  private iterationOf = (loop: LoopControl): Node => this.firstLoop + 2 * (this.loops.get(loop) ?? 0);
  private endOf = (loop: LoopControl): Node => this.iterationOf(loop) + 1;

  // Control.

  private boundControl(): void {
    const { graph, deciders, loops, allLoops, core, targets, tangled } = this.control;
    graph.blocks.forEach(({ end }, block) => {
      const branch = this.firstBranch + block;
      if (end.kind === 'branch') this.boundByValue(branch, end.condition);
      if (end.kind === 'switch') this.boundByValue(branch, end.selector);
      if (!core[block]) return;
      if (tangled) {
        this.bound(this.firstBlock + block, this.tangle);
        if ((targets[block]?.length ?? 0) > 1) this.bound(this.tangle, branch);
        return;
      }
      const loop = loops[block];
      if (loop) this.bound(this.firstBlock + block, this.iterationOf(loop));
      for (const decider of deciders[block] ?? []) this.boundByDecider(this.firstBlock + block, decider);
    });
    for (const loop of allLoops) {
      const [iteration, end] = [this.iterationOf(loop), this.endOf(loop)];
      this.bound(iteration, end);
      if (tangled) this.bound(end, this.tangle);
      if (loop.parent) this.bound(iteration, this.iterationOf(loop.parent));
      for (const decider of loop.deciders) this.boundByDecider(iteration, decider);
      for (const exit of loop.exits) {
        this.bound(end, this.firstBranch + exit);
        this.bound(end, this.firstBlock + exit);
      }
    }
  }

  private boundByDecider(node: Node, decider: Decider): void {
    if ('loop' in decider) {
      this.bound(node, this.endOf(decider.loop));
      return;
    }
    this.bound(node, this.firstBranch + decider.block);
    this.bound(node, this.firstBlock + decider.block);
  }

  // Values.

  private boundValues(): void {
    const { graph, core, allLoops } = this.control;
    const hasLoops = allLoops.length > 0;
    const incoming: Incoming[][] = graph.blocks.map(() => []);
    graph.blocks.forEach(({ end }, from) => {
      for (const { to, args } of edgesOf(end)) incoming[graph.numberOf(to) ?? 0]?.push({ from, args });
    });
    graph.blocks.forEach((block, number) => {
      if (block.params.length > 0) this.boundParams(number, block.params, incoming[number] ?? []);
      const { insts, end } = block;
      const decides = core[number] ? this.firstBlock + number : undefined;
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
      // What an edge brings is read where it leads to.
      for (const { to, args } of edgesOf(end)) this.outlive(args, graph.numberOf(to) ?? 0);
    });
  }

  /// `decides`: the block that the instruction stands in, if lanes may come to it at different times.
  private boundResults(inst: Inst, decides: Node | undefined): void {
    const { args, results, when } = inst;
    for (let at = 0; at < results.length; at++) {
      const result = results[at];
      const node = (result && this.values.get(result)) ?? 0;
      for (let position = 0; position < args.length; position++) {
        const arg = args[position];
        const other = arg && this.nodeOf(arg);
        if (other !== undefined && node <= other) this.looksBack[other] = 1;
      }
      if (when !== undefined) {
        this.boundByValue(node, when);
        for (const value of inst.otherwise) this.boundByValue(node, value);
      }
      if (decides !== undefined && mayDiffer(inst)) this.bound(node, decides);
    }
  }

  private nodeOf(value: Value): Node | undefined {
    return isDefinition(value) ? this.values.get(value) : undefined;
  }

  /// By node: nodes to look at again when it falls. A result is when its argument falls: the operation's rule says what that means. Kernels without loops
  /// never ask.
  private get dependents(): readonly (readonly Node[] | undefined)[] {
    if (this.foundDependents !== undefined) return this.foundDependents;
    const dependents: (Node[] | undefined)[] = new Array(this.tangle + 1).fill(undefined);
    this.definitions.forEach((value, node) => {
      if (value.kind === 'param') return;
      for (const arg of value.inst.args) {
        const other = this.nodeOf(arg);
        if (other !== undefined) addTo(dependents, other, node);
      }
    });
    this.bounds.forEach((list, node) => {
      if (list !== undefined) for (const other of list) addTo(dependents, other, node);
    });
    this.foundDependents = dependents;
    return dependents;
  }

  /// Lanes that left a loop in different iterations hold what was theirs: a value that is read behind its loop is as much the same as they left
  /// together.
  private outlive(read: readonly Value[], block: number): void {
    const { loops, core, isInLoop, graph } = this.control;
    if (!core[block]) return;
    for (const value of read) {
      if (!isDefinition(value)) continue;
      const home = value.kind === 'param' ? value.block : this.homes.get(value.inst);
      let loop = home && loops[graph.numberOf(home) ?? 0];
      for (; loop !== undefined && !isInLoop(block, loop); loop = loop.parent) {
        this.bound(this.values.get(value) ?? 0, this.endOf(loop));
      }
    }
  }

  private get homes(): ReadonlyIdMap<Inst, Func['blocks'][number]> {
    if (this.foundHomes !== undefined) return this.foundHomes;
    const homes = new IdMap<Inst, Func['blocks'][number]>();
    for (const block of this.control.graph.blocks) for (const inst of block.insts) homes.set(inst, block);
    this.foundHomes = homes;
    return homes;
  }
  private foundHomes: ReadonlyIdMap<Inst, Func['blocks'][number]> | undefined;

  private boundParams(block: number, params: readonly Param[], incoming: readonly Incoming[]): void {
    const { latches = [], header = -1 } = this.control.loops[block] ?? {};
    const isLatch = new Set(header === block ? latches : []);
    const entering = incoming.filter(({ from }) => !isLatch.has(from));
    const again = incoming.filter(({ from }) => isLatch.has(from));
    const { core, dominators } = this.control;
    const above = dominators.parents[block] ?? -1;
    params.forEach((param, index) => {
      const node = this.values.get(param) ?? 0;
      for (const { args } of incoming) {
        const arg = args[index];
        if (arg) this.boundByValue(node, arg);
      }
      if (!core[block]) return;
      for (const [edges, from] of [
        [entering, above],
        [again, block],
      ] as const) {
        const [first] = edges;
        const own = first?.args[index];
        const isChoice = edges.some(({ args: { [index]: arg } }) => arg && own && !sameValue(arg, own));
        if (isChoice) for (const chooser of this.choosers(edges, from)) this.bound(node, chooser);
      }
    });
  }

  private readonly chosen = new Map<readonly Incoming[], readonly Node[]>();

  /// What decides by which of some edges lanes come that were together at block `from`, which dominates them.
  private choosers(edges: readonly Incoming[], from: number): readonly Node[] {
    const known = this.chosen.get(edges);
    if (known !== undefined) return known;
    const found = this.findChoosers(edges, from) ?? this.allChoosers(edges);
    this.chosen.set(edges, found);
    return found;
  }

  private findChoosers(edges: readonly Incoming[], from: number): readonly Node[] | undefined {
    const { deciders, loops, targets, dominators, tangled } = this.control;
    if (tangled) return [this.tangle];
    const nodes = new Set<Node>();
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
      nodes.add(typeof at === 'number' ? this.firstBranch + at : this.endOf(at));
      reach(at);
    };
    for (const edge of edges) {
      const isAgain = seen.has(edge.from);
      if (isAgain || (targets[edge.from]?.length ?? 0) > 1) nodes.add(this.firstBranch + edge.from);
      reach(edge.from);
    }
    for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
      if (seen.size > maxChoosers) return undefined;
      for (const decider of typeof at === 'number' ? (deciders[at] ?? []) : at.deciders) decide(decider);
      // From inside a loop lanes come by one of its ways out, which they may leave by in different iterations.
      const around = typeof at === 'number' ? loops[at] : at.parent;
      if (around !== undefined && around.header !== from && dominators.dominates(from, around.header)) {
        nodes.add(this.endOf(around));
        reach(around);
      }
    }
    return [...nodes];
  }

  /// More than what chooses: all that decides whether lanes come by an edge.
  private allChoosers(edges: readonly Incoming[]): readonly Node[] {
    return edges.flatMap(({ from }) => [this.firstBranch + from, this.firstBlock + from]);
  }

  private collectReturns(): void {
    this.control.graph.blocks.forEach(({ end }, block) => {
      if (end.kind === 'return') for (const value of end.values) this.returns.push({ value, block });
    });
  }

  // Solving.

  /// `members`: the lanes that are compared, as a mask. A level says nothing of others.
  among(members: number): Levels {
    const level = new Uint8Array(this.bounds.length).fill(rank.provable);
    const levelOf = (value: Value): number =>
      isDefinition(value) ? (level[this.values.get(value) ?? -1] ?? rank.divergent) : rank.provable;
    const rules = new LevelRules(members, this.facts, this.memory, this.callee, levelOf);
    const queue: Node[] = [];
    const update = (node: Node) => {
      let least = rank.provable;
      const bounds = this.bounds[node];
      if (bounds !== undefined) for (const other of bounds) least = Math.min(least, level[other] ?? 0);
      const definition = this.definitions[node];
      if (definition?.kind === 'result')
        least = Math.min(least, rules.result(definition.inst, definition.index, definition));
      if (least >= (level[node] ?? 0)) return;
      level[node] = least;
      if (!isFirst || this.looksBack[node]) queue.push(node);
    };
    // All in order: what comes later sees at once what has fallen.
    let isFirst = true;
    for (let node = 0; node < level.length; node++) update(node);
    isFirst = false;
    for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
      for (const other of this.dependents[node] ?? []) update(other);
    }
    const control = (block: number) => level[this.firstBlock + block] ?? rank.divergent;
    const blocks = new Set(this.returns.map(({ block }) => block));
    return {
      value: levelOf,
      control,
      branch: (block) => level[this.firstBranch + block] ?? rank.divergent,
      returned: Math.min(
        rank.provable,
        ...this.returns.map(({ value }) => levelOf(value)),
        ...(blocks.size > 1 ? [...blocks].map(control) : []),
      ),
    };
  }
}

/// Most nodes have no list, or a short one.
function addTo(lists: (Node[] | undefined)[], at: Node, node: Node): void {
  const list = lists[at];
  if (list === undefined) lists[at] = [node];
  else list.push(node);
}

/// Whether an instruction may give something else when other lanes execute it, with the same arguments.
function mayDiffer(inst: Inst): boolean {
  // Special registers change or do not: their rule knows.
  if (inst.op === 'special' || (inst.op === 'load' && inst.attrs.place.root.kind === 'param')) return false;
  return inst.operation.effect !== 'pure';
}
