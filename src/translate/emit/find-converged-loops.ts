// Loops that a warp whose lanes are all at the header may go through together, instruction by instruction, though nothing tells beforehand that its lanes stay
// together: their warp instructions stand in place, behind a question whether the lanes that are named are there.
import type { Loop, Loops } from '../graph/index.ts';
import {
  type Block,
  type Edge,
  edgesOf,
  type Inst,
  type InstNamed,
  isCollective,
  type Terminator,
} from '../ir/nodes.ts';
import { memberMaskOf } from '../ir/warp-facts.ts';

type Warp = InstNamed<'warp'>;
type Branch = Extract<Terminator, { readonly kind: 'branch' }>;

/// What the lanes of a warp do in one iteration, in order.
export type LoopPart =
  | { readonly kind: 'insts'; readonly insts: readonly Inst[] }
  | { readonly kind: 'sync'; readonly inst: Warp }
  /// The parameters of the block that the edge leads to get their values.
  | { readonly kind: 'move'; readonly edge: Edge }
  /// Lanes leave the loop where the condition is `leavesWhere`.
  | { readonly kind: 'exit'; readonly branch: Branch; readonly leavesWhere: boolean }
  /// Lanes go different ways, and meet no others there.
  | {
      readonly kind: 'if';
      readonly branch: Branch;
      readonly then: readonly LoopPart[];
      readonly else: readonly LoopPart[];
    }
  /// Ways with warp instructions, one after the other, which come together at `join`. Each begins with the move that leads there.
  | {
      readonly kind: 'arms';
      readonly branch: Branch;
      readonly then: readonly LoopPart[];
      readonly else: readonly LoopPart[];
      readonly join: Block;
    };

export interface ConvergedLoop {
  readonly header: Block;
  readonly parts: readonly LoopPart[];
}

/// Each loop is written twice: what that may cost, in instructions.
const maxInsts = 384;
const maxBlocks = 48;
/// Branches inside each other.
const maxDepth = 6;

export function findConvergedLoops(loops: Loops): readonly ConvergedLoop[] {
  return loops.all.flatMap((loop) => {
    const parts = loop.inner.length === 0 ? partsOfLoop(loop) : undefined;
    return parts === undefined ? [] : [{ header: loop.header, parts }];
  });
}

function partsOfLoop(loop: Loop): readonly LoopPart[] | undefined {
  const blocks = loop.blocks();
  if (blocks.length > maxBlocks) return undefined;
  const collectives = blocks.flatMap(({ insts }) => insts.filter(isCollective));
  const count = blocks.reduce((sum, { insts }) => sum + insts.length, 0);
  if (collectives.length === 0 || count > maxInsts) return undefined;
  // Those without a mask execute when nothing else can happen, and block barriers are not the warp's.
  if (!collectives.every((inst) => inst.op === 'warp' && memberMaskOf(inst as Warp) !== undefined)) return undefined;
  return new Partition(loop).parts();
}

/// Blocks that lanes may go on from by themselves.
export const targetsIn = (parts: readonly LoopPart[]): readonly Block[] =>
  parts.flatMap((part) => {
    if (part.kind !== 'exit' && part.kind !== 'arms') return [];
    const targets = [part.branch.then.to, part.branch.else.to];
    return part.kind === 'exit' ? targets : [...targets, part.join, ...targetsIn(part.then), ...targetsIn(part.else)];
  });

class Partition {
  private readonly loop: Loop;
  private readonly joins: ReadonlyMap<Block, Block>;
  private readonly seen = new Set<Block>();
  private fits = true;

  constructor(loop: Loop) {
    this.loop = loop;
    this.joins = joinsIn(loop);
  }

  parts(): readonly LoopPart[] | undefined {
    const parts = this.from(this.loop.header, this.loop.header, 0);
    return this.fits ? parts : undefined;
  }

  /// From a block until `stop` is reached again.
  private from(start: Block, stop: Block, depth: number): readonly LoopPart[] {
    const parts: LoopPart[] = [];
    const go = (edge: Edge): Block | undefined => {
      parts.push({ kind: 'move', edge });
      return edge.to === stop ? undefined : edge.to;
    };
    for (let block: Block | undefined = start; block !== undefined; ) {
      // Code that two ways share without meeting there would be written twice.
      if (this.seen.has(block) || depth > maxDepth) this.fits = false;
      if (!this.fits) return [];
      this.seen.add(block);
      parts.push(...partsOfBlock(block));
      const { end }: Block = block;
      if (end.kind === 'jump') {
        block = go(end.to);
        continue;
      }
      if (end.kind !== 'branch') {
        this.fits = false;
        return [];
      }
      const [stays, staysElse] = [this.loop.contains(end.then.to), this.loop.contains(end.else.to)];
      if (!stays || !staysElse) {
        parts.push({ kind: 'exit', branch: end, leavesWhere: staysElse });
        block = go(staysElse ? end.else : end.then);
        continue;
      }
      const join: Block = this.joins.get(block) ?? this.loop.header;
      const [then, otherwise] = [this.arm(end.then, join, depth + 1), this.arm(end.else, join, depth + 1)];
      const apart = [...then, ...otherwise].every(({ kind }) => kind === 'insts' || kind === 'move' || kind === 'if');
      parts.push({ kind: apart ? 'if' : 'arms', branch: end, then, else: otherwise, join });
      block = join === stop ? undefined : join;
    }
    return parts;
  }

  private arm(edge: Edge, join: Block, depth: number): readonly LoopPart[] {
    const move: LoopPart = { kind: 'move', edge };
    return edge.to === join ? [move] : [move, ...this.from(edge.to, join, depth)];
  }
}

function partsOfBlock({ insts }: Block): readonly LoopPart[] {
  const parts: LoopPart[] = [];
  let run: Inst[] = [];
  const flush = () => {
    if (run.length > 0) parts.push({ kind: 'insts', insts: run });
    run = [];
  };
  for (const inst of insts) {
    if (inst.op !== 'warp') {
      run.push(inst);
      continue;
    }
    flush();
    parts.push({ kind: 'sync', inst: inst as Warp });
  }
  flush();
  return parts;
}

/// Where the ways out of a block come together inside of the loop; its header stands for the end of the iteration.
function joinsIn(loop: Loop): ReadonlyMap<Block, Block> {
  const { header } = loop;
  const behind = new Map<Block, ReadonlySet<Block>>();
  const joins = new Map<Block, Block>();
  for (const block of [...loop.blocks()].reverse()) {
    const ways = edgesOf(block.end)
      .filter(({ to }) => loop.contains(to))
      .map(({ to }) => (to === header ? new Set([header]) : (behind.get(to) ?? new Set([header]))));
    const [first = new Set<Block>(), ...others] = ways;
    const common = [...first].filter((each) => others.every((way) => way.has(each)));
    // The nearest has all others behind it.
    const sizeOf = (each: Block) => (each === header ? 1 : (behind.get(each)?.size ?? 0));
    const [nearest] = [...common].sort((a, b) => sizeOf(b) - sizeOf(a));
    if (nearest) joins.set(block, nearest);
    behind.set(block, new Set([block, ...common]));
  }
  return joins;
}
