// Block barriers of dispatched kernels. Threads arrive one by one, at barriers with numbers and
// counts. When no warp can continue, the workgroup counts the threads at each barrier and releases
// the complete barriers.
import { blockBarriers, groupWarps } from '../../../isa/limits.ts';
import * as w from '../../../wgsl/tree/build.ts';
import { type Expr, Name, type WgslType } from '../../../wgsl/tree/nodes.ts';
import { partsOf } from '../../ir/barriers.ts';
import type { InstNamed } from '../../ir/nodes.ts';
import type { BarrierKind } from '../../ir/operations.ts';
import { blockRank, lanesOf } from '../collectives/barrier.ts';
import { writeWorkgroupBarrier } from '../collectives/workgroup-barrier.ts';
import { threadNumber } from '../program/lane-numbers.ts';
import { statusCodes, statusStmt } from '../program/status.ts';
import type { Emitter, LaneVariable } from '../values/emitter.ts';
import { BarrierLanes } from './barrier-lanes.ts';
import { IdleYields } from './idle-yields.ts';
import { resultVariable } from './wait-groups.ts';
import type { WaitNumbers } from './wait-numbers.ts';

type Barrier = InstNamed<'barrier'>;

/**
 * The state of the block: all threads have ended; some threads continue; or no thread can continue.
 */
const states = { ended: w.u32(0), going: w.u32(1), stuck: w.u32(2) } as const;

/** The reduction of the votes at a barrier. */
const reductions: Readonly<Record<BarrierKind, number>> = {
  sync: 0,
  arrive: 0,
  'red.popc': 1,
  'red.and': 2,
  'red.or': 3,
  yield: 0,
  'cluster.arrive': 0,
  'cluster.wait': 0,
};

const members = ['waiting', 'arrived', 'repeated', 'wanted', 'votes'] as const;
type Member = (typeof members)[number];

const groupThreads = 32 * groupWarps;
/**
 * A thread's state at the cluster's barrier: not arrived; arrived; or the barrier is complete, and
 * the thread has not waited yet.
 */
const clusterStates = { apart: w.u32(0), arrived: w.u32(1), passed: w.u32(2) } as const;

export class BlockBarriers {
  private readonly emitter: Emitter;
  /**
   * The values of `wait`: in a lane at a barrier, in a lane that waits for the next phase of the
   * block, and in a lane that has ended.
   */
  private readonly waitClass: Expr;
  private readonly phaseClass: Expr;
  private readonly ended: Expr;
  private readonly wait: LaneVariable;
  private readonly number: LaneVariable;
  /**
   * The number of threads that the barrier waits for; 0 means all live threads. Undefined if
   * no barrier specifies a count.
   */
  private readonly count: LaneVariable | undefined;
  private readonly vote: LaneVariable;
  private readonly reduction: LaneVariable;
  private readonly barriers: Expr;
  private readonly memberNames: Readonly<Record<Member, Name>>;
  private readonly alive: Expr;
  private readonly released: Expr;
  private readonly state: Expr;
  private readonly hasPhaseWaits: boolean;
  /** Whether threads arrive at barriers without a wait. */
  private readonly hasArrivals: boolean;
  /** The thread's state at the cluster's barrier; undefined if no thread uses this barrier. */
  private readonly cluster: LaneVariable | undefined;
  /** The lanes that arrive; undefined if no barrier specifies a thread count. */
  private readonly lanes: BarrierLanes | undefined;
  /** The number of blocks of the workgroup. */
  private readonly blocks: number;
  /** The number of barriers of each block: those of PTX, and one for each warpgroup. */
  private readonly ofBlock: number;
  private readonly numbered: number;
  /** The number of the cluster's barrier, after the numbered ones. */
  private readonly clusterNumber: Expr;
  /** The limit of yields; undefined if no lane waits for a word to change. */
  private readonly idle: IdleYields | undefined;

  constructor(emitter: Emitter, numbers: WaitNumbers, wait: LaneVariable, barriers: readonly Barrier[]) {
    const kinds = new Set(barriers.map(({ attrs }) => attrs.kind));
    const hasCluster = kinds.has('cluster.arrive') || kinds.has('cluster.wait');
    // Absent: the workgroup runs one block.
    this.blocks = barriers.reduce((most, { attrs }) => Math.max(most, attrs.blocks ?? 1), 1);
    const groups = barriers.some(({ attrs }) => attrs.own)
      ? Math.ceil(lanesOf(emitter.uses, this.blocks) / groupThreads)
      : 0;
    this.ofBlock = blockBarriers + groups;
    this.numbered = this.blocks * this.ofBlock;
    this.clusterNumber = w.u32(this.numbered);
    this.emitter = emitter;
    this.waitClass = numbers.of({ kind: 'barrier' });
    this.phaseClass = numbers.of({ kind: 'yield' });
    this.ended = numbers.ended;
    this.hasPhaseWaits = kinds.has('yield') || hasCluster;
    this.cluster = hasCluster ? emitter.laneVariable('cluster_state', 'u32') : undefined;
    this.wait = wait;
    this.number = emitter.laneVariable('barrier_number', 'u32');
    const isCounted = barriers.some(({ attrs }) => attrs.counted || attrs.own);
    this.count = isCounted ? emitter.laneVariable('barrier_threads', 'u32') : undefined;
    this.vote = emitter.laneVariable('barrier_vote', 'bool');
    this.reduction = emitter.laneVariable('barrier_reduction', 'u32');
    this.memberNames = {
      waiting: new Name('waiting'),
      arrived: new Name('arrived'),
      repeated: new Name('repeated'),
      wanted: new Name('wanted'),
      votes: new Name('votes'),
    };
    const { uses } = emitter;
    const struct = new Name('Barrier');
    // The counters of each barrier: `waiting`, the threads that wait; `arrived`, the threads that
    // arrived at the cluster's barrier; `repeated`, the arrivals of threads that had arrived before;
    // `wanted`, the thread count (0 for all threads); `votes`, the waiting threads whose predicate is
    // true.
    this.hasArrivals = kinds.has('arrive');
    const { hasArrivals } = this;
    const has = { waiting: true, arrived: hasCluster, repeated: hasArrivals, wanted: isCounted, votes: true };
    uses.declarations.push({
      kind: 'struct',
      name: struct,
      members: members.flatMap((member) => (has[member] ? [{ name: this.memberNames[member], type: w.atomic() }] : [])),
    });
    const places = hasCluster ? this.numbered + 1 : this.numbered;
    const type: WgslType = w.array(w.struct(struct), places);
    this.barriers = uses.workgroupVariable('barriers', type);
    this.lanes = isCounted || this.blocks > 1 ? new BarrierLanes(emitter, places, hasArrivals) : undefined;
    const yields = barriers.filter(({ attrs }) => attrs.kind === 'yield');
    this.idle = yields.some(({ args }) => args.length > 0) ? new IdleYields(emitter, yields) : undefined;
    this.alive = uses.workgroupVariable('threads_alive', w.atomic());
    this.released = uses.workgroupVariable('threads_released', w.atomic());
    this.state = uses.workgroupVariable('block_state', 'u32');
  }

  private at(number: Expr, member: Member): Expr {
    return w.member(w.index(this.barriers, number), this.memberNames[member], w.atomic());
  }

  /** Returns the number of the barrier of the thread's warpgroup. */
  private ofGroup(): Expr {
    const { emitter, blocks } = this;
    const thread = w.rem(threadNumber(emitter.uses, emitter.slot), w.u32(lanesOf(emitter.uses, blocks)));
    return w.add(w.div(thread, w.u32(groupThreads)), w.u32(blockBarriers));
  }

  /** Emits the arrival of a lane at a barrier. */
  arrive(inst: Barrier): void {
    const { emitter } = this;
    const { number, count, predicate } = partsOf(inst);
    if (inst.attrs.kind === 'yield') {
      this.idle?.arrive(inst);
      return emitter.assign(this.wait(), this.phaseClass);
    }
    if (inst.attrs.kind === 'cluster.arrive') {
      if (this.cluster) emitter.assign(this.cluster(), clusterStates.arrived);
      return;
    }
    if (inst.attrs.kind === 'cluster.wait') {
      return this.waitForCluster();
    }
    const inBlock = number ? w.and(emitter.read(number), w.u32(blockBarriers - 1)) : w.u32(0);
    const own = inst.attrs.own ? this.ofGroup() : inBlock;
    const id = this.blocks === 1 ? own : w.add(w.mul(blockRank(emitter, this.blocks), w.u32(this.ofBlock)), own);
    const threads = inst.attrs.own ? w.u32(groupThreads) : count ? emitter.read(count) : w.u32(0);
    if (inst.attrs.kind === 'arrive') {
      const named = emitter.name('barrier', id);
      emitter.perform('atomicMax', this.at(named, 'wanted'), threads);
      this.lanes?.pass(named, this.at(named, 'repeated'));
      return;
    }
    emitter.assign(this.number(), id);
    if (this.count) emitter.assign(this.count(), threads);
    emitter.assign(this.reduction(), w.u32(reductions[inst.attrs.kind]));
    if (predicate) emitter.assign(this.vote(), emitter.read(predicate));
    emitter.assign(this.wait(), this.waitClass);
  }

  /**
   * Emits the wait at the cluster's barrier. If the barrier is already complete, the thread only
   * waits for the next phase.
   */
  private waitForCluster(): void {
    const { emitter, cluster } = this;
    if (cluster === undefined) return;
    emitter.if(
      w.eq(cluster(), clusterStates.passed),
      () => {
        emitter.assign(cluster(), clusterStates.apart);
        emitter.assign(this.wait(), this.phaseClass);
      },
      () => {
        emitter.assign(this.number(), this.clusterNumber);
        if (this.count) emitter.assign(this.count(), w.u32(0));
        emitter.assign(this.reduction(), w.u32(0));
        emitter.assign(this.wait(), this.waitClass);
      },
    );
  }

  /** Counts threads that arrived at the cluster's barrier and have not reached its wait. */
  private countCluster(): void {
    const { emitter, cluster } = this;
    if (cluster === undefined) return;
    const isThere = w.both(w.eq(this.wait(), this.waitClass), w.eq(this.number(), this.clusterNumber));
    const isElsewhere = w.both(w.ne(this.wait(), this.ended), w.not(isThere));
    emitter.if(w.both(w.eq(cluster(), clusterStates.arrived), isElsewhere), () =>
      emitter.perform('atomicAdd', this.at(this.clusterNumber, 'arrived'), w.u32(1)),
    );
  }

  /**
   * Emits the release of the threads that arrived at the cluster's barrier, if the barrier is
   * complete. They will not have to wait.
   */
  private passCluster(): void {
    const { emitter, cluster } = this;
    if (cluster === undefined) return;
    emitter.if(w.eq(cluster(), clusterStates.arrived), () => {
      const waiting = emitter.load('waiting_there', this.at(this.clusterNumber, 'waiting'));
      const alive = emitter.load('alive', this.alive);
      const isThere = w.both(w.eq(this.wait(), this.waitClass), w.eq(this.number(), this.clusterNumber));
      const after = w.select(isThere, clusterStates.apart, clusterStates.passed);
      emitter.if(this.isComplete(this.clusterNumber, waiting, alive), () => emitter.assign(cluster(), after));
    });
  }

  /** Emits a phase of the block. Every invocation reaches it. */
  writePhase(): void {
    const { emitter } = this;
    emitter.comment('Every lane waits at a barrier, waits for lanes that do, or has ended.');
    const atBarrier = () => w.eq(this.wait(), this.waitClass);
    emitter.eachSlot(() => {
      emitter.if(w.ne(this.wait(), this.ended), () => {
        emitter.perform('atomicAdd', this.alive, w.u32(1));
        this.lanes?.noteAlive();
        this.idle?.count();
      });
      emitter.if(atBarrier(), () => {
        emitter.perform('atomicAdd', this.at(this.number(), 'waiting'), w.u32(1));
        if (this.count) emitter.perform('atomicMax', this.at(this.number(), 'wanted'), this.count());
        emitter.if(this.vote(), () => emitter.perform('atomicAdd', this.at(this.number(), 'votes'), w.u32(1)));
        this.lanes?.wait(this.number());
      });
      this.countCluster();
    });
    writeWorkgroupBarrier(emitter);
    emitter.eachSlot(() => {
      this.passCluster();
      emitter.if(atBarrier(), () => this.release());
      if (!this.hasPhaseWaits) return;
      emitter.if(w.eq(this.wait(), this.phaseClass), () => this.resume());
    });
    writeWorkgroupBarrier(emitter);
    this.settle();
  }

  private isComplete(number: Expr, waiting: Expr, alive: Expr): Expr {
    const { emitter } = this;
    const arrived = this.cluster && emitter.load('arrived_here', this.at(number, 'arrived'));
    const isWhole = w.ge(arrived ? w.add(waiting, arrived) : waiting, alive);
    if (this.lanes === undefined) return isWhole;
    const isAll = this.blocks === 1 ? isWhole : this.isWholeBlock(number, isWhole, this.lanes);
    if (this.count === undefined) return isAll;
    const wanted = emitter.load('wanted_here', this.at(number, 'wanted'));
    const repeated = this.hasArrivals ? emitter.load('repeated_here', this.at(number, 'repeated')) : undefined;
    return w.select(w.eq(wanted, w.u32(0)), isAll, w.ge(this.lanes.threadsAt(number, repeated), wanted));
  }

  /**
   * Returns whether all live threads of a barrier's block have arrived; for the cluster's barrier,
   * `isWhole`.
   */
  private isWholeBlock(number: Expr, isWhole: Expr, lanes: BarrierLanes): Expr {
    const { emitter, blocks } = this;
    const warps = lanesOf(emitter.uses, blocks) / 32;
    const rank = w.div(number, w.u32(this.ofBlock));
    const missing = lanes.missingAt(number, w.mul(rank, w.u32(warps)), warps);
    return w.select(w.eq(number, this.clusterNumber), isWhole, w.eq(missing, w.u32(0)));
  }

  private release(): void {
    const { emitter } = this;
    const waiting = this.emitter.load('waiting_here', this.at(this.number(), 'waiting'));
    const alive = this.emitter.load('alive', this.alive);
    emitter.if(this.isComplete(this.number(), waiting, alive), () => {
      const votes = this.emitter.load('votes_here', this.at(this.number(), 'votes'));
      const isKind = (kind: BarrierKind) => w.eq(this.reduction(), w.u32(reductions[kind]));
      const predicate = resultVariable(emitter, ['i1'], 0);
      emitter.if(isKind('red.and'), () => this.emitter.assign(predicate(), w.eq(votes, waiting)));
      emitter.if(isKind('red.or'), () => this.emitter.assign(predicate(), w.ne(votes, w.u32(0))));
      this.emitter.assign(resultVariable(emitter, ['i32'], 0)(), votes);
      this.emitter.assign(this.vote(), w.bool(false));
      this.idle?.noteRelease();
      this.resume();
    });
  }

  private resume(): void {
    this.emitter.assign(this.wait(), w.u32(0));
    this.emitter.perform('atomicAdd', this.released, w.u32(1));
  }

  /**
   * Emits the code of one invocation that resets the complete barriers and sets the state of the
   * block.
   */
  private settle(): void {
    const { emitter } = this;
    const { writer, uses } = emitter;
    const clear = (number: Expr, member: Member) => emitter.perform('atomicStore', this.at(number, member), w.u32(0));
    emitter.if(w.eq(uses.builtin('thread'), w.u32(0)), () => {
      const alive = emitter.load('alive', this.alive);
      const { lanes } = this;
      const forget = (number: Expr, counted: BarrierLanes) => {
        const waiting = emitter.load('waiting_there', this.at(number, 'waiting'));
        const done = w.both(w.ne(waiting, w.u32(0)), this.isComplete(number, waiting, alive));
        emitter.if(done, () => {
          if (this.count) clear(number, 'wanted');
          if (this.hasArrivals) clear(number, 'repeated');
          counted.clear(number);
        });
      };
      emitter.repeat('id', this.numbered, (number) => {
        if (lanes) forget(number, lanes);
        clear(number, 'waiting');
        clear(number, 'votes');
      });
      if (this.cluster) for (const member of ['waiting', 'arrived'] as const) clear(this.clusterNumber, member);
      const released = emitter.load('released', this.released);
      const someGoOn = w.ne(released, w.u32(0));
      const isGoing = this.idle ? w.both(someGoOn, w.not(this.idle.isOver(alive))) : someGoOn;
      const going = w.select(isGoing, states.going, states.stuck);
      emitter.assign(this.state, w.select(w.eq(alive, w.u32(0)), states.ended, going));
      this.lanes?.forgetAlive();
      emitter.perform('atomicStore', this.alive, w.u32(0));
      emitter.perform('atomicStore', this.released, w.u32(0));
    });
    const loaded = w.builtin('workgroupUniformLoad', 'u32', w.addressOf(this.state, 'workgroup'));
    const state = emitter.copy('state', loaded);
    emitter.if(w.ne(state, states.going), () => {
      emitter.if(w.eq(state, states.stuck), () => emitter.writer.push(statusStmt(emitter.uses, statusCodes.deadlock)));
      writer.push(w.leave);
    });
  }
}
