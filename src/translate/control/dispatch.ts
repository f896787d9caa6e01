// Turns a kernel into a dispatch, if lanes meet at one `.sync` from different places or the graph
// is irreducible. Each lane has a program counter, with a case for each place at which it may
// continue.
//
// If lanes wait at several instructions without `.sync`, the instruction that leads to the others
// executes first. If a loop contains such an instruction, lanes wait on the back edge for the lanes
// still in the iteration. So lanes that diverge at a branch reconverge after it, in each iteration.
import { at, get } from '../../base/invariants.ts';
import { type LoopOrder, loopOrder, turnRank } from '../../base/loop-order.ts';
import type { FlowGraph, Loops } from '../graph/index.ts';
import type { Edge, Inst, InstNamed, Terminator, Value } from '../ir/nodes.ts';
import { convergedLoops } from './converged-loops.ts';
import { entriesOf, type SplitBlock, type SplitGraph, splitAtSyncs } from './split-graph.ts';
import { type Dispatch, type DispatchLoop, everyTree, moveOf, type Tree } from './tree.ts';
import { type WaitClass, type WaitPlace, waitClasses } from './waits.ts';

export const dispatchKernel = (graph: FlowGraph, loops: Loops): Dispatch =>
  new Dispatcher(splitAtSyncs(graph), loops).dispatch();

/** Whether lanes wait at a barrier. They do not wait at an arrival. */
const waitsAt = ({ attrs }: InstNamed<'barrier'>): boolean =>
  attrs.kind !== 'arrive' && attrs.kind !== 'cluster.arrive';

class Dispatcher {
  private readonly graph: SplitGraph;
  private readonly classes: readonly WaitClass[];
  private readonly classOf: ReadonlyMap<Inst, WaitClass>;
  private readonly loops: readonly DispatchLoop[];
  /** The order of lanes in loops. Lanes wait at the back edges of the loops in `turns`, by head. */
  private readonly order: LoopOrder;
  private readonly entries: ReadonlySet<number>;

  constructor(graph: SplitGraph, loops: Loops) {
    this.graph = graph;
    const insts = graph.blocks.flatMap(({ end }) => (end.kind === 'sync' && end.inst.op === 'warp' ? [end.inst] : []));
    this.classes = waitClasses(insts);
    this.classOf = new Map(this.classes.flatMap((group) => group.members.map((member) => [member, group] as const)));
    this.order = loopOrder(
      graph.blocks.length,
      0,
      (number) => graph.targetsOf(graph.at(number).end),
      (number) => this.unsynchronized(graph.at(number)) !== undefined,
    );
    this.loops = convergedLoops(loops, {
      numberOf: (block) => graph.numberOf(block),
      alone: (inst) => this.alone(inst),
    });
    const targets = this.loops.flatMap(({ body }) => targetsIn(body));
    this.entries = entriesOf(graph, [...targets, ...this.order.turns.keys()]);
  }

  dispatch(): Dispatch {
    const loops = this.loops.map(({ header: head }): WaitPlace => ({ kind: 'loop', head }));
    const backEdges = [...this.order.turns.keys()].map((head): WaitPlace => ({ kind: 'back-edge', head }));
    const waits = [
      ...this.classes.map((group): WaitPlace => ({ kind: 'class', class: group })),
      ...loops,
      ...backEdges,
    ];
    const hasBarriers = this.graph.blocks.some(({ end }) => end.kind === 'sync' && end.inst.op === 'barrier');
    if (hasBarriers) waits.push({ kind: 'barrier' }, { kind: 'yield' });
    const cases = [...this.entries].sort((a, b) => a - b).map((number) => ({ number, body: this.block(number) }));
    return { cases, loops: this.loops, waits, releases: this.releases() };
  }

  /**
   * Returns the places where lanes wait until no other lane can continue, in the order of the
   * kernel. Lanes that an earlier place releases may reach a later place, where other lanes wait.
   */
  private releases(): readonly WaitPlace[] {
    const { ranks, turns } = this.order;
    const ranked = this.loops.map(({ header: head }): { readonly rank: number; readonly place: WaitPlace } => ({
      rank: at(ranks, head, 'the rank of a block'),
      place: { kind: 'loop', head },
    }));
    this.graph.blocks.forEach((block, number) => {
      const group = this.unsynchronized(block);
      const rank = at(ranks, number, 'the rank of a block');
      if (group) ranked.push({ rank, place: { kind: 'class', class: group } });
    });
    for (const [head, rank] of turns) ranked.push({ rank, place: { kind: 'back-edge', head } });
    return ranked.sort((a, b) => a.rank - b.rank).map(({ place }) => place);
  }

  /**
   * Returns the wait class of a block that ends with a warp instruction without `.sync`; undefined
   * for any other block.
   */
  private unsynchronized({ end }: SplitBlock): WaitClass | undefined {
    const group = end.kind === 'sync' ? this.classOf.get(end.inst) : undefined;
    return group?.sync === false ? group : undefined;
  }

  private block(number: number): readonly Tree[] {
    return this.code(this.graph.at(number), number);
  }

  private code({ insts, end, resumes }: SplitBlock, number: number): readonly Tree[] {
    const list: Tree[] = [];
    if (resumes !== undefined && resumes.results.length > 0) list.push({ kind: 'resume', inst: resumes });
    if (insts.length > 0) list.push({ kind: 'code', insts });
    switch (end.kind) {
      case 'sync':
        return [...list, ...this.sync(end.inst, end.next)];
      case 'next':
        return [...list, ...this.goTo(end.next)];
      case 'guard':
        return [...list, guarded(end.condition, this.goTo(end.then), end.inst, this.goTo(end.else))];
      default:
        return [...list, ...this.ending(end, number)];
    }
  }

  private ending(end: Terminator, from: number): readonly Tree[] {
    switch (end.kind) {
      case 'jump':
        return this.follow(from, end.to);
      case 'branch': {
        const { condition, span } = end;
        const [then, otherwise] = [this.follow(from, end.then), this.follow(from, end.else)];
        return [{ kind: 'if', condition, scope: 'lane', vote: 'none', then, else: otherwise, span }];
      }
      case 'switch': {
        const arms = end.edges.map((edge, value) => ({ values: [value], body: this.follow(from, edge) }));
        return [{ kind: 'switch', selector: end.selector, arms, span: end.span }];
      }
      case 'trap':
        return [{ kind: 'trap', span: end.span }, { kind: 'exit' }];
      case 'return':
      case 'exit':
        return [{ kind: 'exit' }];
    }
  }

  private follow(from: number, edge: Edge): readonly Tree[] {
    const next = this.graph.numberOf(edge.to);
    const place = this.waitOn(from, next);
    const onward: readonly Tree[] =
      place === undefined ? this.goTo(next) : [{ kind: 'wait', at: place, inst: undefined, next }];
    return [...moveOf(edge), ...onward];
  }

  /** Returns the place where lanes wait on an edge. */
  private waitOn(from: number, next: number): WaitPlace | undefined {
    if (turnRank(this.order, from, next) !== undefined) return { kind: 'back-edge', head: next };
    return this.loops.some(({ header }) => header === next) ? { kind: 'loop', head: next } : undefined;
  }

  private goTo(number: number): readonly Tree[] {
    return this.entries.has(number) ? [{ kind: 'goto', to: number }] : this.block(number);
  }

  private sync(inst: InstNamed<'warp'> | InstNamed<'barrier'>, next: number): readonly Tree[] {
    if (inst.op === 'barrier' && !waitsAt(inst))
      return [{ kind: 'collective', inst, keeps: false }, ...this.goTo(next)];
    return [this.wait(inst, next)];
  }

  private wait(inst: InstNamed<'warp'> | InstNamed<'barrier'>, next: number): Tree {
    return { kind: 'wait', at: this.placeOf(inst), inst, next };
  }

  private placeOf(inst: InstNamed<'warp'> | InstNamed<'barrier'>): WaitPlace {
    if (inst.op === 'barrier') return { kind: inst.attrs.kind === 'yield' ? 'yield' : 'barrier' };
    return { kind: 'class', class: get(this.classOf, inst, 'the class of an instruction') };
  }

  /**
   * Returns the code of a lane that leaves a converged loop at an instruction and continues alone.
   */
  private alone(inst: InstNamed<'warp'>): readonly Tree[] {
    const places = get(this.graph.places, inst, 'the places where a lane goes on from an instruction');
    const wait = [this.wait(inst, places.next)];
    return inst.when === undefined ? wait : [guarded(inst.when, wait, inst, [{ kind: 'goto', to: places.rest }])];
  }
}

const guarded = (condition: Value, then: readonly Tree[], inst: Inst, otherwise: readonly Tree[]): Tree => ({
  kind: 'if',
  condition,
  scope: 'lane',
  vote: 'none',
  then,
  else: inst.results.length > 0 ? [{ kind: 'pass', inst }, ...otherwise] : otherwise,
  span: undefined,
});

/** Returns the cases at which lanes may continue alone. */
function targetsIn(list: readonly Tree[]): readonly number[] {
  const targets: number[] = [];
  everyTree(list, (tree) => {
    if (tree.kind === 'goto') targets.push(tree.to);
  });
  return targets;
}
