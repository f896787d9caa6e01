// For dispatch: ends a block at every warp instruction and barrier, so that a lane that waits there has a place to go on from.
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

export type DispatchEnd =
  | Terminator
  /// The lane waits at `inst`, and goes on at `next`.
  | { readonly kind: 'sync'; readonly inst: Sync; readonly next: number }
  /// An instruction that lanes execute where the condition holds.
  | {
      readonly kind: 'guard';
      readonly inst: Sync;
      readonly condition: Value;
      readonly then: number;
      readonly else: number;
    }
  | { readonly kind: 'next'; readonly next: number };

export interface DispatchBlock {
  insts: readonly Inst[];
  end: DispatchEnd;
  /// The instruction whose results the lane takes over when it arrives here.
  readonly resumes: Sync | undefined;
  /// The converged loop in front of which lanes gather here.
  readonly gathers: number | undefined;
}

/// Where a lane goes on from an instruction: with its results, and without them.
export interface SyncPlaces {
  readonly next: number;
  readonly rest: number;
}

export interface DispatchGraph {
  readonly blocks: readonly DispatchBlock[];
  readonly numbers: ReadonlyMap<Block, number>;
  readonly places: ReadonlyMap<Inst, SyncPlaces>;
}

const isSync = (inst: Inst): inst is Sync => isCollective(inst);

/// `headers`: blocks in front of which lanes gather.
export function splitAtSyncs(graph: FlowGraph, headers: readonly Block[]): DispatchGraph {
  const nothing: DispatchEnd = { kind: 'exit', span: undefined };
  const blocks: DispatchBlock[] = graph.blocks.map((block) => {
    const loop = headers.indexOf(block);
    return { insts: [], end: nothing, resumes: undefined, gathers: loop < 0 ? undefined : loop };
  });
  const places = new Map<Inst, SyncPlaces>();
  const add = (end: DispatchEnd, resumes?: Sync) => blocks.push({ insts: [], end, resumes, gathers: undefined }) - 1;
  graph.blocks.forEach((block, number) => {
    let at = number;
    let run: Inst[] = [];
    const finish = (end: DispatchEnd) => {
      const current = blocks[at];
      if (current) Object.assign(current, { insts: run, end });
      run = [];
    };
    for (const inst of block.insts) {
      if (!isSync(inst)) {
        run.push(inst);
        continue;
      }
      // The rest comes behind the place where the lane goes on: so it is a case of its own only where something else leads to it, too.
      const next = add({ kind: 'next', next: blocks.length + 1 }, inst);
      const rest = add(nothing);
      places.set(inst, { next, rest });
      const sync: DispatchEnd = { kind: 'sync', inst, next };
      finish(
        inst.when === undefined ? sync : { kind: 'guard', inst, condition: inst.when, then: add(sync), else: rest },
      );
      at = rest;
    }
    finish(block.end);
  });
  return { blocks, numbers: new Map(graph.blocks.map((block, number) => [block, number])), places };
}

/// Blocks that lanes go on to.
export function targetsOf(end: DispatchEnd, numbers: ReadonlyMap<Block, number>): readonly number[] {
  switch (end.kind) {
    case 'sync':
    case 'next':
      return [end.next];
    case 'guard':
      return [end.then, end.else];
    default:
      return edgesOf(end).map(({ to }) => numbers.get(to) ?? 0);
  }
}

/// Blocks written inside each other at most; WGSL compilers limit how deep statements nest.
const maxDepth = 32;

/// Blocks that need a case of their own: the first, where lanes go on after waiting, those that several edges or a later block lead to, and
/// now and then one of a long chain. `known`: others that lanes go on from.
export function entriesOf(
  { blocks, numbers }: Pick<DispatchGraph, 'blocks' | 'numbers'>,
  known: Iterable<number>,
): ReadonlySet<number> {
  const incoming = blocks.map(() => 0);
  const entries = new Set([0, ...known]);
  const targets = blocks.map(({ end }) => targetsOf(end, numbers));
  blocks.forEach(({ end, resumes }, number) => {
    if (resumes) entries.add(number);
    for (const to of targets[number] ?? []) {
      incoming[to] = (incoming[to] ?? 0) + 1;
      if (to <= number && end.kind !== 'sync') entries.add(to);
    }
  });
  incoming.forEach((count, number) => {
    if (count > 1) entries.add(number);
  });
  const depths = blocks.map(() => 0);
  const order = inOrderOfWriting(targets, entries);
  for (const number of order) {
    const depth = entries.has(number) ? 0 : (depths[number] ?? 0);
    if (depth > maxDepth) entries.add(number);
    for (const to of targets[number] ?? []) depths[to] = depth > maxDepth ? 1 : depth + 1;
  }
  return entries;
}

/// Blocks after those that they are written inside of.
function inOrderOfWriting(targets: readonly (readonly number[])[], entries: ReadonlySet<number>): readonly number[] {
  const order: number[] = [];
  const seen = new Set<number>();
  for (const entry of entries) {
    const stack = [entry];
    for (let number = stack.pop(); number !== undefined; number = stack.pop()) {
      if (seen.has(number)) continue;
      seen.add(number);
      order.push(number);
      for (const to of targets[number] ?? []) if (!entries.has(to)) stack.push(to);
    }
  }
  return order;
}
