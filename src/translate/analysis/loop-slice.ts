// The backward slice of a value within a loop: through arithmetic, local memory, block parameters,
// and the branches that choose among their edges. Branches that leave the loop only determine
// whether it continues, so they are not part of the slice.

import { get } from '../../base/invariants.ts';
import { allOf } from '../../base/maps.ts';
import { type FlowGraph, forEachOperand, type Loop, postdominatorsOf } from '../graph/index.ts';
import type { IdMap } from '../ir/id-map.ts';
import { type Block, edgesOf, type Inst, type InstNamed, isDefinition, type Param, type Value } from '../ir/nodes.ts';

export interface Slice {
  readonly insts: ReadonlySet<Inst>;
  readonly params: ReadonlySet<Param>;
}

/** Whether an access is weak and may reach local memory. */
function isLocal({ attrs: { place, order } }: InstNamed<'load' | 'store'>): boolean {
  const { root } = place;
  return order === 'weak' && root.kind === 'address' && (root.space === 'local' || root.space === 'generic');
}

export class LoopSlices {
  readonly loop: Loop;
  readonly graph: FlowGraph;
  private readonly homes: IdMap<Inst, Block>;
  private foundDeciders: ReadonlyMap<Block, readonly Block[]> | undefined;
  private foundLocalStores: readonly Inst[] | undefined;

  /** `homes`: the block of each instruction of the function. */
  constructor(loop: Loop, graph: FlowGraph, homes: IdMap<Inst, Block>) {
    this.loop = loop;
    this.graph = graph;
    this.homes = homes;
  }

  /** Returns the slice of a value, wherever in the loop it is read. */
  of(value: Value): Slice {
    const search = new Search(this);
    search.value(value);
    return search.found();
  }

  /**
   * Returns the slice of branches: their conditions, and the branches within an iteration that
   * determine whether they are reached.
   */
  ofBranches(blocks: readonly Block[]): Slice {
    const search = new Search(this);
    for (const block of blocks) search.branch(block);
    return search.found();
  }

  /** Whether an edge out of a block leaves the loop. */
  leaves(block: Block): boolean {
    return this.graph.successorsOf(block).some((to) => !this.loop.contains(to));
  }

  /** Returns the block of a definition in the loop; undefined for other values. */
  homeOf(value: Value): Block | undefined {
    if (!isDefinition(value)) return undefined;
    const home = value.kind === 'param' ? value.block : this.homes.get(value.inst);
    return home !== undefined && this.loop.contains(home) ? home : undefined;
  }

  /** Returns the values that edges within the loop pass to a parameter, with the source blocks. */
  incoming(param: Param): readonly { readonly from: Block; readonly value: Value }[] {
    const index = param.block.params.indexOf(param);
    return this.graph.predecessorsOf(param.block).flatMap((from) =>
      this.loop.contains(from)
        ? edgesOf(from.end).flatMap(({ to, args }) => {
            const value = to === param.block ? args[index] : undefined;
            return value === undefined ? [] : [{ from, value }];
          })
        : [],
    );
  }

  blockOf(inst: Inst): Block {
    return get(this.homes, inst, 'the block of an instruction');
  }

  /** Whether a block ends with a branch whose edges all stay in the loop. */
  isInnerBranch(block: Block): boolean {
    const targets = this.graph.successorsOf(block);
    return targets.length > 1 && targets.every((to) => this.loop.contains(to));
  }

  get localStores(): readonly Inst[] {
    this.foundLocalStores ??= this.loop
      .blocks()
      .flatMap(({ insts }) => insts.filter((inst) => inst.op === 'store' && isLocal(inst)));
    return this.foundLocalStores;
  }

  /**
   * Returns the branches inside the loop that determine whether a block executes in an iteration.
   */
  deciders(block: Block): readonly Block[] {
    this.foundDeciders ??= this.findDeciders();
    return allOf(this.foundDeciders, block);
  }

  private findDeciders(): ReadonlyMap<Block, readonly Block[]> {
    const { loop, graph } = this;
    const { ipdomOf } = postdominatorsOf(graph);
    const found = new Map<Block, Block[]>();
    for (const branch of loop.blocks()) {
      if (!this.isInnerBranch(branch)) continue;
      const targets = graph.successorsOf(branch);
      const stop = ipdomOf(branch);
      for (const target of targets) {
        for (
          let at: Block | undefined = target;
          at !== undefined && at !== stop && loop.contains(at);
          at = ipdomOf(at)
        ) {
          const list = found.get(at);
          if (list === undefined) found.set(at, [branch]);
          else if (list[list.length - 1] !== branch) list.push(branch);
          if (at === loop.header) break;
        }
      }
    }
    return found;
  }
}

class Search {
  private readonly insts = new Set<Inst>();
  private readonly params = new Set<Param>();
  private readonly branches = new Set<Block>();
  /** The visits that remain. */
  private readonly queue: (() => void)[] = [];
  private readonly slices: LoopSlices;

  constructor(slices: LoopSlices) {
    this.slices = slices;
  }

  found(): Slice {
    for (let look = this.queue.pop(); look !== undefined; look = this.queue.pop()) look();
    return { insts: this.insts, params: this.params };
  }

  value(value: Value): void {
    if (this.slices.homeOf(value) === undefined) return;
    if (value.kind === 'param') this.add(this.params, value, () => this.lookAtParam(value));
    if (value.kind === 'result') this.inst(value.inst);
  }

  branch(block: Block): void {
    this.add(this.branches, block, () => {
      const { end } = block;
      if (end.kind === 'branch') this.value(end.condition);
      if (end.kind === 'switch') this.value(end.selector);
      this.decide(block);
    });
  }

  private inst(inst: Inst): void {
    this.add(this.insts, inst, () => {
      forEachOperand(inst, (value) => this.value(value));
      if (inst.op === 'load' && isLocal(inst)) for (const store of this.slices.localStores) this.inst(store);
      // The content of memory depends on whether the store executes, and not only on the stored
      // value.
      if (inst.op === 'store') this.decide(this.slices.blockOf(inst));
    });
  }

  private decide(block: Block): void {
    for (const branch of this.slices.deciders(block)) this.branch(branch);
  }

  private lookAtParam(param: Param): void {
    const ways = this.slices.incoming(param);
    for (const { value } of ways) this.value(value);
    if (ways.every(({ value }) => value === ways[0]?.value)) return;
    for (const { from } of ways) {
      if (this.slices.isInnerBranch(from)) this.branch(from);
      this.decide(from);
    }
  }

  private add<T>(set: Set<T>, item: T, look: () => void): void {
    if (set.has(item)) return;
    set.add(item);
    this.queue.push(look);
  }
}
