// Finds loops that a warp may execute together, instruction by instruction, if all its lanes are at
// the header. No analysis proves that the lanes stay together, so each warp instruction first tests
// whether the lanes of its mask are active.
import { at, get } from '../../base/invariants.ts';
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
import { type DispatchLoop, moveOf, type Tree } from './tree.ts';

type Warp = InstNamed<'warp'>;
type Branch = Extract<Terminator, { readonly kind: 'branch' }>;

/** The code of a lane that leaves the converged loop and continues alone. */
export interface LoneLanes {
  /** Returns the case of a block. */
  numberOf(block: Block): number;
  /** Returns the code of the lane at an instruction. */
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
  // An instruction without a mask executes when nothing else can happen, and a block barrier needs
  // more than the warp.
  if (!collectives.every((inst) => inst.op === 'warp' && memberMaskOf(inst as Warp) !== undefined)) return undefined;
  return new Body(loop, lanes).trees();
}

class Body {
  private readonly loop: Loop;
  private readonly lanes: LoneLanes;
  private readonly joins: ReadonlyMap<Block, Block>;
  private readonly seen = new Set<Block>();
  private fits = true;

  constructor(loop: Loop, lanes: LoneLanes) {
    this.loop = loop;
    this.lanes = lanes;
    this.joins = joinsIn(loop);
  }

  /** Returns the code of a warp in one iteration, in order; undefined if the loop is too large. */
  trees(): readonly Tree[] | undefined {
    const trees = this.from(this.loop.header, this.loop.header, 0);
    return this.fits ? trees : undefined;
  }

  /** Returns the code from a block until `stop` is reached. */
  private from(start: Block, stop: Block, depth: number): readonly Tree[] {
    const list: Tree[] = [];
    const go = (edge: Edge): Block | undefined => {
      list.push(...moveOf(edge));
      return edge.to === stop ? undefined : edge.to;
    };
    for (let block: Block | undefined = start; block !== undefined; ) {
      // A block that two paths share without joining there would be written twice.
      if (this.seen.has(block) || depth > maxDepth) this.fits = false;
      if (!this.fits) return [];
      this.seen.add(block);
      list.push(...this.insts(block));
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
        const { condition, span } = end;
        const [then, otherwise] = [this.enter(end.then), this.enter(end.else)];
        list.push({ kind: 'part', condition, leaves: staysElse ? 'then' : 'else', then, else: otherwise, span });
        block = go(staysElse ? end.else : end.then);
        continue;
      }
      const join: Block = this.joins.get(block) ?? this.loop.header;
      list.push(this.branch(end, join, depth + 1));
      block = join === stop ? undefined : join;
    }
    return list;
  }

  /** Returns a branch whose arms join at `join`. */
  private branch(end: Branch, join: Block, depth: number): Tree {
    const { condition, span } = end;
    const [then, otherwise] = [this.arm(end.then, join, depth), this.arm(end.else, join, depth)];
    if ([...then, ...otherwise].every(({ kind }) => kind === 'code' || kind === 'move' || kind === 'if')) {
      const arms = { then: [...moveOf(end.then), ...then], else: [...moveOf(end.else), ...otherwise] };
      return { kind: 'if', condition, scope: 'lane', vote: 'none', ...arms, span };
    }
    const arms = {
      then: { enter: this.enter(end.then), body: then },
      else: { enter: this.enter(end.else), body: otherwise },
    };
    return { kind: 'arms', condition, ...arms, join: this.lanes.numberOf(join), span };
  }

  /** Returns the code after the move of an edge. */
  private arm({ to }: Edge, join: Block, depth: number): readonly Tree[] {
    return to === join ? [] : this.from(to, join, depth);
  }

  /** Returns the code of a lane that takes an edge alone. */
  private enter(edge: Edge): readonly Tree[] {
    return [...moveOf(edge), { kind: 'goto', to: this.lanes.numberOf(edge.to) }];
  }

  private insts({ insts }: Block): readonly Tree[] {
    const list: Tree[] = [];
    let run: Inst[] = [];
    const flush = () => {
      if (run.length > 0) list.push({ kind: 'code', insts: run });
      run = [];
    };
    for (const inst of insts) {
      if (inst.op !== 'warp') {
        run.push(inst);
        continue;
      }
      flush();
      list.push({ kind: 'meet', inst, alone: this.lanes.alone(inst) });
    }
    flush();
    return list;
  }
}

/**
 * Returns, for each block, the block in the loop at which its outgoing paths join. The header
 * represents the end of the iteration.
 */
function joinsIn(loop: Loop): ReadonlyMap<Block, Block> {
  const { header } = loop;
  const behind = new Map<Block, ReadonlySet<Block>>();
  const joins = new Map<Block, Block>();
  for (const block of [...loop.blocks()].reverse()) {
    const ways = edgesOf(block.end)
      .filter(({ to }) => loop.contains(to))
      // Absent: the header; or an earlier block of an irreducible graph, which makes `Body` give
      // up.
      .map(({ to }) => behind.get(to) ?? new Set([header]));
    const first = at(ways, 0, 'a way to the header of a loop');
    const common = [...first].filter((each) => ways.every((way) => way.has(each)));
    // All other common blocks come after the nearest one, so its set is the largest.
    const sizeOf = (each: Block) =>
      each === header ? 1 : get(behind, each, 'the blocks after a block of a loop').size;
    const [nearest] = [...common].sort((a, b) => sizeOf(b) - sizeOf(a));
    if (nearest) joins.set(block, nearest);
    behind.set(block, new Set([block, ...common]));
  }
  return joins;
}
