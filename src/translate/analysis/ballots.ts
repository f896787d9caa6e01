// Masks that are ballots, and which predicates their lanes agree on: the idiom of CUDA code, in which lanes vote on the condition of a branch and
// then name each other in its arm, or ask in the arm for the active lanes.
//
// Of A, B and C that dominate each other in this order, whoever comes from A to C has executed B in between: so a mask never tells of an older
// predicate than the branch reads.
import { at } from '../../base/invariants.ts';
import { constantOf, type Inst, isDefinition, type Value } from '../ir/nodes.ts';
import type { IntegerRelation } from '../ir/operations.ts';
import { widthOf } from '../ir/types.ts';
import { type WarpInst, warpFacts } from '../ir/warp-facts.ts';
import type { ControlGraph } from './control-dependence.ts';

/** An instruction of a block; the branch at its end has the number of its instructions. */
export interface Place {
  readonly block: number;
  readonly index: number;
}

/** A ballot on a predicate, or an activemask: a ballot in which all say yes. */
export interface Ballot {
  readonly place: Place;
  readonly inst: WarpInst;
  /** The mask has the lanes that voted no. */
  readonly complement: boolean;
}

/** A mask as the intersection of ballots. */
export interface BallotMask {
  readonly ballots: readonly Ballot[];
  /** Instructions that made the mask or one that includes it. */
  readonly within: ReadonlySet<Inst>;
  /** Constant bits that include the mask. */
  readonly bound: number;
}

/** A mask of more parts than these is no idiom. */
const maxParts = 64;
/** A mask is looked into through so many instructions. */
const maxDepth = 32;

export class BallotMasks {
  private readonly control: ControlGraph;
  private readonly masks = new Map<Value, BallotMask | undefined>();
  private foundPlaces: ReadonlyMap<Inst, Place> | undefined;

  constructor(control: ControlGraph) {
    this.control = control;
  }

  /** What is known of a mask; undefined where it is no ballot. */
  maskOf(value: Value, depth = 0): BallotMask | undefined {
    if (!isDefinition(value)) {
      const bits = constantOf(value);
      return bits === undefined
        ? undefined
        : { ballots: [], within: new Set(), bound: Number(BigInt.asUintN(32, bits)) };
    }
    if (this.masks.has(value)) return this.masks.get(value);
    if (depth > maxDepth || value.kind === 'param' || value.inst.when !== undefined) return undefined;
    const found = this.made(value.inst, depth + 1);
    this.masks.set(value, found);
    return found;
  }

  private made(inst: Inst, depth: number): BallotMask | undefined {
    if (inst.op === 'warp') {
      const place = this.placeOf(inst);
      if (warpFacts[inst.attrs.row].ballot === undefined || place === undefined) return undefined;
      return { ballots: [{ place, inst, complement: false }], within: new Set([inst]), bound: 0xffffffff };
    }
    const [a, b] = inst.args;
    if (a === undefined || b === undefined) return undefined;
    if (inst.op === 'xor' && constantOf(b) === 0xffffffffn) return complementOf(this.maskOf(a, depth), inst);
    if (inst.op !== 'and') return undefined;
    const [first, second] = [this.maskOf(a, depth), this.maskOf(b, depth)];
    if (first === undefined || second === undefined) return undefined;
    const within = new Set([...first.within, ...second.within, inst]);
    if (within.size > maxParts) return undefined;
    return { ballots: [...first.ballots, ...second.ballots], within, bound: (first.bound & second.bound) >>> 0 };
  }

  placeOf(inst: Inst): Place | undefined {
    this.foundPlaces ??= new Map(
      this.control.graph.blocks.flatMap(({ insts }, block) =>
        insts.flatMap((each, index): [Inst, Place][] => (each.op === 'warp' ? [[each, { block, index }]] : [])),
      ),
    );
    return this.foundPlaces.get(inst);
  }

  /** Whether all lanes that go once more round a loop of this block come by it on the way. */
  isInEveryIteration(block: number): boolean {
    const { loops, dominators } = this.control;
    for (let loop = loops[block]; loop !== undefined; loop = loop.parent) {
      if (!loop.latches.every((latch) => dominators.dominates(block, latch))) return false;
    }
    return true;
  }

  /** Whether a predicate read at `place` says how the lane voted: it is the one that was voted on, or made of it alone. */
  isVote(predicate: Value, place: Place, { inst, place: voted }: Ballot): boolean {
    const [a] = inst.args;
    if (warpFacts[inst.attrs.row].ballot !== 'first' || a === undefined || !this.precedes(voted, place)) return false;
    const root = rootOf(a);
    return root !== undefined && root === rootOf(predicate);
  }

  /** Blocks at whose end lanes are on the way from `first` to `last`, which `first` dominates, without having been at `first` again. */
  blocksBetween(first: Place, last: Place): ReadonlySet<number> {
    const found = new Set<number>();
    if (first.block === last.block) return found;
    const queue = [last.block];
    for (let block = queue.pop(); block !== undefined; block = queue.pop()) {
      for (const from of at(this.control.graph.predecessors, block, 'the predecessors of a block')) {
        if (found.has(from)) continue;
        found.add(from);
        if (from !== first.block) queue.push(from);
      }
    }
    return found;
  }

  precedes(first: Place, second: Place): boolean {
    if (first.block === second.block) return first.index < second.index;
    return this.control.dominators.dominates(first.block, second.block);
  }

  /** The place of the branch at a block's end. */
  end(block: number): Place {
    return { block, index: at(this.control.graph.blocks, block, 'a block').insts.length };
  }
}

/** What this predicate is, or is the opposite of: another one, or a comparison. */
function rootOf(predicate: Value): Value | string | undefined {
  let at = predicate;
  while (
    at.kind === 'result' &&
    at.inst.op === 'xor' &&
    at.inst.when === undefined &&
    constantOf(at.inst.args[1]) === 1n
  ) {
    const [inner] = at.inst.args;
    if (inner === undefined) break;
    at = inner;
  }
  return isDefinition(at) ? (comparisonOf(at) ?? at) : undefined;
}

interface Order {
  readonly signed: boolean;
  /** Of `a relation b`: whether it says, or denies, that `a` is the less. */
  readonly leftIsLess: boolean;
}

const orders: Readonly<Partial<Record<IntegerRelation, Order>>> = {
  ult: { signed: false, leftIsLess: true },
  uge: { signed: false, leftIsLess: true },
  ugt: { signed: false, leftIsLess: false },
  ule: { signed: false, leftIsLess: false },
  slt: { signed: true, leftIsLess: true },
  sge: { signed: true, leftIsLess: true },
  sgt: { signed: true, leftIsLess: false },
  sle: { signed: true, leftIsLess: false },
};

/** An integer comparison as `x < y` or `x = y`, of which others are the opposite; compilers write both for the arms of one branch. */
function comparisonOf(value: Value): string | undefined {
  if (value.kind !== 'result' || value.inst.op !== 'icmp' || value.inst.when !== undefined) return undefined;
  const { args, attrs } = value.inst;
  const [a, b] = args;
  if (a === undefined || b === undefined) return undefined;
  const order = orders[attrs.relation];
  const isSigned = order?.signed === true;
  const [x, y] = [nameOf(a, isSigned), nameOf(b, isSigned)];
  if (x === undefined || y === undefined) return undefined;
  if (order === undefined) return `${a.type} ${x} = ${y}`;
  const sign = order.signed ? 'signed' : 'unsigned';
  const [less, more] = order.leftIsLess ? [x, y] : [y, x];
  // c < x is the opposite of x < c + 1.
  return typeof less === 'bigint' ? `${sign} ${a.type} ${more} < ${less + 1n}` : `${sign} ${a.type} ${less} < ${more}`;
}

function nameOf(value: Value, signed: boolean): bigint | string | undefined {
  if (value.kind === 'constant') return signed ? BigInt.asIntN(widthOf(value.type), value.bits) : value.bits;
  return isDefinition(value) ? `%${value.id}` : undefined;
}

/** Of one ballot: the complement of an intersection has lanes that agree on nothing. */
function complementOf(mask: BallotMask | undefined, inst: Inst): BallotMask | undefined {
  if (mask === undefined) return undefined;
  const [ballot, ...others] = mask.ballots;
  if (ballot === undefined || others.length > 0 || mask.bound !== 0xffffffff) return undefined;
  return { ballots: [{ ...ballot, complement: !ballot.complement }], within: new Set([inst]), bound: 0xffffffff };
}
