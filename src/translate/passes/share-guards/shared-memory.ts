// Values from shared memory are looked at where they are stored: once, and not at each of many readings. A word of the workgroup's memory says whether any of
// them was no multiple of what is asked of its array, at least 2^-63, and keeps saying so.
//
// A thread that stores such a value sets the word behind that, before the next barrier and before it looks at the word itself. Who loads the value later than
// that barrier, or is that thread, and looks at the word behind the load, sees it set. So does who looks before, if there is no barrier and no store of its own
// in between: then whatever it may load is older than its last barrier, or its own. Only arrays without atomic elements qualify, which nothing else orders.

import { InternalError } from '../../../base/invariants.ts';
import { allOf, countOf, getOrInsert } from '../../../base/maps.ts';
import { quantumOfBits } from '../../analysis/quanta.ts';
import { dominatorsOf, flowGraph, type Loop, type Loops, loopsIn, loopsOf } from '../../graph/index.ts';
import type { Builder } from '../../ir/builder.ts';
import { type Block, constantOf, type Func, type Inst, type Program, type Value } from '../../ir/nodes.ts';
import type { ArrayPlan, MemoryPlan } from '../../memory-plan.ts';
import type { Group } from './groups.ts';
import { leastSize, sizeOf } from './guard.ts';

/** What stored values are looked at for at least: enough for products of two. And at most: larger ones would be missed too often. */
const storedQuantum = -63;
const highestStored = -46;

/** A loop's body counts for so many of what stands in front of it. */
const trips = 8;

/** Workgroup memory that must stay free: others want some, too. */
const spareBytes = 4096;

const arrayOf = (inst: Inst): number | undefined =>
  (inst.op === 'load' || inst.op === 'store') && inst.attrs.place.root.kind === 'array'
    ? inst.attrs.place.root.array
    : undefined;

/** The array that an f32 was loaded from. */
function loadedFrom(value: Value): number | undefined {
  if (value.kind !== 'result') return undefined;
  const { inst } = value;
  const [word] = inst.args;
  if (inst.op === 'load') return arrayOf(inst);
  return inst.op === 'bitcast' && word?.kind === 'result' && word.inst.op === 'load' ? arrayOf(word.inst) : undefined;
}

const ordersOthers = ({ operation: { effect } }: Inst): boolean =>
  effect === 'block' || effect === 'warp' || effect === 'orders' || effect === 'calls';

export class SharedMemory {
  /** With the word in it, if there is one. */
  plan: MemoryPlan;
  private readonly eligible: ReadonlySet<number>;
  /** By array: readings that need no look less stores that need one. */
  private readonly gain = new Map<number, number>();
  /** By array: the quantum that is asked of what is stored. */
  private readonly quanta = new Map<number, number>();
  private watched: ReadonlySet<number> = new Set();
  private word = -1;

  constructor(program: Program, plan: MemoryPlan, workgroupBytes: number) {
    this.plan = plan;
    const hasRoom = plan.sharedBytes + spareBytes <= workgroupBytes;
    this.eligible = hasRoom ? eligibleArrays(program, plan) : new Set();
  }

  consider(func: Func, groups: readonly Group[]): void {
    if (this.eligible.size === 0) return;
    const loops = loopsIn(func);
    const add = (array: number | undefined, count: number, block: Block) => {
      if (array === undefined || !this.eligible.has(array)) return;
      this.gain.set(array, countOf(this.gain, array) + count * trips ** loops.depthOf(block));
    };
    for (const { block, needs } of groups)
      for (const [value, quantum] of needs) {
        const array = loadedFrom(value);
        if (array === undefined || quantum > highestStored) continue;
        add(array, 1, block);
        this.quanta.set(array, Math.max(quantum, this.quanta.get(array) ?? storedQuantum));
      }
    for (const block of func.blocks)
      for (const inst of block.insts) if (inst.op === 'store') add(arrayOf(inst), -inst.attrs.count, block);
  }

  /** Whether there are arrays of which it pays, and which: once all functions have been considered. */
  decide(): void {
    this.watched = new Set([...this.gain].flatMap(([array, gain]) => (gain > 0 ? [array] : [])));
    if (this.watched.size === 0) return;
    const { plan } = this;
    this.word = plan.arrays.length;
    const word: ArrayPlan = {
      hint: 'stored_tiny',
      space: 'shared',
      start: plan.sharedBytes,
      words: 1,
      atomic: true,
      cells: false,
      granule: 1,
    };
    this.plan = { ...plan, arrays: [...plan.arrays, word] };
  }

  /** Looks at what a function stores that has no groups. */
  watchStores(func: Func, builder: Builder): void {
    if (this.watched.size === 0) return;
    const flags = this.flagsIn(func, builder, () => false);
    for (const block of func.blocks) block.insts = flags.watch(block.insts);
  }

  flagsIn(func: Func, builder: Builder, isOp: (inst: Inst) => boolean): StoredFlags {
    const quanta = new Map([...this.watched].map((array) => [array, this.quanta.get(array) ?? storedQuantum]));
    return new StoredFlags(func, builder, quanta, this.word, isOp);
  }
}

/** Arrays of shared memory that only plain loads and stores reach. */
function eligibleArrays(program: Program, plan: MemoryPlan): ReadonlySet<number> {
  const eligible = new Set(
    plan.arrays.flatMap(({ space, atomic, cells }, index) => (space === 'shared' && !atomic && !cells ? [index] : [])),
  );
  for (const { blocks } of [...program.functions, program.kernel]) {
    for (const { insts } of blocks) {
      for (const inst of insts) {
        // Other threads run, or other blocks come to this one's memory, in ways that a barrier alone does not order.
        if (inst.op === 'barrier' && (inst.attrs.kind === 'yield' || inst.attrs.kind.startsWith('cluster')))
          return new Set();
        if (!('place' in inst.attrs)) continue;
        const { root } = inst.attrs.place;
        if (root.kind === 'generic' || root.kind === 'address') return new Set();
        if (root.kind !== 'array') continue;
        const isPlain = (inst.op === 'load' || inst.op === 'store') && inst.attrs.order === 'weak';
        if (!isPlain || inst.attrs.type !== 'i32') eligible.delete(root.array);
      }
    }
  }
  return eligible;
}

/** What a function does about the word. */
export class StoredFlags {
  private readonly builder: Builder;
  /** By array that is looked at, the quantum that is asked for. */
  private readonly watched: ReadonlyMap<number, number>;
  private readonly word: number;
  private readonly isOp: (inst: Inst) => boolean;
  private readonly byGroup = new Map<Group, Value>();
  /** Looks at the word in front of loops, by the block that leads there. */
  private readonly early = new Map<Block, { readonly insts: readonly Inst[]; readonly value: Value }>();
  private readonly loops: Loops | undefined;
  /** Loops in which nothing changes about the word. */
  private readonly quiet: ReadonlySet<Loop> = new Set();
  private readonly predecessorsOf: ((block: Block) => readonly Block[]) | undefined;

  constructor(
    func: Func,
    builder: Builder,
    watched: ReadonlyMap<number, number>,
    word: number,
    isOp: (inst: Inst) => boolean,
  ) {
    this.builder = builder;
    this.watched = watched;
    this.word = word;
    this.isOp = isOp;
    if (watched.size === 0) return;
    const graph = flowGraph(func);
    this.loops = loopsOf(graph, dominatorsOf(graph));
    this.predecessorsOf = (block) => graph.predecessorsOf(block);
    // Now, as long as the loops' blocks are whole.
    this.quiet = new Set(this.loops.all.filter((loop) => this.isQuiet(loop)));
  }

  /** An i1 that is true if the value has the quantum, being from an array whose stores are looked at; undefined where that does not tell. */
  of(group: Group, value: Value, quantum: number): Value | undefined {
    const array = loadedFrom(value);
    if (array === undefined || quantum > (this.watched.get(array) ?? Number.NEGATIVE_INFINITY)) return undefined;
    return getOrInsert(this.byGroup, group, () => this.inFront(group.block) ?? this.look());
  }

  /** A block's instructions with looks at what it stores. */
  watch(insts: readonly Inst[]): Inst[] {
    if (this.watched.size === 0) return [...insts];
    const { builder } = this;
    const out: Inst[] = [];
    let stores: Inst[] = [];
    const checkStored = () => {
      if (stores.length === 0) return;
      builder.into(out);
      for (const [array, quantum] of this.watched) {
        const into = stores.filter((inst) => arrayOf(inst) === array);
        for (const { when, stored } of wordsByCondition(into)) this.addChecks(stored, quantum, when);
      }
      stores = [];
    };
    for (const inst of insts) {
      const array = arrayOf(inst);
      const isWatched = array !== undefined && this.watched.has(array);
      if (ordersOthers(inst) || this.isOp(inst) || (isWatched && inst.op === 'load')) checkStored();
      out.push(inst);
      if (isWatched && inst.op === 'store') stores.push(inst);
    }
    checkStored();
    return out;
  }

  /** Puts the looks in front of loops where they belong, once blocks are split. */
  connect(tailOf: (block: Block) => Block): void {
    for (const [block, { insts }] of this.early) tailOf(block).insts.push(...insts);
  }

  private addChecks(words: readonly Value[], quantum: number, when: Value | undefined): void {
    const { builder } = this;
    let least: Value | undefined;
    let isTiny: Value = builder.bool(false);
    for (const word of new Set(words)) {
      const bits = constantOf(word);
      if (bits !== undefined) {
        if (quantumOfBits(bits) < quantum) isTiny = builder.bool(true);
        continue;
      }
      const size = sizeOf(builder, word);
      least = least === undefined ? size : builder.umin(least, size);
    }
    if (least !== undefined)
      isTiny = builder.not(
        builder.and(builder.not(isTiny), builder.icmp('uge', least, builder.i32(leastSize(quantum)))),
      );
    if (constantOf(isTiny) === 0n) return;
    const condition = when === undefined ? isTiny : builder.and(when, isTiny);
    builder.emit('store', this.access(), [builder.i32(1)], { when: condition, otherwise: [] });
  }

  private access() {
    const place = { root: { kind: 'array', array: this.word }, unit: 4, offset: 0, indexed: false } as const;
    return { place, type: 'i32', order: 'relaxed', scope: 'cta', count: 1 } as const;
  }

  private look(): Value {
    const { builder } = this;
    const [word] = builder.emit('load', this.access(), []);
    if (word === undefined) throw new InternalError('a load has a result');
    return builder.icmp('eq', word, builder.i32(0));
  }

  /** A look in front of the outermost loop around a block in which nothing changes about it. */
  private inFront(block: Block): Value | undefined {
    const { loops, builder, predecessorsOf } = this;
    let outermost: Loop | undefined;
    for (let loop = loops?.loopOf(block); loop !== undefined && this.quiet.has(loop); loop = loop.parent)
      outermost = loop;
    if (outermost === undefined || predecessorsOf === undefined) return undefined;
    const entering = predecessorsOf(outermost.header).filter((from) => !outermost.contains(from));
    const [from] = entering;
    if (from === undefined || entering.length !== 1) return undefined;
    const known = this.early.get(from);
    if (known) return known.value;
    const insts: Inst[] = [];
    const value = builder.within(insts, () => this.look());
    this.early.set(from, { insts, value });
    return value;
  }

  private isQuiet(loop: Loop): boolean {
    const isStill = (inst: Inst): boolean => {
      const array = arrayOf(inst);
      return !ordersOthers(inst) && !(inst.op === 'store' && array !== undefined && this.watched.has(array));
    };
    return loop.blocks().every(({ insts }) => insts.every(isStill));
  }
}

/** The words that stores write, those under one condition together. */
function wordsByCondition(
  stores: readonly Inst[],
): readonly { readonly when: Value | undefined; readonly stored: readonly Value[] }[] {
  const found = new Map<Value | undefined, Value[]>();
  for (const inst of stores) {
    if (inst.op !== 'store') continue;
    const words = inst.args.slice(inst.attrs.place.indexed ? 1 : 0);
    found.set(inst.when, [...allOf(found, inst.when), ...words]);
  }
  return [...found].map(([when, stored]) => ({ when, stored }));
}
