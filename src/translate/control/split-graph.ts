// Splits blocks for a dispatch: every warp instruction and barrier ends a block, so a lane that
// waits there has a place at which it continues.
import { at, missing } from '../../base/invariants.ts';
import type { FlowGraph } from '../graph/index.ts';
import {
  type Block,
  edgesOf,
  type Inst,
  type InstNamed,
  isCollective,
  type Terminator,
  type Value,
} from '../ir/nodes.ts';

type Sync = InstNamed<'warp'> | InstNamed<'barrier'>;

export type SplitEnd =
  | Terminator
  /** The lane waits at `inst`, then continues at `next`. */
  | { readonly kind: 'sync'; readonly inst: Sync; readonly next: number }
  /** Lanes execute the instruction only if the condition is true. */
  | {
      readonly kind: 'guard';
      readonly inst: Sync;
      readonly condition: Value;
      readonly then: number;
      readonly else: number;
    }
  | { readonly kind: 'next'; readonly next: number };

export interface SplitBlock {
  insts: readonly Inst[];
  end: SplitEnd;
  /**
   * The instruction whose results the lane reads when it arrives at the block; undefined for other
   * blocks.
   */
  readonly resumes: Sync | undefined;
}

/**
 * The blocks at which a lane continues after an instruction: with its results, and without them.
 */
export interface SyncPlaces {
  readonly next: number;
  readonly rest: number;
}

/**
 * The graph after blocks are split. The blocks of the original graph keep their numbers; the other
 * blocks have higher numbers.
 */
export class SplitGraph {
  readonly blocks: readonly SplitBlock[];
  readonly places: ReadonlyMap<Inst, SyncPlaces>;
  private readonly graph: FlowGraph;

  constructor(graph: FlowGraph, blocks: readonly SplitBlock[], places: ReadonlyMap<Inst, SyncPlaces>) {
    this.graph = graph;
    this.blocks = blocks;
    this.places = places;
  }

  /** Returns the number of a block. Throws for a block of another graph. */
  numberOf(block: Block): number {
    return this.graph.numberOf(block) ?? missing('the number of a block', block);
  }

  at(number: number): SplitBlock {
    return at(this.blocks, number, 'a block');
  }

  /** Returns the blocks at which lanes continue. */
  targetsOf(end: SplitEnd): readonly number[] {
    switch (end.kind) {
      case 'sync':
      case 'next':
        return [end.next];
      case 'guard':
        return [end.then, end.else];
      default:
        return edgesOf(end).map(({ to }) => this.numberOf(to));
    }
  }
}

const isSync = (inst: Inst): inst is Sync => isCollective(inst);

export function splitAtSyncs(graph: FlowGraph): SplitGraph {
  const nothing: SplitEnd = { kind: 'exit', span: undefined };
  const blocks: SplitBlock[] = graph.blocks.map(() => ({ insts: [], end: nothing, resumes: undefined }));
  const places = new Map<Inst, SyncPlaces>();
  const add = (end: SplitEnd, resumes?: Sync) => blocks.push({ insts: [], end, resumes }) - 1;
  graph.blocks.forEach((block, number) => {
    let current = number;
    let run: Inst[] = [];
    const finish = (end: SplitEnd) => {
      Object.assign(at(blocks, current, 'a block'), { insts: run, end });
      run = [];
    };
    for (const inst of block.insts) {
      if (!isSync(inst)) {
        run.push(inst);
        continue;
      }
      // The rest of the block follows the block at which the lane continues. So the rest is a
      // separate case only if another edge leads to it.
      const next = add({ kind: 'next', next: blocks.length + 1 }, inst);
      const rest = add(nothing);
      places.set(inst, { next, rest });
      const sync: SplitEnd = { kind: 'sync', inst, next };
      finish(
        inst.when === undefined ? sync : { kind: 'guard', inst, condition: inst.when, then: add(sync), else: rest },
      );
      current = rest;
    }
    finish(block.end);
  });
  return new SplitGraph(graph, blocks, places);
}

/**
 * The maximum depth of blocks written inside each other. WGSL compilers limit the nesting of
 * statements.
 */
const maxDepth = 32;

/**
 * Returns the blocks that need a separate case: the first block, blocks at which lanes continue
 * after a wait, targets of several edges or of a later block, and some blocks of a long chain.
 * `known`: other blocks at which lanes continue.
 */
export function entriesOf(graph: SplitGraph, known: Iterable<number>): ReadonlySet<number> {
  const { blocks } = graph;
  const incoming = blocks.map(() => 0);
  const entries = new Set([0, ...known]);
  const targets = blocks.map(({ end }) => graph.targetsOf(end));
  blocks.forEach(({ end, resumes }, number) => {
    if (resumes) entries.add(number);
    for (const to of at(targets, number, 'the targets of a block')) {
      incoming[to] = at(incoming, to, 'the edges into a block') + 1;
      if (to <= number && end.kind !== 'sync') entries.add(to);
    }
  });
  incoming.forEach((count, number) => {
    if (count > 1) entries.add(number);
  });
  const depths = blocks.map(() => 0);
  const order = inOrderOfWriting(targets, entries);
  for (const number of order) {
    const depth = entries.has(number) ? 0 : at(depths, number, 'the depth of a block');
    if (depth > maxDepth) entries.add(number);
    for (const to of at(targets, number, 'the targets of a block')) depths[to] = depth > maxDepth ? 1 : depth + 1;
  }
  return entries;
}

/** Returns the blocks in an order in which each block follows the block that contains its code. */
function inOrderOfWriting(targets: readonly (readonly number[])[], entries: ReadonlySet<number>): readonly number[] {
  const order: number[] = [];
  const seen = new Set<number>();
  for (const entry of entries) {
    const stack = [entry];
    for (let number = stack.pop(); number !== undefined; number = stack.pop()) {
      if (seen.has(number)) continue;
      seen.add(number);
      order.push(number);
      for (const to of at(targets, number, 'the targets of a block')) if (!entries.has(to)) stack.push(to);
    }
  }
  return order;
}
