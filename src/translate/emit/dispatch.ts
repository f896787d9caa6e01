// Kernels whose lanes meet at one `.sync` from different places, and irreducible graphs. Each lane has a program counter and runs until it ends or waits; then
// the warp looks which groups are complete, by qualifiers and member mask, and executes their instruction; then lanes run on. Where lanes wait at block
// barriers, the workgroup looks likewise.
import * as w from '../../wgsl/tree/build.ts';
import { type Case, type Expr, Name } from '../../wgsl/tree/nodes.ts';
import { lowestBit } from '../../wgsl/warp/index.ts';
import type { FlowGraph } from '../graph/index.ts';
import type { Block, Edge, InstNamed } from '../ir/nodes.ts';
import { warpResultTypes } from '../ir/operations.ts';
import { inAnyWarp } from './agreements.ts';
import type { DispatchedLanes } from './converged-loop.ts';
import { BlockBarriers } from './dispatch-barriers.ts';
import { classify, type SyncClass } from './dispatch-classes.ts';
import { type DispatchBlock, type DispatchGraph, entriesOf, splitAtSyncs } from './dispatch-graph.ts';
import { DispatchTurns } from './dispatch-turns.ts';
import { maskVariable, resultVariable } from './dispatch-variables.ts';
import type { Emitter } from './emitter.ts';
import { type ConvergedLoop, targetsIn } from './find-converged-loops.ts';
import { GatheredLoops } from './gathered-loops.ts';
import { laneNumber, threadNumber } from './specials.ts';
import { statusCodes, writeStatus, writeTrap } from './status.ts';
import { lowerWarp, warpWriter } from './warp.ts';

/// `wait` of a lane that runs, and of one that has ended; between them, the class it waits in.
const running = w.u32(0);
const ended = w.u32(0xffffffff);

type LaneVariable = (slot?: Expr) => Expr;

export class Dispatch {
  private readonly emitter: Emitter;
  private readonly graph: DispatchGraph;
  private readonly loops: readonly ConvergedLoop[];
  private readonly classes: readonly SyncClass[];
  private readonly classOf: ReadonlyMap<InstNamed<'warp'>, SyncClass>;
  private readonly entries: ReadonlySet<number>;
  private readonly pc: LaneVariable;
  private readonly wait: LaneVariable;
  private readonly gathered: GatheredLoops | undefined;
  private readonly barriers: BlockBarriers | undefined;
  /// Undefined where no instruction lacks `.sync`.
  private readonly turns: DispatchTurns | undefined;

  constructor(emitter: Emitter, graph: FlowGraph, loops: readonly ConvergedLoop[]) {
    this.emitter = emitter;
    this.loops = loops;
    this.graph = splitAtSyncs(
      graph,
      loops.map(({ header }) => header),
    );
    const syncs = this.graph.blocks.flatMap(({ end }) => (end.kind === 'sync' ? [end.inst] : []));
    this.classes = classify(
      emitter,
      syncs.flatMap((inst) => (inst.op === 'warp' ? [inst] : [])),
    );
    this.classOf = new Map(this.classes.flatMap((group) => group.members.map((member) => [member, group] as const)));
    const isUnsynchronized = ({ end }: DispatchBlock) =>
      end.kind === 'sync' && end.inst.op === 'warp' && this.classOf.get(end.inst)?.sync === false;
    this.turns = this.graph.blocks.some(isUnsynchronized) ? new DispatchTurns(this.graph, isUnsynchronized) : undefined;
    const targets = loops.flatMap(({ parts }) => targetsIn(parts)).map((block) => this.numberOf(block));
    this.entries = entriesOf(this.graph, [...targets, ...(this.turns?.heads ?? [])]);
    this.pc = emitter.laneVariable('pc', 'u32');
    this.wait = emitter.laneVariable('wait', 'u32');
    // Behind the numbers of the classes.
    const waiting = { wait: this.wait, running, first: this.classes.length + 1 };
    this.gathered = loops.length > 0 ? new GatheredLoops(emitter, loops, waiting, this.lanes()) : undefined;
    const barriers = syncs.flatMap((inst) => (inst.op === 'barrier' ? [inst] : []));
    this.barriers =
      barriers.length > 0 ? new BlockBarriers(emitter, this.lastStop + 1, this.wait, barriers) : undefined;
  }

  private numberOf(block: Block): number {
    return this.graph.numbers.get(block) ?? 0;
  }

  /// The last number of what lanes wait for within their warp.
  private get lastStop(): number {
    return this.classes.length + this.loops.length + (this.turns?.heads.length ?? 0);
  }

  /// What lanes wait for in front of a loop's head for their turn.
  private waitForTurn(head: number): Expr {
    return w.u32(this.classes.length + this.loops.length + 1 + (this.turns?.heads.indexOf(head) ?? 0));
  }

  write(): void {
    const { emitter } = this;
    this.start();
    if (this.barriers === undefined) {
      this.warpLoop();
      return;
    }
    const { barriers } = this;
    this.loop(() => {
      this.warpLoop();
      barriers.writePhase();
    });
    emitter.writer.origin = undefined;
  }

  private loop(body: () => void): void {
    const { writer } = this.emitter;
    const stmts = writer.nest(body);
    writer.push({ kind: 'loop', body: stmts, continuing: [] });
  }

  private set(target: Expr, value: Expr): void {
    this.emitter.writer.push({ kind: 'assign', target, value });
  }

  private start(): void {
    const { emitter } = this;
    const { block, mapping, plan } = emitter.uses.options;
    const threads = block[0] * block[1] * block[2];
    if (mapping === 'threads' || (threads % 32 === 0 && plan.kind !== 'wide')) return;
    emitter.eachSlot(() => {
      const exists = w.lt(threadNumber(emitter.uses, emitter.slot), w.u32(threads));
      this.set(this.wait(), w.select(exists, running, ended));
    });
  }

  // Lanes run.

  private lanePhase(): void {
    const { emitter } = this;
    const { writer } = emitter;
    emitter.eachSlot(() => {
      writer.push({ kind: 'comment', text: 'Each lane runs until it waits or ends.' });
      this.loop(() => {
        writer.push({ kind: 'if', condition: w.ne(this.wait(), running), then: [w.leave], else: [] });
        const cases: Case[] = [...this.entries]
          .sort((a, b) => a - b)
          .map((entry) => ({ values: [entry], isDefault: false, body: writer.nest(() => this.block(entry)) }));
        cases.push({ values: [], isDefault: true, body: [] });
        writer.origin = undefined;
        writer.push({ kind: 'switch', selector: this.pc(), cases });
      });
    });
  }

  private block(number: number): void {
    const block = this.graph.blocks[number];
    if (block === undefined) return;
    const { gathers } = block;
    if (gathers === undefined || this.gathered === undefined) this.code(block, number);
    else this.gathered.arrive(gathers, () => this.code(block, number));
  }

  private code({ insts, end, resumes }: DispatchBlock, number: number): void {
    const { emitter } = this;
    if (resumes) this.takeResults(resumes);
    emitter.insts(insts);
    switch (end.kind) {
      case 'sync':
        return this.arrive(end.inst, end.next);
      case 'next':
        return this.goTo(end.next);
      case 'jump':
        return this.follow(number, end.to);
      case 'branch':
        emitter.from(end.span);
        return emitter.if(
          emitter.read(end.condition),
          () => this.follow(number, end.then),
          () => this.follow(number, end.else),
        );
      case 'guard':
        return emitter.if(
          emitter.read(end.condition),
          () => this.goTo(end.then),
          () => {
            this.takeOtherwise(end.inst);
            this.goTo(end.else);
          },
        );
      case 'switch': {
        emitter.from(end.span);
        const { writer } = emitter;
        const selector = emitter.read(end.selector);
        const cases = end.edges.map(
          (edge, value): Case => ({
            values: [value],
            isDefault: value === end.edges.length - 1,
            body: writer.nest(() => this.follow(number, edge)),
          }),
        );
        writer.push({ kind: 'switch', selector, cases });
        return;
      }
      case 'trap':
        writeTrap(emitter);
        return this.set(this.wait(), ended);
      default:
        return this.set(this.wait(), ended);
    }
  }

  private follow(from: number, { to, args }: Edge): void {
    this.emitter.move(to.params, args);
    const next = this.numberOf(to);
    if (this.turns?.isTurn(from, next)) this.set(this.wait(), this.waitForTurn(next));
    this.goTo(next);
  }

  private goTo(number: number): void {
    if (this.entries.has(number)) this.set(this.pc(), w.u32(number));
    else this.block(number);
  }

  /// The lane leaves its operands where the group's instruction finds them.
  private arrive(inst: InstNamed<'warp'> | InstNamed<'barrier'>, next: number): void {
    const { emitter } = this;
    emitter.from(inst.span);
    if (inst.op === 'barrier') {
      if (this.barriers?.arrive(inst) !== true) return this.goTo(next);
    } else {
      const group = this.classOf.get(inst);
      if (group === undefined) throw new Error('a sync of no class');
      for (const { index, at } of group.staged) {
        const arg = inst.args[index];
        if (arg) this.set(at(), emitter.read(arg));
      }
      this.set(this.wait(), w.u32(group.id));
    }
    this.set(this.pc(), w.u32(next));
  }

  private takeResults(inst: InstNamed<'warp'> | InstNamed<'barrier'>): void {
    const types = inst.results.map(({ type }) => type);
    inst.results.forEach((result, index) => {
      if (!this.emitter.isRead(result)) return;
      this.emitter.values.assign(result, resultVariable(this.emitter, types, index)(), this.emitter.slot);
    });
  }

  /// A lane whose guard was false goes on with the values that it had.
  private takeOtherwise(inst: InstNamed<'warp'> | InstNamed<'barrier'>): void {
    inst.results.forEach((result, index) => {
      const value = inst.otherwise[index];
      if (value && this.emitter.isRead(result))
        this.emitter.values.assign(result, this.emitter.read(value), this.emitter.slot);
    });
  }

  // Groups execute.

  private warpLoop(): void {
    if (this.lastStop === 0) return this.lanePhase();
    this.loop(() => {
      this.lanePhase();
      this.warpPhase();
    });
  }

  private waitsIn(slot: Expr, last: number): Expr {
    return w.both(w.ne(this.wait(slot), running), w.le(this.wait(slot), w.u32(last)));
  }

  private someone(mask: Expr): Expr {
    return inAnyWarp(this.emitter, w.ne(mask, w.u32(0)));
  }

  private warpPhase(): void {
    const { emitter } = this;
    const { writer } = emitter;
    const warp = warpWriter(emitter, undefined);
    const mask = maskVariable(emitter);
    const waiting = warp.ballot('waiting', (slot) => this.waitsIn(slot, this.lastStop));
    writer.push({ kind: 'if', condition: w.not(this.someone(waiting)), then: [w.leave], else: [] });
    const alive = warp.ballot('alive', (slot) => w.ne(this.wait(slot), ended));
    writer.push({
      kind: 'comment',
      text: 'A group is complete when every lane of its mask that has not ended waits in it.',
    });
    const syncs = this.classes.filter(({ sync }) => sync).length;
    const grouped = syncs === this.lastStop ? waiting : warp.ballot('grouped', (slot) => this.waitsIn(slot, syncs));
    const pending = this.variable('pending', grouped);
    const executed = this.variable('executed', w.u32(0));
    this.loop(() => {
      writer.push({ kind: 'if', condition: w.not(this.someone(pending)), then: [w.leave], else: [] });
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
      writer.push({ kind: 'assign', target: pending, value: handled, op: '&' });
      const missing = w.and(w.and(members.at(w.u32(0)), alive), w.complement(group));
      const complete = warp.define('complete', w.both(w.ne(group, w.u32(0)), w.eq(missing, w.u32(0))));
      for (const member of this.classes.filter(({ sync }) => sync)) {
        const isKind = (slot: Expr) => w.eq(kind.at(slot), w.u32(member.id));
        emitter.if(inAnyWarp(emitter, w.both(complete, isKind(w.u32(0)))), () =>
          this.execute(member, (slot) => w.both(w.both(complete, same.at(slot)), isKind(slot)), members.at(w.u32(0))),
        );
      }
      writer.push({ kind: 'assign', target: executed, value: w.select(complete, group, w.u32(0)), op: '|' });
      emitter.eachSlot(() => emitter.if(w.both(complete, same.at(emitter.slot)), () => this.set(this.wait(), running)));
    });
    emitter.if(w.not(this.someone(executed)), () => {
      this.releaseOthers(alive, waiting, executed);
    });
  }

  private lanes(): DispatchedLanes {
    const placesOf = (inst: InstNamed<'warp'>) => this.graph.places.get(inst) ?? { next: 0, rest: 0 };
    return {
      isThere: (slot) => w.eq(this.wait(slot), running),
      goOn: (block) => this.set(this.pc(), w.u32(this.numberOf(block))),
      wait: (inst) => this.arrive(inst, placesOf(inst).next),
      pass: (inst) => {
        this.takeOtherwise(inst);
        this.set(this.pc(), w.u32(placesOf(inst).rest));
      },
    };
  }

  private variable(hint: string, value: Expr): Expr {
    const name = new Name(hint);
    this.emitter.writer.push({ kind: 'var', name, type: 'u32', value });
    return w.ref(name, 'u32');
  }

  /// Instructions without `.sync` execute with the lanes that wait at them, and lanes go on into a loop together or have their turn, once
  /// nothing else can happen: what comes first in the kernel, for its lanes may come to where others wait.
  private releaseOthers(alive: Expr, waiting: Expr, executed: Expr): void {
    const { emitter, turns } = this;
    const { writer } = emitter;
    const isFirst = turns && w.eq(executed, w.u32(0));
    const releases = this.loops.map(({ header }, index) => ({
      rank: turns?.rankOf(this.numberOf(header)) ?? index,
      release: () => this.gathered?.enter(index, alive, executed, isFirst),
    }));
    if (turns) releases.push(...this.turnReleases(turns, executed));
    for (const { release } of releases.sort((a, b) => a.rank - b.rank)) release();
    const giveUp = () => {
      if (this.barriers) {
        writer.push({ kind: 'comment', text: 'The missing lanes may come once a barrier lets them.' });
        writer.push({ kind: 'break' });
        return;
      }
      writeStatus(emitter, statusCodes.deadlock);
      emitter.eachSlot(() => {
        const own = w.and(w.shr(waiting, laneNumber(emitter.uses, emitter.slot)), w.u32(1));
        emitter.if(w.ne(own, w.u32(0)), () => this.set(this.wait(), ended));
      });
    };
    if (releases.length === 0) giveUp();
    else emitter.if(w.not(this.someone(executed)), giveUp);
  }

  /// The lanes that wait at one place go on, after `run`.
  private releaseAt(number: Expr, executed: Expr, run: (here: (slot: Expr) => Expr) => void): void {
    const { emitter } = this;
    const warp = warpWriter(emitter, undefined);
    const here = warp.each('bool', 'here', (slot) => w.both(w.eq(this.wait(slot), number), w.eq(executed, w.u32(0))));
    const lanes = warp.ballot('lanes', here.at);
    emitter.if(this.someone(lanes), () => {
      run(here.at);
      emitter.writer.push({ kind: 'assign', target: executed, value: lanes, op: '|' });
      emitter.eachSlot(() => emitter.if(here.at(emitter.slot), () => this.set(this.wait(), running)));
    });
  }

  private turnReleases(turns: DispatchTurns, executed: Expr) {
    const instructions = this.graph.blocks.flatMap(({ end }, number) => {
      const member = end.kind === 'sync' && end.inst.op === 'warp' ? this.classOf.get(end.inst) : undefined;
      if (member === undefined || member.sync) return [];
      const release = () => this.releaseAt(w.u32(member.id), executed, (here) => this.execute(member, here, w.u32(0)));
      return [{ rank: turns.rankOf(number), release }];
    });
    const heads = turns.heads.map((head) => ({
      rank: turns.turnOf(head),
      release: () => this.releaseAt(this.waitForTurn(head), executed, () => {}),
    }));
    return [...instructions, ...heads];
  }

  private execute(member: SyncClass, active: (slot: Expr) => Expr, mask: Expr): void {
    const { emitter } = this;
    emitter.from(member.first.span);
    const inGroup = warpWriter(emitter, undefined).each('bool', 'in_group', active);
    const results = lowerWarp(
      emitter,
      member.first,
      member.sources(mask),
      (index) => member.wanted.has(index),
      inGroup.at,
    );
    const types = warpResultTypes(member.first.attrs);
    emitter.writer.origin = undefined;
    emitter.eachSlot(() => {
      emitter.if(inGroup.at(emitter.slot), () => {
        results.forEach((value, index) => {
          const type = types[index];
          if (value && type && member.wanted.has(index)) {
            this.set(resultVariable(emitter, types, index)(), value(emitter.slot));
          }
        });
      });
    });
  }
}
