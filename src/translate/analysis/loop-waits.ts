// Which reads of one loop a lane may wait by: those that decide whether the loop goes on, and that other lanes have to change.
import type { Loop } from '../graph/index.ts';
import { type Block, constantOf, type Inst, type InstNamed, isCollective, sameValue, type Value } from '../ir/nodes.ts';
import { type AccessInst, addressOf } from './accesses.ts';
import { isFence } from './changing-loads.ts';
import type { LoopSlices, Slice } from './loop-slice.ts';

export type Read = InstNamed<'load' | 'atomic' | 'call'>;

/** What the kernel says of its blocks and accesses. */
export interface KernelView {
  readonly dominates: (a: Block, b: Block) => boolean;
  /** Whether an access may be of shared memory. */
  readonly isShared: (inst: Read) => boolean;
  /** Whether a yield already follows a read. */
  readonly hasYield: (inst: Read) => boolean;
  /** Whether a read may look at what another block of the grid stores. */
  readonly mayLookAtOtherBlocks: (inst: Read) => boolean;
  /** Whether a read is the grid's barrier. */
  readonly isGridBarrier: (inst: Read) => boolean;
  /** Whether two accesses may be of one place. */
  readonly mayMeet: (a: AccessInst, b: AccessInst) => boolean;
}

const stops = (inst: Inst): boolean => isCollective(inst) && inst.when === undefined;
const stopsBlock = (inst: Inst): boolean => stops(inst) && inst.operation.effect === 'block';

const operandsOf = ({ attrs, args }: AccessInst): readonly Value[] => args.slice(attrs.place.indexed ? 1 : 0);

function isOnePlace(a: AccessInst, b: AccessInst): boolean {
  const [one, other] = [addressOf(a), addressOf(b)];
  const isOneBase = one === other || (one !== undefined && other !== undefined && sameValue(one, other));
  return isOneBase && a.attrs.place.offset === b.attrs.place.offset;
}

/** The value that others only see as another type. */
function plain(value: Value): Value {
  let at = value;
  while (at.kind === 'result' && at.inst.op === 'bitcast') {
    const [from] = at.inst.args;
    if (from === undefined) break;
    at = from;
  }
  return at;
}

/** The reads of one loop. */
export class LoopWaits {
  private readonly kernel: KernelView;
  private readonly slices: LoopSlices;
  private readonly loop: Loop;
  private readonly reads: readonly Read[];
  private readonly exits: readonly Block[];
  private readonly hasFence: boolean;
  private readonly passing = new Map<(inst: Inst) => boolean, ReadonlySet<Block>>();

  constructor(kernel: KernelView, slices: LoopSlices, reads: readonly Read[]) {
    this.kernel = kernel;
    this.slices = slices;
    this.loop = slices.loop;
    this.reads = reads;
    const blocks = this.loop.blocks();
    this.exits = blocks.filter((block) => slices.leaves(block));
    this.hasFence = blocks.some(({ insts }) => insts.some(isFence));
  }

  find(): readonly Read[] {
    if (this.reads.some((inst) => inst.op === 'atomic' && this.isLockFree(inst))) return [];
    const decisive = this.slices.ofBranches(this.exits).insts;
    return this.reads.filter(
      (inst) => decisive.has(inst) && (this.kernel.hasYield(inst) || (this.runsOn(inst) && this.waits(inst))),
    );
  }

  /** Whether a read may follow itself before lanes that it may be about get to run. */
  private runsOn(inst: Read): boolean {
    if (this.kernel.isGridBarrier(inst)) return false;
    const block = this.slices.blockOf(inst);
    if (this.between(stops).has(block)) return true;
    // What the warp stores there itself is its own state, more likely than a flag.
    if (inst.op === 'call' || !this.between(stopsBlock).has(block)) return false;
    if (!this.kernel.isShared(inst) && this.kernel.mayLookAtOtherBlocks(inst)) return false;
    return inst.op === 'atomic' || !this.writesTo(inst);
  }

  /** Blocks of iterations that pass no such instruction. */
  private between(isStop: (inst: Inst) => boolean): ReadonlySet<Block> {
    const known = this.passing.get(isStop);
    if (known !== undefined) return known;
    const reach = (neighbours: (block: Block) => readonly Block[]): ReadonlySet<Block> => {
      const seen = new Set<Block>();
      const queue = [this.loop.header];
      for (let block = queue.pop(); block !== undefined; block = queue.pop()) {
        if (seen.has(block) || !this.loop.contains(block) || block.insts.some(isStop)) continue;
        seen.add(block);
        queue.push(...neighbours(block));
      }
      return seen;
    };
    const after = reach((block) => this.slices.graph.successorsOf(block));
    const before = reach((block) => this.slices.graph.predecessorsOf(block));
    const both = new Set([...after].filter((block) => before.has(block)));
    this.passing.set(isStop, both);
    return both;
  }

  /** Whether the loop ends without what other lanes do: an exit that each iteration passes depends on a count, or on a clock. */
  get ends(): boolean {
    return this.exits.some((exit) => {
      if (!this.loop.latches.every((latch) => this.kernel.dominates(exit, latch))) return false;
      const slice = this.slices.ofBranches([exit]);
      if (this.reads.some((inst) => slice.insts.has(inst))) return false;
      return (
        this.advancesIn(slice) ||
        [...slice.insts].some((inst) => inst.op === 'special' && inst.attrs.name.includes('clock'))
      );
    });
  }

  private waits(inst: Read): boolean {
    if (inst.op === 'call') return true;
    const address = addressOf(inst);
    const slice = address === undefined ? undefined : this.slices.of(address);
    // A chain of pointers is followed, not waited for.
    if (slice?.insts.has(inst)) return false;
    if (inst.op === 'atomic') return !(this.progresses(inst) || (slice && this.moves(slice)));
    return inst.attrs.order !== 'weak' || (this.hasFence && !(slice && this.moves(slice)));
  }

  /** Whether an address is another one in each iteration. */
  private moves(slice: Slice): boolean {
    return this.advancesIn(slice) || [...slice.insts].some(({ op }) => op === 'atomic');
  }

  private advancesIn({ params }: Slice): boolean {
    return [...params].some(
      (param) => param.block === this.loop.header && !this.comesFrom(param, (value) => value === param),
    );
  }

  /** Whether an edge of the loop gives a parameter such a value, through other parameters too. */
  private comesFrom(start: Value, test: (value: Value) => boolean): boolean {
    const seen = new Set<Value>();
    const queue = [start];
    for (let value = queue.pop(); value !== undefined; value = queue.pop()) {
      if (value.kind !== 'param' || seen.has(value) || this.slices.homeOf(value) === undefined) continue;
      seen.add(value);
      for (const { value: from } of this.slices.incoming(value)) {
        const origin = plain(from);
        if (test(origin)) return true;
        queue.push(origin);
      }
    }
    return false;
  }

  /**
   * A compare-and-swap that expects what was read there last, and that ends the loop where it succeeds. So it fails only where another lane has succeeded, and
   * whatever else the loop looks at, some lane goes on.
   */
  private isLockFree(inst: InstNamed<'atomic'>): boolean {
    const [result] = inst.results;
    const [given] = operandsOf(inst);
    const block = this.slices.blockOf(inst);
    if (inst.attrs.op !== 'cas' || result === undefined || given === undefined || inst.when !== undefined) return false;
    if (this.loop.inner.some((inner) => inner.contains(block))) return false;
    if (!this.loop.latches.every((latch) => this.kernel.dominates(block, latch))) return false;
    const expected = plain(given);
    return this.isRead(expected, inst) && this.exits.some((exit) => this.leavesIfEqual(exit, result, expected));
  }

  /** Whether a value is what the loop read last at an atomic's place: the atomic's result in the iteration before, or a load. */
  private isRead(value: Value, inst: InstNamed<'atomic'>): boolean {
    const isOne = (each: Value) =>
      each === inst.results[0] ||
      (each.kind === 'result' &&
        each.inst.op === 'load' &&
        this.slices.homeOf(each) !== undefined &&
        isOnePlace(each.inst, inst));
    if (value.kind !== 'param') return isOne(value);
    return (
      this.slices.homeOf(value) !== undefined && !this.comesFrom(value, (each) => each.kind !== 'param' && !isOne(each))
    );
  }

  private leavesIfEqual({ end }: Block, result: Value, expected: Value): boolean {
    if (end.kind !== 'branch' || end.condition.kind !== 'result' || end.condition.inst.op !== 'icmp') return false;
    const { attrs, args } = end.condition.inst;
    const compared = args.map(plain);
    if (!compared.includes(result) || !compared.includes(expected)) return false;
    if (attrs.relation !== 'eq' && attrs.relation !== 'ne') return false;
    const { to } = attrs.relation === 'eq' ? end.then : end.else;
    return !this.loop.contains(to);
  }

  /** A counter that each iteration moves on, and nothing in the loop moves back. */
  private progresses(inst: InstNamed<'atomic'>): boolean {
    const { op } = inst.attrs;
    const [operand] = operandsOf(inst);
    if ((op !== 'add' && op !== 'inc' && op !== 'dec') || operand === undefined || constantOf(operand) === 0n)
      return false;
    return !this.writesTo(inst);
  }

  /** Whether something else in the loop may write in a strong way where an access looks. */
  private writesTo(inst: InstNamed<'load' | 'atomic'>): boolean {
    const isStrongWrite = (other: Inst): other is AccessInst =>
      other.op === 'atomic' || (other.op === 'store' && other.attrs.order !== 'weak');
    return this.loop
      .blocks()
      .some(({ insts }) =>
        insts.some((other) => other !== inst && isStrongWrite(other) && this.kernel.mayMeet(inst, other)),
      );
  }
}
