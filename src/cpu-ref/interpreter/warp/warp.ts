// Runs a warp: 32 lanes, each with its own program counter. Lanes at the same instruction and the
// same call depth execute together.
import { turnRank } from '../../../base/loop-order.ts';
import { Region } from '../memory/region.ts';
import { type FindingPlace, laneNames } from '../state/findings.ts';
import { Frame, lowestLane } from '../state/frame.ts';
import { RegisterFences } from '../state/register-fences.ts';
import type { Block, Machine, Op, Warp } from '../state/state.ts';
import { enterCall, enterIndirect, leaveCall } from './call.ts';
import { callService } from './services.ts';
import { fillSpecial } from './specials.ts';
import { checkReads, observeStep, reportGuard } from './warp-checks.ts';
import { arriveAtWarpOp, releaseConverged, releaseSync, takeTurns } from './warp-sync.ts';

/**
 * The maximum number of steps that lanes wait at an instruction without `.sync` for other lanes of
 * their warp.
 */
const convergeSteps = 1 << 18;

/** The number of polling loads and atomics that a group executes before other lanes continue. */
const mostPolls = 4;

export class RunningWarp implements Warp {
  readonly machine: Machine;
  readonly block: Block;
  readonly index: number;
  /** The index of lane 0's thread in the block, and the index in the grid. */
  readonly firstThread: number;
  readonly firstGlobalThread: number;
  readonly pc = new Int32Array(32);
  readonly depth = new Int32Array(32);
  /** Masks of lanes. Lanes without a thread count as exited. */
  exited: number;
  runnable: number;
  /** The lanes that wait at a `.sync` instruction for lanes with the same key and membermask. */
  atSync = 0;
  readonly syncKey = new Int32Array(32);
  readonly syncMask = new Int32Array(32);
  /**
   * The lanes that wait, until no other lane can advance, at a warp instruction without `.sync` or
   * at the head of a loop.
   */
  atConverge = 0;
  readonly turn = new Int32Array(32).fill(-1);
  atBarrier = 0;
  /** The lanes whose carry flag (CC.CF) is set, and the lanes in which the flag is undefined. */
  carry = 0;
  carryUndefined = -1;
  readonly fences = new RegisterFences();
  polls = 0;
  /** Whether the last `run` ended because all lanes that can advance poll memory. */
  isPolling = false;
  /** The lanes that have reached the limit of polls since `run` was called. */
  #polling = 0;
  /**
   * The number of polls of each lane since the lane last reached the limit. Polls are counted
   * across groups, because a loop may contain a warp instruction, which ends the group after each
   * poll.
   */
  readonly #pollsOf = new Int32Array(32);
  /** The lanes that have reached a limit and wait while other lanes of the warp can run. */
  #deferred = 0;
  /**
   * The lanes whose last test (a `look` instruction) failed. Other lanes run before these lanes
   * test again.
   */
  #lookedInVain = 0;
  #convergeSince = 0;
  #steps = 0;
  readonly #frames: Frame[][] = [];
  readonly #locals: Region[] = [];

  constructor(block: Block, index: number, lanes: number) {
    this.block = block;
    this.machine = block.machine;
    this.index = index;
    this.firstThread = index * 32;
    this.firstGlobalThread = block.firstGlobalThread + this.firstThread;
    this.exited = ~lanes;
    this.runnable = lanes;
    this.pc.fill(this.machine.program.functions[0]?.start ?? 0);
    this.frame(0, 0).enter(lanes);
  }

  /** The mask of lanes whose thread exists and has not exited. */
  get live(): number {
    return ~this.exited;
  }

  get done(): boolean {
    return this.live === 0;
  }

  /**
   * Returns the state of the warp as words. Together with shared and global memory, this state
   * determines the further execution.
   */
  state(): readonly (Uint32Array | Int32Array)[] {
    const frames = this.#frames.flatMap((row) => Object.values(row));
    return [
      Int32Array.of(this.runnable, this.exited, this.atSync, this.atConverge, this.atBarrier, this.carry),
      this.pc,
      this.depth,
      ...frames.flatMap(({ file, preds, returnPc }) => [file, preds, returnPc]),
      this.syncKey,
      this.syncMask,
      ...Object.values(this.#locals).map(({ words }) => words),
    ];
  }

  place(lanes: number): FindingPlace {
    return { block: this.block.position, warp: this.index, lanes: lanes >>> 0 };
  }

  /** Returns the registers of function `fn` at a call depth. */
  frame(depth: number, fn: number): Frame {
    this.#frames[depth] ??= [];
    const row = this.#frames[depth];
    const known = row[fn];
    if (known !== undefined) return known;
    const decoded = this.machine.program.functions[fn];
    if (decoded === undefined) throw new RangeError(`no function ${fn}`);
    const { machine, index: warp } = this;
    const frame = new Frame(decoded.layout, machine.shuffles ? machine.fill : undefined);
    const { position: block, rank } = this.block;
    const here = { machine, block, rank, warp, warps: this.block.warps.length };
    for (const special of decoded.layout.specials) fillSpecial(frame, special, here);
    row[fn] = frame;
    return frame;
  }

  frameOf(lane: number): Frame {
    return this.frame(this.depth[lane] ?? 0, this.opOf(lane).fn);
  }

  /** Returns the instruction at a lane's program counter. */
  opOf(lane: number): Op {
    const op = this.machine.program.ops[this.pc[lane] ?? 0];
    if (op === undefined) throw new RangeError(`lane ${lane} is not at an instruction`);
    return op;
  }

  /** Returns a lane's local memory, which contains its stack. */
  local(lane: number): Region {
    const known = this.#locals[lane];
    if (known !== undefined) return known;
    const bytes = this.machine.program.functions[0]?.layout.frameBytes ?? 0;
    const { tracksUndefined: uninitialized } = this.machine;
    const region = new Region('local memory', 'local', 0, bytes, { uninitialized });
    if (this.machine.shuffles) for (let i = 0; i < region.words.length; i++) region.words[i] = this.machine.fill();
    this.#locals[lane] = region;
    return region;
  }

  /** Returns the region that a lane accesses in a state space other than global. */
  regionOf(space: Region['space'], lane: number): Region {
    if (space === 'shared') return this.block.shared;
    if (space === 'local') return this.local(lane);
    return space === 'param' ? this.machine.space.params : this.machine.space.constant;
  }

  setPc(lanes: number, pc: number): void {
    for (let m = lanes; m !== 0; m &= m - 1) this.pc[lowestLane(m)] = pc;
  }

  /**
   * Runs until no lane can advance, or for about `budget` steps. Returns the number of steps, which
   * is 0 if all lanes wait or have exited.
   */
  run(budget: number): number {
    const before = this.#steps;
    this.#polling = 0;
    this.isPolling = false;
    while (this.#steps - before < budget) {
      if (this.atConverge !== 0 && (this.runnable === 0 || this.#steps - this.#convergeSince > convergeSteps)) {
        releaseConverged(this);
        this.#convergeSince = this.#steps;
        this.#steps++;
      }
      if (this.runnable === 0) break;
      this.#runGroup(Math.min(this.machine.stepsPerYield, budget));
      if (this.#lookedInVain !== 0 && (this.runnable & ~this.#lookedInVain) === 0) {
        // All runnable lanes wait for another warp.
        this.#lookedInVain = 0;
        break;
      }
      // All runnable lanes may be waiting for another warp.
      this.isPolling = (this.runnable & ~this.#polling) === 0;
      if (this.isPolling) break;
    }
    return this.#steps - before;
  }

  /**
   * Runs one group of lanes: the lanes in the deepest call and, among these, at the lowest program
   * counter. Lanes with a lower program counter thus catch up with the others.
   */
  #runGroup(limit: number): void {
    let candidates = this.runnable & ~this.#deferred;
    if (candidates === 0) {
      this.#deferred = 0;
      candidates = this.runnable;
    }
    let depth = -1;
    let pc = 0;
    let group = 0;
    let next = Number.POSITIVE_INFINITY;
    for (let m = candidates; m !== 0; m &= m - 1) {
      const lane = lowestLane(m);
      const laneDepth = this.depth[lane] ?? 0;
      const lanePc = this.pc[lane] ?? 0;
      if (laneDepth > depth || (laneDepth === depth && lanePc < pc)) {
        next = laneDepth === depth ? pc : Number.POSITIVE_INFINITY;
        depth = laneDepth;
        pc = lanePc;
        group = 1 << lane;
      } else if (laneDepth === depth) {
        if (lanePc === pc) group |= 1 << lane;
        else if (lanePc < next) next = lanePc;
      }
    }
    this.polls = 0;
    const steps = this.#runTogether(group, depth, pc, next, limit);
    this.#steps += steps;
    this.machine.steps += steps;
    const polled = this.polls === 0 ? 0 : this.#countPolls(group);
    this.#polling |= polled;
    this.#deferred |= steps >= limit ? group : polled;
    if (this.machine.steps > this.machine.maxSteps) this.block.timeout();
  }

  /**
   * Adds a group's polls to the counts of its lanes. Returns the lanes that have reached the limit.
   */
  #countPolls(group: number): number {
    let polled = 0;
    for (let m = group; m !== 0; m &= m - 1) {
      const lane = lowestLane(m);
      const polls = (this.#pollsOf[lane] ?? 0) + this.polls;
      this.#pollsOf[lane] = polls >= mostPolls ? 0 : polls;
      if (polls >= mostPolls) polled |= 1 << lane;
    }
    return polled;
  }

  /**
   * Runs a group from `start` until its lanes diverge, wait, exit or reach lanes at `next`, or
   * until the group reaches its limit of steps or polls.
   */
  #runTogether(group: number, depth: number, start: number, next: number, limit: number): number {
    const { ops, turns } = this.machine.program;
    let pc = start;
    let steps = 0;
    let frame: Frame | undefined;
    while (steps < limit && this.polls < mostPolls) {
      const op = ops[pc];
      if (op === undefined) throw new RangeError(`no instruction ${pc}`);
      frame ??= this.frame(depth, op.fn);
      let lanes = group;
      const { guard } = op;
      // The lanes in which the guard is undefined.
      let doubtful = 0;
      if (guard !== undefined) {
        lanes = group & frame.predicateOf(guard);
        doubtful = (frame.undefinedIn[guard.place.taint] ?? 0) & group;
        if (doubtful !== 0) {
          reportGuard(this, op, doubtful);
          frame.markUndefined(op.writes, doubtful);
        }
      }
      steps++;
      const at = pc;
      if (lanes === 0) {
        pc++;
      } else {
        if (this.machine.sanitize) checkReads(this, op, frame, lanes, group);
        if (op.exec !== undefined) {
          op.exec(this, frame, lanes);
          if (doubtful !== 0) frame.markUndefined(op.writes, doubtful);
          pc++;
        } else {
          pc = this.#control(op, frame, group, lanes, pc);
        }
        if (this.machine.observe !== undefined && op.work.kind !== 'warp') {
          observeStep(this, op, frame, lanes, { depth, group, next: pc });
        }
        if (pc < 0) {
          if (turns !== undefined && this.#parts(op)) this.#takeTurns(group, at);
          return steps;
        }
      }
      if (turns !== undefined && turnRank(turns, at, pc) !== undefined && group !== this.live) {
        this.setPc(group, pc);
        this.#takeTurns(group, at);
        return steps;
      }
      if (pc >= next) break;
    }
    this.setPc(group, pc);
    return steps;
  }

  /**
   * Executes an instruction that branches or waits. Returns the group's next program counter, or -1
   * if the program counter of each lane has been set.
   */
  #control(op: Op, frame: Frame, group: number, lanes: number, pc: number): number {
    const { work } = op;
    const rest = group & ~lanes;
    switch (work.kind) {
      case 'plain':
        return pc + 1;
      case 'look': {
        const seen = work.look(this, frame, lanes);
        this.setPc(group, pc + 1);
        this.#lookedInVain = (this.#lookedInVain | lanes) & ~seen;
        this.#deferred |= lanes & ~seen;
        return -1;
      }
      case 'branch':
        if (rest === 0) return work.target;
        this.setPc(lanes, work.target);
        this.setPc(rest, pc + 1);
        return -1;
      case 'indexed': {
        this.setPc(rest, pc + 1);
        for (let m = lanes; m !== 0; m &= m - 1) {
          const lane = lowestLane(m);
          const index = frame.wordOf(work.index, lane);
          const target = work.targets[index];
          if (target === undefined) {
            const message = `brx.idx with index ${index}, but the list has ${work.targets.length} targets`;
            this.machine.log.add('RUN015', op.span, this.place(1 << lane), () => message);
            this.machine.halt('RUN015', message);
          }
          this.pc[lane] = target;
        }
        return -1;
      }
      case 'call':
        this.setPc(rest, pc + 1);
        this.setPc(lanes, pc);
        enterCall(this, op, work.call, frame, lanes);
        return -1;
      case 'indirect':
        this.setPc(rest, pc + 1);
        this.setPc(lanes, pc);
        enterIndirect(this, op, work, frame, lanes);
        return -1;
      case 'service':
        callService(this, op, work.service, frame, lanes);
        return pc + 1;
      case 'return':
        this.setPc(rest, pc + 1);
        if ((this.depth[lowestLane(lanes)] ?? 0) === 0) this.#exit(lanes);
        else leaveCall(this, frame, lanes);
        return -1;
      case 'exit':
        this.setPc(rest, pc + 1);
        this.#exit(lanes);
        return -1;
      case 'trap':
        this.machine.log.add('RUN013', op.span, this.place(lanes), () => {
          return `${op.instruction?.row.name} executed by ${laneNames(lanes)}`;
        });
        return this.machine.halt('RUN013', 'the kernel executed a trap');
      case 'warp': {
        if (work.warp.membermask === undefined && this.atConverge === 0) this.#convergeSince = this.#steps;
        const next = arriveAtWarpOp(this, op, work.warp, frame, group, lanes, pc);
        if (next < 0 && rest !== 0) this.setPc(rest, pc + 1);
        return next;
      }
      case 'barrier':
      case 'cluster':
      case 'products':
        this.setPc(rest, pc + 1);
        this.setPc(lanes, pc);
        if (work.kind === 'barrier') this.block.arrive(this, op, work.barrier, frame, lanes);
        else if (work.kind === 'cluster') this.block.come(this, op, work.barrier, lanes);
        else this.block.waitForProducts(this, work.kept, lanes);
        return -1;
    }
  }

  #takeTurns(lanes: number, from: number): void {
    if (this.atConverge === 0) this.#convergeSince = this.#steps;
    takeTurns(this, lanes, from);
  }

  /** Whether the lanes that execute an instruction can continue at different targets. */
  #parts({ work }: Op): boolean {
    return work.kind === 'branch' || work.kind === 'indexed';
  }

  #exit(lanes: number): void {
    this.exited |= lanes;
    this.runnable &= ~lanes;
    releaseSync(this);
    this.block.completeBarriers();
  }
}
