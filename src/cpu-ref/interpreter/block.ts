// A running block. It schedules its warps, and owns its barriers and its shared memory.
import { countOf } from '../../base/dim3.ts';
import { at } from '../../base/invariants.ts';
import { getOrInsert } from '../../base/maps.ts';
import { reservedSharedBytes } from '../../isa/index.ts';
import { blockBarriers } from '../../isa/limits.ts';
import { Barrier } from './barrier.ts';
import type { ClusterBarrier } from './cluster-barrier.ts';
import { whereLanesAre } from './deadlock.ts';
import { GroupWaits } from './group-wait.ts';
import { Region, shadow } from './memory/region.ts';
import { finishCopy } from './operations/copy-op.ts';
import { BlockClocks } from './state/clocks.ts';
import type { Dim3 } from './state/findings.ts';
import { type Frame, lowestLane } from './state/frame.ts';
import type { Mbarrier } from './state/mbarrier.ts';
import { PendingCopies } from './state/pending-copies.ts';
import { PendingProducts } from './state/pending-products.ts';
import { ProxyFences } from './state/proxy-fences.ts';
import { AccessHistory } from './state/races.ts';
import type { BarrierWork, Block, Cluster, ClusterBarrierWork, Machine, Op, Visit, Warp } from './state/state.ts';
import { RunningWarp } from './warp/warp.ts';

interface OwnCluster extends Cluster {
  readonly barrier: ClusterBarrier;
}

export class RunningBlock implements Block {
  readonly machine: Machine;
  readonly cluster: OwnCluster;
  readonly rank: number;
  readonly position: Dim3;
  readonly firstGlobalThread: number;
  readonly shared: Region;
  readonly warps: RunningWarp[] = [];
  readonly barriers: readonly Barrier[];
  readonly clocks: BlockClocks | undefined;
  readonly proxyFences: ProxyFences | undefined;
  readonly sharedAccesses = new AccessHistory();
  readonly copies = new PendingCopies();
  readonly products = new PendingProducts();
  readonly productWaits: GroupWaits;
  readonly mbarriers = new Map<number, Mbarrier>();
  /** The last access of each thread of another block. */
  readonly #visits = new Map<BlockClocks, Map<number, Visit>>();

  constructor(machine: Machine, cluster: OwnCluster, rank: number, position: Dim3) {
    this.machine = machine;
    this.cluster = cluster;
    this.rank = rank;
    this.position = position;
    const [gx, gy] = machine.launch.grid;
    const threads = countOf(machine.launch.block);
    const [x, y, z] = position;
    this.firstGlobalThread = (x + gx * (y + gy * z)) * threads;
    const { space } = machine;
    const options = { uninitialized: machine.tracksUndefined, parts: space.sharedParts };
    this.shared = new Region('shared memory', 'shared', 0, space.sharedBytes, options);
    if (machine.shuffles) for (let i = 0; i < this.shared.words.length; i++) this.shared.words[i] = machine.fill();
    if (space.reservedShared !== undefined) {
      const end = space.reservedShared + reservedSharedBytes;
      this.shared.bytes.fill(0, space.reservedShared, end);
      this.shared.shadow?.fill(shadow.defined, space.reservedShared, end);
    }
    const count = Math.ceil(threads / 32);
    this.warps.length = count;
    for (let i = 0; i < count; i++) {
      const lanes = Math.min(32, threads - i * 32);
      this.warps[i] = new RunningWarp(this, i, lanes === 32 ? -1 : 2 ** lanes - 1);
    }
    this.barriers = Array.from({ length: blockBarriers }, (_, id) => new Barrier(id, count));
    this.productWaits = new GroupWaits(this);
    this.clocks = machine.sanitize ? new BlockClocks(threads, this.position) : undefined;
    this.proxyFences = this.clocks && new ProxyFences(this.clocks);
  }

  get done(): boolean {
    return this.warps.every((warp) => warp.done);
  }

  /** Whether the threads may be waiting for another block: no warp did anything but poll memory. */
  get isPolling(): boolean {
    return this.warps.every((warp) => warp.isPolling || warp.runnable === 0);
  }

  /** Returns the state that the block's threads share, as words. */
  state(): readonly (Uint32Array | Int32Array)[] {
    const { barriers, cluster, copies, mbarriers, shared, rank } = this;
    const { arrived: come, waiting: held } = cluster.barrier;
    const objects = [...mbarriers].flatMap(([offset, { phase, pending }]) => [offset, phase, pending]);
    return [
      ...barriers.flatMap(({ arrived, waiting }) => [arrived, waiting]),
      this.productWaits.waiting,
      at(come, rank, 'the arrivals of a block'),
      at(held, rank, 'the waiting lanes of a block'),
      Uint32Array.of(copies.count, ...objects),
      shared.words,
    ];
  }

  /**
   * Runs each warp for about `turn` steps. Returns the number of executed steps, which is 0 if no
   * thread can continue.
   */
  run(turn: number): number {
    if (this.done) return 0;
    let moved = 0;
    for (const index of this.machine.order(this.warps.length)) moved += this.warps[index]?.run(turn) ?? 0;
    if (this.done) this.#end();
    return moved;
  }

  #end(): void {
    for (const copy of this.copies.stores()) finishCopy(this.firstGlobalThread, copy);
    for (const visits of this.#visits.values()) for (const visit of visits.values()) this.#checkVisit(visit);
  }

  noteVisit(visit: Visit): void {
    getOrInsert(this.#visits, visit.block, () => new Map<number, Visit>()).set(visit.thread, visit);
  }

  /** Reports an access of another block that may occur after all threads of this block have exited. */
  #checkVisit(visit: Visit): void {
    const { clocks, machine, rank } = this;
    const threads = countOf(machine.launch.block);
    for (let thread = 0; thread < threads; thread++) if (clocks?.after(visit, thread)) return;
    const message = () =>
      `${visit.access.verb} of shared memory of block ${rank} of the cluster, whose threads may have exited: none of them waits for it`;
    machine.log.add('RUN024', visit.access.span, visit.place, message, { variant: 'exit' });
  }

  /** Executes a barrier instruction for `lanes`, which are all at this instruction. */
  arrive(warp: Warp, op: Op, work: BarrierWork, frame: Frame, lanes: number): void {
    for (let m = lanes; m !== 0; m &= m - 1) {
      const lane = lowestLane(m);
      const id = frame.wordOf(work.id, lane);
      const expected = work.count === undefined ? 0 : frame.wordOf(work.count, lane);
      const barrier = this.barriers[id];
      if (barrier === undefined || (work.count !== undefined && (expected === 0 || expected % 32 !== 0))) {
        const message =
          barrier === undefined
            ? `invalid barrier ${id}: expected 0 to ${blockBarriers - 1}`
            : `invalid thread count ${expected} of a barrier: expected a positive multiple of 32`;
        this.machine.log.add('RUN005', op.span, warp.place(1 << lane), () => message);
        if (barrier === undefined) this.machine.halt('RUN005', message);
      }
      barrier?.arrive(warp, op, work, frame, lane, expected);
      if (work.waits) {
        warp.atBarrier |= 1 << lane;
        warp.runnable &= ~(1 << lane);
      } else warp.pc[lane] = (warp.pc[lane] ?? 0) + 1;
    }
    this.completeBarriers();
  }

  /**
   * Executes an instruction on the cluster's barrier for `lanes`, which are all at this
   * instruction.
   */
  come(warp: Warp, op: Op, work: ClusterBarrierWork, lanes: number): void {
    this.cluster.barrier.come(warp, op, work, lanes);
    this.cluster.barrier.complete();
  }

  waitForProducts(warp: Warp, kept: number, lanes: number): void {
    this.productWaits.come(warp, kept, lanes);
    this.completeBarriers();
  }

  /**
   * Completes every barrier at which all expected threads have arrived. Called after arrivals and
   * exits.
   */
  completeBarriers(): void {
    for (const barrier of this.barriers) if (barrier.complete(this.warps)) barrier.release(this);
    this.productWaits.complete();
    this.cluster.barrier.complete();
  }

  /** Ends the launch because it has executed the maximum number of steps. */
  timeout(): never {
    const warp = this.warps.find((candidate) => !candidate.done) ?? this.warps[0];
    const lane = warp === undefined || warp.runnable === 0 ? undefined : lowestLane(warp.runnable);
    const message = `the launch did not end within ${this.machine.maxSteps} steps`;
    if (warp !== undefined) {
      const span = warp.opOf(lane ?? lowestLane(warp.live)).span;
      this.machine.log.add('RUN014', span, warp.place(warp.runnable), () => message, { labels: whereLanesAre(this) });
    }
    return this.machine.halt('RUN014', message);
  }
}
