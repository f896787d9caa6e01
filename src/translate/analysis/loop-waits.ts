// Finds the reads of a loop by which a lane may wait: reads that determine whether the loop
// continues, and whose location other lanes must change.
import type { Loop } from '../graph/index.ts';
import { isFence } from '../ir/access-orders.ts';
import { type Block, constantOf, type Inst, type InstNamed, isCollective, sameValue, type Value } from '../ir/nodes.ts';
import { type AccessInst, addressOf } from './accesses.ts';
import type { LoopSlices, Slice } from './loop-slice.ts';

export type Read = InstNamed<'load' | 'atomic' | 'call'>;

/** Facts about the blocks and accesses of the kernel. */
export interface KernelView {
  readonly dominates: (a: Block, b: Block) => boolean;
  /** Whether an access may reach shared memory. */
  readonly isShared: (inst: Read) => boolean;
  /** Whether a yield already follows a read. */
  readonly hasYield: (inst: Read) => boolean;
  /** Whether a read may read a store of another block of the grid. */
  readonly mayLookAtOtherBlocks: (inst: Read) => boolean;
  /** Whether a read belongs to the grid barrier. */
  readonly isGridBarrier: (inst: Read) => boolean;
  /** Whether two accesses may overlap. */
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

/** Returns the value that a chain of bitcasts converts, or the value itself. */
function plain(value: Value): Value {
  let at = value;
  while (at.kind === 'result' && at.inst.op === 'bitcast') {
    const [from] = at.inst.args;
    if (from === undefined) break;
    at = from;
  }
  return at;
}

/** Determines which reads of one loop wait for other lanes. */
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

  /** Returns the reads after which lanes must yield, and those that wait without a yield. */
  find(): { readonly yields: readonly Read[]; readonly others: readonly Read[] } {
    if (this.reads.some((inst) => inst.op === 'atomic' && this.isLockFree(inst))) return { yields: [], others: [] };
    const decisive = this.slices.ofBranches(this.exits).insts;
    const waiting = this.reads.filter((inst) => decisive.has(inst) && (this.kernel.hasYield(inst) || this.waits(inst)));
    const mustYield = (inst: Read): boolean => this.kernel.hasYield(inst) || this.runsOn(inst);
    return { yields: waiting.filter(mustYield), others: waiting.filter((inst) => !mustYield(inst)) };
  }

  /** Whether the loop may execute a read again before the lanes for which it waits can run. */
  private runsOn(inst: Read): boolean {
    if (this.kernel.isGridBarrier(inst)) return false;
    const block = this.slices.blockOf(inst);
    if (this.between(stops).has(block)) return true;
    // A location to which the warp itself stores is probably its own state, not a flag.
    if (inst.op === 'call' || !this.between(stopsBlock).has(block)) return false;
    if (!this.kernel.isShared(inst) && this.kernel.mayLookAtOtherBlocks(inst)) return false;
    return inst.op === 'atomic' || !this.writesTo(inst);
  }

  /**
   * Returns the blocks on paths through an iteration that do not execute an instruction for which
   * `isStop` is true.
   */
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

  /**
   * Whether the loop ends without the help of other lanes: an exit that every iteration passes
   * depends on a counter or a clock.
   */
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
    // The loop follows a chain of pointers and does not wait.
    if (slice?.insts.has(inst)) return false;
    if (inst.op === 'atomic') return !(this.progresses(inst) || (slice && this.moves(slice)));
    return inst.attrs.order !== 'weak' || (this.hasFence && !(slice && this.moves(slice)));
  }

  /** Whether an address differs in each iteration. */
  private moves(slice: Slice): boolean {
    return this.advancesIn(slice) || [...slice.insts].some(({ op }) => op === 'atomic');
  }

  private advancesIn({ params }: Slice): boolean {
    return [...params].some(
      (param) => param.block === this.loop.header && !this.comesFrom(param, (value) => value === param),
    );
  }

  /**
   * Whether an edge of the loop passes a value that satisfies `test` to a parameter, directly or
   * through other parameters.
   */
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
   * Whether the atomic is a compare-and-swap that expects the value last read from its location,
   * and ends the loop if it succeeds. A compare-and-swap fails only if another lane has succeeded.
   * So some lane makes progress, whatever else the loop reads.
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

  /**
   * Whether a value is the loop's last read of an atomic's location: the atomic's result in the
   * previous iteration, or a load.
   */
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

  /**
   * Whether the atomic is a counter that each iteration advances, and that nothing in the loop
   * resets.
   */
  private progresses(inst: InstNamed<'atomic'>): boolean {
    const { op } = inst.attrs;
    const [operand] = operandsOf(inst);
    if ((op !== 'add' && op !== 'inc' && op !== 'dec') || operand === undefined || constantOf(operand) === 0n)
      return false;
    return !this.writesTo(inst);
  }

  /** Whether another strong write in the loop may reach the location of an access. */
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
