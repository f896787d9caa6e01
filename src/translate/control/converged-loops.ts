// Finds loops that a warp may execute together, instruction by instruction, if all its lanes are at
// the header. No analysis proves that the lanes stay together, so each warp instruction first tests
// whether the lanes of its mask are active.
import { at } from '../../base/invariants.ts';
import { dominatorTree, type Loop, type Loops } from '../graph/index.ts';
import {
  type Block,
  constantOf,
  type Edge,
  edgesOf,
  type InstNamed,
  isCollective,
  type Terminator,
} from '../ir/nodes.ts';
import { memberMaskOf } from '../ir/warp-facts.ts';
import { type DispatchLoop, type Label, listsOf, moveOf, type Tree, type TreeOf } from './tree.ts';

type Warp = InstNamed<'warp'>;
type Branch = Extract<Terminator, { readonly kind: 'branch' }>;

/** The code of a lane that leaves the converged loop and continues alone. */
export interface LoneLanes {
  /** Returns the case of a block. */
  numberOf(block: Block): number;
  /** Returns the code of a lane that leaves the loop at this instruction. */
  alone(inst: Warp): readonly Tree[];
}

/** Limits on the size of a loop, since each loop is written twice. */
const maxInsts = 384;
const maxBlocks = 48;
/** The maximum depth of nested branches. */
const maxDepth = 6;

export function convergedLoops(loops: Loops, lanes: LoneLanes): readonly DispatchLoop[] {
  return loops.all.flatMap((loop) => {
    const body = loop.inner.length === 0 ? bodyOf(loop, lanes) : undefined;
    return body === undefined ? [] : [{ header: lanes.numberOf(loop.header), body }];
  });
}

function bodyOf(loop: Loop, lanes: LoneLanes): readonly Tree[] | undefined {
  const blocks = loop.blocks();
  if (blocks.length > maxBlocks) return undefined;
  const collectives = blocks.flatMap(({ insts }) => insts.filter(isCollective));
  const count = blocks.reduce((sum, { insts }) => sum + insts.length, 0);
  if (collectives.length === 0 || count > maxInsts) return undefined;
  // Every collective must be a warp instruction with a member mask. A warp instruction without one
  // must wait until no other lane of its warp can continue, and a block barrier waits for other
  // warps.
  if (!collectives.every((inst) => inst.op === 'warp' && memberMaskOf(inst as Warp) !== undefined)) return undefined;
  return new Body(loop, lanes).loop();
}

class Body {
  private readonly source: Loop;
  private readonly lanes: LoneLanes;
  private readonly joins: ReadonlyMap<Block, Block>;
  private readonly away: TreeOf<'break'>;
  private readonly seen = new Set<Block>();
  private fits = true;

  constructor(source: Loop, lanes: LoneLanes) {
    this.source = source;
    this.lanes = lanes;
    this.joins = joinsIn(source);
    this.away = { kind: 'break', label: { params: [] } };
  }

  /** Returns the code of the whole loop; undefined if it is too large. */
  loop(): readonly Tree[] | undefined {
    const { header } = this.source;
    const body = inRuns(this.from(header, header, 0), false);
    const label: Label = { params: header.params };
    const loop: Tree = { kind: 'loop', label, exits: [this.away.label], vote: 'none', body, continuing: [] };
    return this.fits ? [loop] : undefined;
  }

  /**
   * Returns the code of a warp from a block until `stop` is reached, in order. `depth`: the number
   * of branches around the block whose arms only some lanes take.
   */
  private from(start: Block, stop: Block, depth: number): readonly Tree[] {
    const list: Tree[] = [];
    const go = (edge: Edge): Block | undefined => {
      list.push(...moveOf(edge));
      return edge.to === stop ? undefined : edge.to;
    };
    for (let block: Block | undefined = start; block !== undefined; ) {
      // If another path has already written this block, the two paths do not join here, and the
      // block would be written twice.
      if (this.seen.has(block) || depth > maxDepth) this.fits = false;
      if (!this.fits) return [];
      this.seen.add(block);
      list.push(...this.insts(block, depth > 0));
      const { end }: Block = block;
      if (end.kind === 'jump') {
        block = go(end.to);
        continue;
      }
      if (end.kind !== 'branch') {
        this.fits = false;
        return [];
      }
      const [stays, staysElse] = [this.source.contains(end.then.to), this.source.contains(end.else.to)];
      if (!stays || !staysElse) {
        list.push(this.exit(end, !staysElse));
        block = go(staysElse ? end.else : end.then);
        continue;
      }
      const join: Block = this.joins.get(block) ?? this.source.header;
      list.push(...this.branch(end, join, depth + 1));
      block = join === stop ? undefined : join;
    }
    return list;
  }

  /** Returns a branch that leaves the loop. If any lane takes it, all lanes continue alone. */
  private exit({ condition, then, else: otherwise, span }: Branch, whenFalse: boolean): Tree {
    const arms = { then: this.follow(then), else: this.follow(otherwise) };
    const alone: Tree = { kind: 'if', condition, scope: 'lane', vote: 'none', ...arms, span };
    const leave = this.leave([alone]);
    const any = whenFalse ? { then: [], else: leave } : { then: leave, else: [] };
    return { kind: 'if', condition, scope: 'lane', vote: 'subgroup', ...any, span };
  }

  /** Returns the code of a lane that leaves the loop on an edge. */
  private follow(edge: Edge): readonly Tree[] {
    const next = this.lanes.numberOf(edge.to);
    const isBack = edge.to === this.source.header;
    const onward: Tree = isBack
      ? { kind: 'wait', at: { kind: 'loop', head: next }, inst: undefined, next }
      : { kind: 'goto', to: next };
    return [...moveOf(edge), onward];
  }

  private leave(alone: readonly Tree[]): readonly Tree[] {
    return [{ kind: 'lanes', body: alone, masked: true }, this.away];
  }

  /** Returns a branch whose arms join at `join`. */
  private branch(end: Branch, join: Block, depth: number): readonly Tree[] {
    const { condition, span } = end;
    const [then, otherwise] = [this.arm(end.then, join, depth), this.arm(end.else, join, depth)];
    if ([...then, ...otherwise].every(isLaneCode)) {
      const arms = { then: [...moveOf(end.then), ...then], else: [...moveOf(end.else), ...otherwise] };
      return [{ kind: 'if', condition, scope: 'lane', vote: 'none', ...arms, span }];
    }
    // The lanes of both arms set their program counters before the first arm executes. If the lanes
    // of the first arm then have to continue alone, the other lanes do so, too.
    const swap: Tree = { kind: 'mask', change: { op: 'other' } };
    return [
      { kind: 'mask', change: { op: 'split', condition, span } },
      this.mark(moveOf(end.then), end.then.to),
      swap,
      this.mark(moveOf(end.else), end.else.to),
      swap,
      ...this.inArm(then, join),
      swap,
      ...this.inArm(otherwise, join),
      { kind: 'mask', change: { op: 'join' } },
    ];
  }

  private inArm(list: readonly Tree[], join: Block): readonly Tree[] {
    if (list.length === 0) return [];
    return [{ kind: 'any', vote: 'subgroup', body: [...inRuns(list, true), this.mark([], join)] }];
  }

  /**
   * Returns lane code that also sets each lane's program counter to `at`, where the lane continues
   * if it has to continue alone.
   */
  private mark(code: readonly Tree[], at: Block): Tree {
    return { kind: 'lanes', body: [...code, { kind: 'goto', to: this.lanes.numberOf(at) }], masked: true };
  }

  /** Returns the code of an arm, without the move that assigns block parameters. */
  private arm({ to }: Edge, join: Block, depth: number): readonly Tree[] {
    return to === join ? [] : this.from(to, join, depth);
  }

  private insts({ insts }: Block, inArm: boolean): readonly Tree[] {
    return insts.map((inst): Tree => {
      if (inst.op !== 'warp') return { kind: 'code', insts: [inst] };
      // Outside of arms, all live lanes are active, so a constant mask cannot name a live lane that
      // is missing.
      const isComplete = !inArm && inst.when === undefined && constantOf(memberMaskOf(inst)) !== undefined;
      if (isComplete) return { kind: 'collective', inst, keeps: false };
      return { kind: 'meet', inst, alone: this.leave(this.lanes.alone(inst)) };
    });
  }
}

const isLaneCode = (tree: Tree): boolean =>
  tree.kind === 'code' || tree.kind === 'move' || (tree.kind === 'if' && tree.vote === 'none');

/**
 * Groups lane code into runs. Lanes that have ended may execute speculatable code, because no code
 * reads their values. The lanes of another arm may not, because they still need their values.
 */
function inRuns(list: readonly Tree[], inArm: boolean): readonly Tree[] {
  const grouped: Tree[] = [];
  let run: Tree[] = [];
  const flush = () => {
    const masked = inArm || !run.every(isSpeculatable);
    if (run.length > 0) grouped.push({ kind: 'lanes', body: run, masked });
    run = [];
  };
  for (const tree of list) {
    if (isLaneCode(tree)) run.push(tree);
    else {
      flush();
      grouped.push(tree);
    }
  }
  flush();
  return grouped;
}

function isSpeculatable(tree: Tree): boolean {
  if (tree.kind === 'code') return tree.insts.every(({ operation }) => operation.speculatable);
  return listsOf(tree).every((list) => list.every(isSpeculatable));
}

/**
 * Returns, for each block, the block in the loop at which its outgoing paths join: its immediate
 * postdominator. The header represents the end of the iteration.
 */
function joinsIn(loop: Loop): ReadonlyMap<Block, Block> {
  const blocks = loop.blocks();
  const numbers = new Map(blocks.map((block, number) => [block, number]));
  const end = blocks.length;
  const onward = blocks.map((block) =>
    // Absent: the edge leaves the loop.
    edgesOf(block.end).flatMap(({ to }) => (to === loop.header ? end : (numbers.get(to) ?? []))),
  );
  const back: number[][] = [...onward, []].map(() => []);
  onward.forEach((targets, from) => {
    for (const to of targets) at(back, to, 'the edges into a block').push(from);
  });
  const { parents } = dominatorTree(back, [...onward, []], end);
  return new Map(blocks.map((block, number) => [block, blocks[at(parents, number, 'a join')] ?? loop.header]));
}
