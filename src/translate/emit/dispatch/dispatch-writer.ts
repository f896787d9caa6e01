// Writes a dispatch. Each lane has a program counter, and runs until it ends or waits. Then the
// warp finds the complete groups, by qualifiers and member mask, and executes their instructions.
// Then their lanes continue. The workgroup handles lanes that wait at block barriers in the same
// way.
import { at as argument, InternalError, missing } from '../../../base/invariants.ts';
import * as w from '../../../wgsl/tree/build.ts';
import type { Case, Expr } from '../../../wgsl/tree/nodes.ts';
import { lowestBit } from '../../../wgsl/warp/index.ts';
import { type Dispatch, type DispatchLoop, everyTree, type Tree, type TreeOf } from '../../control/tree.ts';
import type { WaitPlace } from '../../control/waits.ts';
import type { Inst, InstNamed } from '../../ir/nodes.ts';
import { warpResultTypes } from '../../ir/operations.ts';
import { inAnyWarp } from '../collectives/votes.ts';
import { lowerWarp, warpWriter } from '../collectives/warp.ts';
import { laneNumber, threadNumber } from '../program/lane-numbers.ts';
import { statusCodes, statusStmt } from '../program/status.ts';
import type { Emitter, LaneVariable } from '../values/emitter.ts';
import { ConvergedLoops } from './converged-loops.ts';
import { BlockBarriers } from './dispatch-barriers.ts';
import { groupOf, maskVariable, resultVariable, type WaitGroup } from './wait-groups.ts';
import { WaitNumbers } from './wait-numbers.ts';

/** A node of lane code in a dispatch. */
type LaneTree = TreeOf<'goto' | 'wait' | 'resume' | 'pass'>;

interface CodeWriters {
  /** Emits the code of a lane. */
  lane(list: readonly Tree[]): void;
  /**
   * Writes a converged loop for the active lanes. `eachIteration` writes the start of an iteration.
   */
  converged(list: readonly Tree[], active: (slot: Expr) => Expr, eachIteration: () => void): void;
}

export class DispatchWriter {
  private readonly emitter: Emitter;
  private readonly dispatch: Dispatch;
  private readonly code: CodeWriters;
  private readonly numbers: WaitNumbers;
  private readonly groups: readonly WaitGroup[];
  private readonly pc: LaneVariable;
  private readonly wait: LaneVariable;
  private readonly loops: ConvergedLoops | undefined;
  private readonly barriers: BlockBarriers | undefined;

  constructor(emitter: Emitter, dispatch: Dispatch, code: CodeWriters) {
    this.emitter = emitter;
    this.dispatch = dispatch;
    this.code = code;
    this.numbers = new WaitNumbers(dispatch.waits);
    this.groups = dispatch.waits.flatMap((place) => (place.kind === 'class' ? [groupOf(emitter, place.class)] : []));
    this.pc = emitter.laneVariable('pc', 'u32');
    this.wait = emitter.laneVariable('wait', 'u32');
    const isRunning = (slot: Expr) => w.eq(this.wait(slot), this.numbers.running);
    if (dispatch.loops.length > 0)
      this.loops = new ConvergedLoops(emitter, this.numbers, this.wait, ({ body }, eachIteration) =>
        code.converged(body, isRunning, eachIteration),
      );
    const barriers = barriersIn(dispatch);
    this.barriers = barriers.length > 0 ? new BlockBarriers(emitter, this.numbers, this.wait, barriers) : undefined;
  }

  write(): void {
    this.start();
    const { barriers } = this;
    if (barriers === undefined) return this.warpLoop();
    this.emitter.loop(() => {
      this.warpLoop();
      barriers.writePhase();
    });
  }

  private start(): void {
    const { emitter, numbers } = this;
    const { block, mapping, plan } = emitter.uses.options;
    const threads = block[0] * block[1] * block[2];
    if (mapping === 'threads' || (threads % 32 === 0 && plan.kind !== 'wide')) return;
    emitter.eachSlot(() => {
      const exists = w.lt(threadNumber(emitter.uses, emitter.slot), w.u32(threads));
      this.emitter.assign(this.wait(), w.select(exists, numbers.running, numbers.ended));
    });
  }

  // Lane phase.

  private lanePhase(): void {
    const { emitter, numbers } = this;
    const { writer } = emitter;
    emitter.eachSlot(() => {
      emitter.comment('Each lane runs until it waits or ends.');
      this.emitter.loop(() => {
        emitter.leaveIf(w.ne(this.wait(), numbers.running));
        const cases = this.dispatch.cases.map(
          ({ number, body }): Case => ({
            values: [number],
            isDefault: false,
            body: writer.nest(() => this.code.lane(body)),
          }),
        );
        cases.push({ values: [], isDefault: true, body: [] });
        writer.push({ kind: 'switch', selector: this.pc(), cases });
      });
    });
  }

  lane(tree: LaneTree): void {
    switch (tree.kind) {
      case 'goto':
        return this.emitter.assign(this.pc(), w.u32(tree.to));
      case 'wait':
        return this.arrive(tree);
      case 'resume':
        return this.readResults(tree.inst);
      case 'pass':
        return this.keepOtherwise(tree.inst);
    }
  }

  end(): void {
    this.emitter.assign(this.wait(), this.numbers.ended);
  }

  /** Emits the arrival of a lane at a barrier without waiting. */
  pass(inst: InstNamed<'barrier'>): void {
    this.blockBarriers.arrive(inst);
  }

  private get blockBarriers(): BlockBarriers {
    if (this.barriers === undefined) throw new InternalError('a lane comes to a barrier in a dispatch without any');
    return this.barriers;
  }

  /**
   * Emits the code of a lane that starts to wait. The lane stores its operands for the group's
   * instruction, the place where it waits, and the case at which it continues.
   */
  private arrive({ at, inst, next }: TreeOf<'wait'>): void {
    const { emitter } = this;
    if (inst?.op === 'barrier') {
      this.blockBarriers.arrive(inst);
    } else {
      if (inst !== undefined) {
        for (const [index, operand] of this.groupAt(at).staged)
          emitter.assign(operand(), emitter.read(argument(inst.args, index, 'an operand of a wait class')));
      }
      const wait = () => this.emitter.assign(this.wait(), this.numbers.of(at));
      if (at.kind === 'loop') this.convergedLoops.arrive(wait);
      else wait();
    }
    this.emitter.assign(this.pc(), w.u32(next));
  }

  private get convergedLoops(): ConvergedLoops {
    if (this.loops === undefined) throw new InternalError('a dispatch has no converged loops');
    return this.loops;
  }

  /**
   * Writes a test of whether the active lanes of a converged loop are all lanes that an instruction
   * names.
   */
  ask(inst: InstNamed<'warp'>, active: (slot: Expr) => Expr, isWhole: boolean): ReturnType<ConvergedLoops['ask']> {
    return this.convergedLoops.ask(inst, active, isWhole);
  }

  private groupAt(place: WaitPlace): WaitGroup {
    const group = place.kind === 'class' ? this.groups[place.class.id - 1] : undefined;
    if (group === undefined) throw new InternalError(`a warp instruction waits at a ${place.kind}`);
    return group;
  }

  private readResults(inst: Inst): void {
    const types = inst.results.map(({ type }) => type);
    inst.results.forEach((result, index) => {
      if (!this.emitter.isRead(result)) return;
      this.emitter.values.assign(result, resultVariable(this.emitter, types, index)(), this.emitter.slot);
    });
  }

  /**
   * Assigns the previous values to the results of an instruction in a lane whose guard is false.
   */
  private keepOtherwise(inst: Inst): void {
    inst.results.forEach((result, index) => {
      const value = inst.otherwise[index];
      if (value && this.emitter.isRead(result))
        this.emitter.values.assign(result, this.emitter.read(value), this.emitter.slot);
    });
  }

  // Warp phase.

  private warpLoop(): void {
    if (this.numbers.lastInWarp === 0) return this.lanePhase();
    this.emitter.loop(() => {
      this.lanePhase();
      this.warpPhase();
    });
  }

  private waitsIn(slot: Expr, last: number): Expr {
    return w.both(w.ne(this.wait(slot), this.numbers.running), w.le(this.wait(slot), w.u32(last)));
  }

  private anyLane(mask: Expr): Expr {
    return inAnyWarp(this.emitter, w.ne(mask, w.u32(0)));
  }

  private warpPhase(): void {
    const { emitter } = this;
    const { writer } = emitter;
    const warp = warpWriter(emitter, undefined);
    const mask = maskVariable(emitter);
    const waiting = warp.ballot('waiting', (slot) => this.waitsIn(slot, this.numbers.lastInWarp));
    emitter.leaveIf(w.not(this.anyLane(waiting)));
    const alive = warp.ballot('alive', (slot) => w.ne(this.wait(slot), this.numbers.ended));
    emitter.comment('A group is complete when every lane of its mask that has not ended waits in it.');
    const syncs = this.groups.filter((group) => group.class.sync).length;
    const grouped =
      syncs === this.numbers.lastInWarp ? waiting : warp.ballot('grouped', (slot) => this.waitsIn(slot, syncs));
    const pending = emitter.variable('pending', 'u32', grouped);
    const executed = emitter.variable('executed', 'u32', w.u32(0));
    this.emitter.loop(() => {
      emitter.leaveIf(w.not(this.anyLane(pending)));
      const leader = warp.define('leader', lowestBit(pending));
      const from = { type: 'u32' as const, at: () => leader };
      const kind = warp.shuffle('kind', { type: 'u32', at: (slot) => this.wait(slot) }, from);
      const members = warp.shuffle('mask', { type: 'u32', at: (slot) => mask(slot) }, from);
      const same = warp.each('bool', 'same', (slot) =>
        w.both(
          w.both(w.ne(pending, w.u32(0)), w.eq(this.wait(slot), kind.at(slot))),
          w.eq(mask(slot), members.at(slot)),
        ),
      );
      const group = warp.ballot('group', same.at);
      const handled = w.complement(w.or(group, w.shl(w.u32(1), leader)));
      writer.push(w.update(pending, '&', handled));
      const missing = w.and(w.and(members.at(w.u32(0)), alive), w.complement(group));
      const complete = warp.define('complete', w.both(w.ne(group, w.u32(0)), w.eq(missing, w.u32(0))));
      for (const member of this.groups.filter((group) => group.class.sync)) {
        const isKind = (slot: Expr) => w.eq(kind.at(slot), w.u32(member.class.id));
        emitter.if(inAnyWarp(emitter, w.both(complete, isKind(w.u32(0)))), () =>
          this.execute(member, (slot) => w.both(w.both(complete, same.at(slot)), isKind(slot)), members.at(w.u32(0))),
        );
      }
      writer.push(w.update(executed, '|', w.select(complete, group, w.u32(0))));
      emitter.eachSlot(() =>
        emitter.if(w.both(complete, same.at(emitter.slot)), () =>
          this.emitter.assign(this.wait(), this.numbers.running),
        ),
      );
    });
    emitter.if(w.not(this.anyLane(executed)), () => {
      this.releaseOthers(alive, waiting, executed);
    });
  }

  /**
   * Releases lanes when no other lane can continue: at instructions without `.sync`, before
   * converged loops, and on back edges. Earlier places in the kernel come first, because their
   * lanes may reach the places where others wait.
   */
  private releaseOthers(alive: Expr, waiting: Expr, executed: Expr): void {
    const { emitter, dispatch } = this;
    const { writer } = emitter;
    const isOrdered = dispatch.releases.some(({ kind }) => kind !== 'loop');
    const isFirst = isOrdered ? w.eq(executed, w.u32(0)) : undefined;
    for (const place of dispatch.releases) {
      if (place.kind === 'loop') this.convergedLoops.release(this.loopAt(place.head), alive, executed, isFirst);
      else this.releaseAt(place, executed);
    }
    const endDeadlock = () => {
      if (this.barriers) {
        emitter.comment('The missing lanes may come once a barrier lets them.');
        writer.push(w.leave);
        return;
      }
      emitter.writer.push(statusStmt(emitter.uses, statusCodes.deadlock));
      emitter.eachSlot(() => {
        const own = w.and(w.shr(waiting, laneNumber(emitter.uses, emitter.slot)), w.u32(1));
        emitter.if(w.ne(own, w.u32(0)), () => this.emitter.assign(this.wait(), this.numbers.ended));
      });
    };
    if (dispatch.releases.length === 0) endDeadlock();
    else emitter.if(w.not(this.anyLane(executed)), endDeadlock);
  }

  private loopAt(head: number): DispatchLoop {
    return this.dispatch.loops.find(({ header }) => header === head) ?? missing('the converged loop at a case', head);
  }

  /** Executes the instruction at one place for the lanes that wait there, and releases them. */
  private releaseAt(place: WaitPlace, executed: Expr): void {
    const { emitter, numbers } = this;
    const warp = warpWriter(emitter, undefined);
    const isLive = (slot: Expr) => w.both(w.eq(this.wait(slot), numbers.of(place)), w.eq(executed, w.u32(0)));
    const here = warp.each('bool', 'here', isLive);
    const lanes = warp.ballot('lanes', here.at);
    emitter.if(this.anyLane(lanes), () => {
      if (place.kind === 'class') this.execute(this.groupAt(place), here.at, w.u32(0));
      emitter.writer.push(w.update(executed, '|', lanes));
      emitter.eachSlot(() =>
        emitter.if(here.at(emitter.slot), () => this.emitter.assign(this.wait(), numbers.running)),
      );
    });
  }

  private execute(member: WaitGroup, active: (slot: Expr) => Expr, mask: Expr): void {
    const { emitter } = this;
    emitter.from(member.class.first.span);
    const inGroup = warpWriter(emitter, undefined).each('bool', 'in_group', active);
    const results = lowerWarp(
      emitter,
      member.class.first,
      member.sources(mask),
      (index) => member.wanted.has(index),
      inGroup.at,
    );
    const types = warpResultTypes(member.class.first.attrs);
    emitter.writer.origin = undefined;
    emitter.eachSlot(() => {
      emitter.if(inGroup.at(emitter.slot), () => {
        results.forEach((value, index) => {
          const type = types[index];
          if (value && type && member.wanted.has(index)) {
            this.emitter.assign(resultVariable(emitter, types, index)(), value(emitter.slot));
          }
        });
      });
    });
  }
}

function barriersIn({ cases, loops }: Dispatch): readonly InstNamed<'barrier'>[] {
  const found = new Set<InstNamed<'barrier'>>();
  for (const { body } of [...cases, ...loops])
    everyTree(body, (tree) => {
      const inst = tree.kind === 'wait' || tree.kind === 'collective' ? tree.inst : undefined;
      if (inst?.op === 'barrier') found.add(inst);
    });
  return [...found];
}
