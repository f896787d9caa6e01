// Tests values in shared memory once, at the store, instead of at each load. A flag word in
// workgroup memory is set if any stored value is not a multiple of its array's quantum (at least
// 2^-63). The flag is never cleared.
//
// A thread that stores such a value sets the flag after the store, before the next barrier and
// before its own next test of the flag. So a thread that loads the value after that barrier finds
// the flag set, and so does the storing thread.
//
// An earlier test remains valid until the next barrier or store of the same thread. Any value that
// the thread may load until then was stored before the thread's last barrier, or by the thread
// itself.
//
// Only arrays without atomic elements qualify, because only barriers order their accesses.

import { InternalError } from '../../../base/invariants.ts';
import { allOf, countOf, getOrInsert } from '../../../base/maps.ts';
import { quantumOfBits } from '../../analysis/quanta.ts';
import { dominatorsOf, flowGraph, type Loop, type Loops, loopsIn, loopsOf } from '../../graph/index.ts';
import type { Builder } from '../../ir/builder.ts';
import { type Block, constantOf, type Func, type Inst, type Program, type Value } from '../../ir/nodes.ts';
import { ordersAccesses } from '../../ir/operations.ts';
import { type ArrayPlan, arraysInWorkgroup, type MemoryPlan } from '../../memory-plan.ts';
import { inPlace, type Part, type Parts } from '../fast-paths/parts.ts';
import type { Group } from './groups.ts';
import { leastSize, sizeOf } from './guard.ts';

/**
 * The least quantum for which stores are tested: it suffices for products of two values. Larger
 * quanta fail too often.
 */
const storedQuantum = -63;
const highestStored = -46;

/** The assumed number of iterations of a loop, relative to the code before the loop. */
const trips = 8;

/** The number of bytes of workgroup memory that must stay free for other uses. */
const spareBytes = 4096;

const arrayOf = (inst: Inst): number | undefined =>
  (inst.op === 'load' || inst.op === 'store') && inst.attrs.place.root.kind === 'array'
    ? inst.attrs.place.root.array
    : undefined;

/** Returns the array from which an f32 was loaded; undefined for other values. */
function loadedFrom(value: Value): number | undefined {
  if (value.kind !== 'result') return undefined;
  const { inst } = value;
  const [word] = inst.args;
  if (inst.op === 'load') return arrayOf(inst);
  return inst.op === 'bitcast' && word?.kind === 'result' && word.inst.op === 'load' ? arrayOf(word.inst) : undefined;
}

export class SharedMemory {
  /** The plan, including the flag word if there is one. */
  plan: MemoryPlan;
  private readonly eligible: ReadonlySet<number>;
  /**
   * For each array, the number of loads that need no test, minus the number of stores that need a
   * test.
   */
  private readonly gain = new Map<number, number>();
  /** For each array, the quantum that its stored values must have. */
  private readonly quanta = new Map<number, number>();
  private watched: ReadonlySet<number> = new Set();
  private word = -1;

  constructor(program: Program, plan: MemoryPlan, workgroupBytes: number) {
    this.plan = plan;
    const hasRoom = arraysInWorkgroup(plan) + spareBytes <= workgroupBytes;
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

  /** Chooses the arrays that reduce the cost, after all functions have been visited. */
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
      rereads: false,
      ordered: false,
      granule: 1,
      buffered: false,
    };
    this.plan = { ...plan, arrays: [...plan.arrays, word] };
  }

  flagsIn(func: Func, builder: Builder): StoredFlags {
    const quanta = new Map([...this.watched].map((array) => [array, this.quanta.get(array) ?? storedQuantum]));
    return new StoredFlags(func, builder, quanta, this.word);
  }

  /** Whether stores to any array must test the stored values. */
  get watches(): boolean {
    return this.watched.size > 0;
  }
}

/** Returns the arrays of shared memory that only plain loads and stores access. */
function eligibleArrays(program: Program, plan: MemoryPlan): ReadonlySet<number> {
  const eligible = new Set(
    plan.arrays.flatMap(({ space, atomic, cells }, index) => (space === 'shared' && !atomic && !cells ? [index] : [])),
  );
  for (const { blocks } of [...program.functions, program.kernel]) {
    for (const { insts } of blocks) {
      for (const inst of insts) {
        // At this instruction, other threads run, or other blocks access this block's memory. A
        // barrier alone does not order these accesses.
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

/** The tests and updates of the flag word in one function of the kernel. */
export class StoredFlags {
  private readonly builder: Builder;
  /** For each tested array, the required quantum. */
  private readonly watched: ReadonlyMap<number, number>;
  private readonly word: number;
  private readonly byGroup = new Map<Group, Value>();
  /**
   * Tests of the word that are inserted before loops, by the block whose end leads into the loop.
   */
  private readonly early = new Map<Block, { readonly insts: readonly Inst[]; readonly value: Value }>();
  private readonly loops: Loops | undefined;
  /** Loops in which the word cannot change. */
  private readonly quiet: ReadonlySet<Loop> = new Set();
  private readonly predecessorsOf: ((block: Block) => readonly Block[]) | undefined;

  constructor(func: Func, builder: Builder, watched: ReadonlyMap<number, number>, word: number) {
    this.builder = builder;
    this.watched = watched;
    this.word = word;
    if (watched.size === 0) return;
    const graph = flowGraph(func);
    this.loops = loopsOf(graph, dominatorsOf(graph));
    this.predecessorsOf = (block) => graph.predecessorsOf(block);
    // Find the loops now, because guards will split their blocks.
    this.quiet = new Set(this.loops.all.filter((loop) => this.isQuiet(loop)));
  }

  /**
   * Returns an i1 that is true if the value, which was loaded from a tested array, has the quantum.
   * Returns undefined if the array is not tested for this quantum.
   */
  of(group: Group, value: Value, quantum: number): Value | undefined {
    const array = loadedFrom(value);
    if (array === undefined || quantum > (this.watched.get(array) ?? Number.NEGATIVE_INFINITY)) return undefined;
    return getOrInsert(this.byGroup, group, () => this.inFront(group.block) ?? this.look());
  }

  /** Returns the parts of all blocks. Tests of the stored values precede every read of the flag. */
  watch(func: Func, parts: Parts<Group>): Parts<Group> {
    if (this.watched.size === 0) return parts;
    return new Map(func.blocks.map((block) => [block, this.withTests(parts.get(block) ?? inPlace(block.insts))]));
  }

  private withTests(parts: readonly Part<Group>[]): readonly Part<Group>[] {
    const { builder } = this;
    const out: Part<Group>[] = [];
    let stores: Inst[] = [];
    const checkStored = () => {
      const tests: Inst[] = [];
      builder.into(tests);
      builder.span = stores.at(-1)?.span;
      for (const [array, quantum] of this.watched) {
        const into = stores.filter((inst) => arrayOf(inst) === array);
        for (const { when, stored } of wordsByCondition(into)) this.addChecks(stored, quantum, when);
      }
      out.push(...inPlace(tests));
      stores = [];
    };
    for (const part of parts) {
      const inst = part.kind === 'inst' ? part.inst : undefined;
      const array = inst && arrayOf(inst);
      const isWatched = array !== undefined && this.watched.has(array);
      if (inst === undefined || ordersAccesses(inst.operation.effect) || (isWatched && inst.op === 'load'))
        checkStored();
      out.push(part);
      if (inst?.op === 'store' && isWatched) stores.push(inst);
    }
    checkStored();
    return out;
  }

  /** Inserts the tests before loops, after blocks are split. */
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

  /**
   * Returns a test of the word that is placed before a loop: the outermost loop around a block in
   * which the word cannot change. Returns undefined if there is no such loop.
   */
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
      return (
        !ordersAccesses(inst.operation.effect) &&
        !(inst.op === 'store' && array !== undefined && this.watched.has(array))
      );
    };
    return loop.blocks().every(({ insts }) => insts.every(isStill));
  }
}

/** Returns the words that stores write, grouped by the store's condition. */
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
