// Recognizes masks that are ballots, and the predicates on which their lanes agree. In CUDA code,
// lanes often vote on the condition of a branch, and then use the ballot as a membermask in the
// branch's arm, or read the active mask there.
//
// If A, B and C dominate each other in this order, a lane that gets from A to C has executed B in
// between. So a mask never describes an older predicate than the one that the branch reads.
import { at } from '../../base/invariants.ts';
import { constantOf, type Inst, isDefinition, type Value } from '../ir/nodes.ts';
import type { IntegerRelation } from '../ir/operations.ts';
import { widthOf } from '../ir/types.ts';
import { type WarpInst, warpFacts } from '../ir/warp-facts.ts';
import type { ControlGraph } from './control-dependence.ts';

/**
 * The position of an instruction in a block. The index of the branch at the block's end is the
 * number of instructions.
 */
export interface Place {
  readonly block: number;
  readonly index: number;
}

/** A ballot on a predicate, or an `activemask`, which is a ballot in which all lanes vote true. */
export interface Ballot {
  readonly place: Place;
  readonly inst: WarpInst;
  /** Whether the mask contains the lanes that voted false, and not those that voted true. */
  readonly complement: boolean;
}

/** A mask as the intersection of ballots. */
export interface BallotMask {
  readonly ballots: readonly Ballot[];
  /** The instructions that computed the mask or a superset of it. */
  readonly within: ReadonlySet<Inst>;
  /** A constant superset of the mask. */
  readonly bound: number;
}

/** The maximum number of instructions from which a mask is computed. */
const maxParts = 64;
/** The maximum depth of the search through the instructions that compute a mask. */
const maxDepth = 32;

export class BallotMasks {
  private readonly control: ControlGraph;
  private readonly masks = new Map<Value, BallotMask | undefined>();
  private foundPlaces: ReadonlyMap<Inst, Place> | undefined;

  constructor(control: ControlGraph) {
    this.control = control;
  }

  /** Returns a mask as an intersection of ballots; undefined if it is not one. */
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
      if (warpFacts(inst.attrs.row).ballot === undefined || place === undefined) return undefined;
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

  /** Whether every iteration of each loop around this block executes the block. */
  isInEveryIteration(block: number): boolean {
    const { loops, dominators } = this.control;
    for (let loop = loops[block]; loop !== undefined; loop = loop.parent) {
      if (!loop.latches.every((latch) => dominators.dominates(block, latch))) return false;
    }
    return true;
  }

  /**
   * Whether a predicate at `place` determines the lane's vote: the predicate is equivalent to the
   * voted predicate or to its negation.
   */
  isVote(predicate: Value, place: Place, { inst, place: voted }: Ballot): boolean {
    const [a] = inst.args;
    if (warpFacts(inst.attrs.row).ballot !== 'first' || a === undefined || !this.precedes(voted, place)) return false;
    const root = rootOf(a);
    return root !== undefined && root === rootOf(predicate);
  }

  /**
   * Returns the blocks on paths from `first` to `last` that do not pass `first` again. `first`
   * dominates `last`.
   */
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

  /** Returns the place of the branch at a block's end. */
  end(block: number): Place {
    return { block, index: at(this.control.graph.blocks, block, 'a block').insts.length };
  }
}

/** Returns the definition or comparison that equals this predicate or its negation. */
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
  /** Whether `a relation b`, or its negation, is `a < b`. */
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

/**
 * Returns the normal form `x < y` or `x = y` of an integer comparison or its negation. Compilers
 * emit either for the arms of one branch.
 */
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
  // c < x is the negation of x < c + 1.
  return typeof less === 'bigint' ? `${sign} ${a.type} ${more} < ${less + 1n}` : `${sign} ${a.type} ${less} < ${more}`;
}

function nameOf(value: Value, signed: boolean): bigint | string | undefined {
  if (value.kind === 'constant') return signed ? BigInt.asIntN(widthOf(value.type), value.bits) : value.bits;
  return isDefinition(value) ? `%${value.id}` : undefined;
}

/**
 * Returns the complement of a single ballot. Lanes in the complement of an intersection do not
 * agree on any predicate.
 */
function complementOf(mask: BallotMask | undefined, inst: Inst): BallotMask | undefined {
  if (mask === undefined) return undefined;
  const [ballot, ...others] = mask.ballots;
  if (ballot === undefined || others.length > 0 || mask.bound !== 0xffffffff) return undefined;
  return { ballots: [{ ...ballot, complement: !ballot.complement }], within: new Set([inst]), bound: 0xffffffff };
}
