// Gives many f32 operations one guard, on adapters that flush subnormals. The guard tests the
// values that a group of operations receives. If no value in the group can then be subnormal
// (analysis/quanta.ts has the rules), hardware executes the whole group. Otherwise each operation
// has its own guard, as before:
//
//     before: ok = every value from outside is 0 or at least 2^k; branch ok, fast, slow
//     fast:   the group on hardware; jump after
//     slow:   the group; jump after
//     after(results): …
//
// Sums that a loop passes on are not tested in each iteration: a bit states that they are multiples
// of 2^-126 (witnesses.ts). Values from shared memory are tested at the store (shared-memory.ts).
// Later guards reuse the results of earlier ones, also for values that lanes shuffle (wanted.ts,
// facts.ts).

import type { FloatProfile } from '../../../base/float-profile.ts';
import { get } from '../../../base/invariants.ts';
import { knownQuantum, leastQuantum, resultQuanta } from '../../analysis/quanta.ts';
import { type Builder, replaceValues } from '../../ir/builder.ts';
import { IdMap } from '../../ir/id-map.ts';
import {
  type Block,
  constant,
  constantOf,
  type Definition,
  type Func,
  type Inst,
  type Program,
  type Result,
  type Value,
} from '../../ir/nodes.ts';
import type { NativeFloat } from '../../ir/operations.ts';
import type { MemoryPlan } from '../../memory-plan.ts';
import { HiddenConstants } from '../hide-constants.ts';
import { canonicalNans } from './canonical-nans.ts';
import { dominanceIn, Facts, shuffled } from './facts.ts';
import { type Group, groupsIn, type Part, partsOf } from './groups.ts';
import { Guard } from './guard.ts';
import { SharedMemory, type StoredFlags } from './shared-memory.ts';
import { Witnesses } from './witnesses.ts';

const extremes: Readonly<Partial<Record<Inst['op'], NativeFloat>>> = { fmin: 'min', fmax: 'max' };
const bitsOf = { one: 0x3f80_0000n, minusOne: 0xbf80_0000n, negativeZero: 0x8000_0000n } as const;

export interface GuardOptions {
  readonly float: FloatProfile;
  readonly votes: boolean;
  /** Whether hardware operations receive constants as values that compilers do not know. */
  readonly hidesConstants: boolean;
}

/** Changes the program in place. Returns the memory plan, possibly with one more word. */
export function shareGuards(
  program: Program,
  builder: Builder,
  plan: MemoryPlan,
  options: GuardOptions & { readonly workgroupBytes: number },
): MemoryPlan {
  const { float, votes } = options;
  if (float.mode !== 'exact' || float.denormals !== 'flushed') return plan;
  const functions = [...program.functions, program.kernel].map((func) => ({
    func,
    parts: partsOf(func, float, votes),
  }));
  if (functions.every(({ parts }) => parts.size === 0)) return plan;
  const memory = new SharedMemory(program, plan, options.workgroupBytes);
  for (const { func, parts } of functions) memory.consider(func, groupsIn(parts));
  memory.decide();
  for (const { func, parts } of functions) {
    if (parts.size > 0) new Splitter(func, builder, parts, memory, options).run();
    else memory.watchStores(func, builder);
  }
  return memory.plan;
}

/** Replaces the groups of a function with fast and slow blocks. */
class Splitter {
  private readonly func: Func;
  private readonly builder: Builder;
  private readonly parts: ReadonlyMap<Block, readonly Part[]>;
  private readonly memory: SharedMemory;
  private readonly options: GuardOptions;
  private readonly facts: Facts;
  private readonly witnesses: Witnesses;
  /** The values that replace constants that hardware must not know. */
  private readonly hidden: HiddenConstants;
  private readonly replaced = new IdMap<Definition, Value>();
  private readonly fastResults: Value[] = [];
  /** Instructions that read the bits of a value only to test its magnitude. */
  private readonly looks = new Set<Inst>();
  /** Maps a block to the block that now has its end. */
  private readonly tails = new Map<Block, Block>();

  constructor(
    func: Func,
    builder: Builder,
    parts: ReadonlyMap<Block, readonly Part[]>,
    memory: SharedMemory,
    options: GuardOptions,
  ) {
    this.func = func;
    this.builder = builder;
    this.parts = parts;
    this.memory = memory;
    this.options = options;
    this.facts = new Facts(func, builder, dominanceIn(func));
    this.hidden = new HiddenConstants(builder);
    if (options.hidesConstants)
      this.hidden.hideIn(
        func,
        groupsIn(parts).flatMap(({ needs }) => [...needs.keys()]),
      );
    this.witnesses = new Witnesses(func, builder, groupsIn(parts), this.looks);
  }

  run(): void {
    const { func, builder } = this;
    const grouped = new Map(groupsIn(this.parts).flatMap((group) => group.ops.map((op) => [op, group] as const)));
    const flags = this.memory.flagsIn(func, builder, (inst) => grouped.has(inst));
    const tailOf = (block: Block): Block => this.tails.get(block) ?? block;
    func.blocks = func.blocks.flatMap((block) => this.split(block, flags, grouped));
    this.witnesses.connect(func, tailOf);
    flags.connect(tailOf);
    func.blocks[0]?.insts.unshift(...this.hidden.insts);
    replaceValues(func, this.replaced);
    if (this.options.float.nans !== 'canonical')
      canonicalNans(func, builder, { raw: this.fastResults, looks: this.looks, numbers: this.hidden.insts });
  }

  private split(block: Block, flags: StoredFlags, grouped: ReadonlyMap<Inst, Group>): readonly Block[] {
    const parts = this.parts.get(block);
    const insts = parts?.flatMap((part) => (part.kind === 'inst' ? [part.inst] : part.group.ops)) ?? block.insts;
    // The tests of stored values must precede every read of the flag.
    const watched = flags.watch(insts);
    if (parts === undefined) {
      block.insts = watched;
      return [block];
    }
    const { end } = block;
    const blocks = [block];
    const done = new Set<Group>();
    let current = block;
    current.insts = [];
    for (const inst of watched) {
      const group = grouped.get(inst);
      if (group === undefined) {
        current.insts.push(inst);
      } else if (!done.has(group)) {
        done.add(group);
        current = this.guarded(group, current, blocks, flags);
      }
    }
    current.end = end;
    this.tails.set(block, current);
    return blocks;
  }

  /**
   * Returns an operation as a multiply-add. A driver fuses a product with a sum, even through a
   * selection (seen on an H200), but never fuses a multiply-add. So a sum gets a factor of 1, a
   * product gets an addend of negative zero, and the driver knows neither constant.
   */
  private native({ op }: Inst, args: readonly Value[]): { readonly fn: NativeFloat; readonly args: readonly Value[] } {
    // A driver may also fuse two adjacent constants into a clamp instruction, which has other NaNs.
    const extreme = extremes[op];
    const operands = args.map((arg) => {
      const bits = constantOf(arg);
      return bits === undefined ? arg : this.constant(bits);
    });
    const [a, b] = operands;
    if (extreme !== undefined) return { fn: extreme, args: operands };
    if (a === undefined || b === undefined || op === 'ffma') return { fn: 'fma', args: operands };
    if (op === 'fmul') return { fn: 'fma', args: [a, b, this.constant(bitsOf.negativeZero)] };
    return {
      fn: 'fma',
      args: op === 'fadd' ? [a, this.constant(bitsOf.one), b] : [b, this.constant(bitsOf.minusOne), a],
    };
  }

  private constant(bits: bigint): Value {
    return this.options.hidesConstants ? this.hidden.of(bits) : constant('f32', bits);
  }

  /**
   * Returns a condition that implies a value's quantum in a group's block, at the builder's
   * position.
   */
  private witnessOf(value: Value, quantum: number, block: Block): Value | undefined {
    const own =
      this.facts.of(value, quantum, block) ?? (quantum <= leastQuantum ? this.witnesses.of(value) : undefined);
    const from = own === undefined && this.options.votes ? shuffled(value) : undefined;
    if (from === undefined) return own;
    const condition = this.witnessOf(from.source, quantum, block);
    return condition && this.facts.inAllLanes(condition, from.shuffle, block);
  }

  /** Returns the block after a group. */
  private guarded(group: Group, current: Block, blocks: Block[], flags: StoredFlags): Block {
    const { builder, witnesses } = this;
    builder.into(current.insts);
    builder.span = group.ops[0]?.span;
    const guard = new Guard(builder, this.looks);
    let looksAtAny = false;
    for (const [value, quantum] of group.needs) {
      const witness = flags.of(group, value, quantum) ?? this.witnessOf(value, quantum, group.block);
      if (witness !== undefined) guard.require(witness, this.facts.impliedBy(witness));
      else guard.test(value, quantum);
      looksAtAny ||= witness === undefined && knownQuantum(value) === undefined;
    }
    // If the guard tests no loaded value, each path has its own loads, which shortens the live
    // ranges of their results.
    const moved = looksAtAny ? [] : takeLast(current.insts, group.own);
    const [fast, slow, behind] = [builder.block(), builder.block(), builder.block()];
    const condition = guard.condition();
    for (const [value, quantum] of resultQuanta(group.ops, group.needs))
      this.facts.add(value, quantum, condition, group.block);
    const { span } = builder;
    current.end = { kind: 'branch', condition, then: { to: fast, args: [] }, else: { to: slow, args: [] }, span };
    for (const result of group.escaping) {
      const param = builder.param(behind, 'f32', result.hint);
      this.replaced.set(result, param);
      this.fastResults.push(param);
    }
    const passed = (copies: IdMap<Definition, Value>): Value[] =>
      group.escaping.map((result) => get(copies, result, 'the copy of a result'));
    const asItWas = (inst: Inst, args: readonly Value[]) => builder.clone(inst, args);
    const quick = copy(moved, group.ops, fast, builder, (inst, args) => {
      const native = this.native(inst, args);
      return builder.emit('native', { fn: native.fn }, native.args, { hint: inst.results[0]?.hint });
    });
    const slowly = copy(moved, group.ops, slow, builder, asItWas);
    const [quickArgs, slowArgs] = [passed(quick), passed(slowly)];
    const carried = witnesses.carriedBy(group);
    if (carried.length > 0) {
      const bit = builder.param(behind, 'i1', 'tame');
      quickArgs.push(builder.bool(true));
      builder.into(slow.insts);
      const tests = new Guard(builder, this.looks);
      for (const result of carried) tests.test(get(slowly, result, 'the copy of a result'), leastQuantum);
      slowArgs.push(tests.condition());
      witnesses.set(group, bit);
    }
    fast.end = { kind: 'jump', to: { to: behind, args: quickArgs }, span };
    slow.end = { kind: 'jump', to: { to: behind, args: slowArgs }, span };
    blocks.push(fast, slow, behind);
    return behind;
  }
}

/**
 * Removes some instructions from the end of a list, if no later instruction writes, orders or is a
 * collective.
 */
function takeLast(insts: Inst[], some: readonly Inst[]): readonly Inst[] {
  const wanted = new Set(some);
  let from = insts.length;
  while (from > 0) {
    const inst = insts[from - 1];
    const effect = inst?.operation.effect;
    if (effect !== 'pure' && effect !== 'reads') break;
    from -= 1;
  }
  const last = insts.splice(from);
  // Loads that other instructions read stay, with their bitcasts.
  insts.push(...last.filter((inst) => !wanted.has(inst)));
  return last.filter((inst) => wanted.has(inst));
}

/**
 * Copies the operations of a group into their own block, each after the loads that only it reads.
 */
function copy(
  own: readonly Inst[],
  ops: readonly Inst[],
  block: Block,
  builder: Builder,
  make: (inst: Inst, args: readonly Value[]) => readonly Result[],
): IdMap<Definition, Value> {
  builder.into(block.insts);
  const copies = new IdMap<Definition, Value>();
  const waiting = new Set(own);
  const copied = (inst: Inst, results: readonly Result[]) =>
    inst.results.forEach((old, index) => {
      const result = results[index];
      if (result) copies.set(old, result);
    });
  const copyOf = (arg: Value): Value => {
    if (arg.kind !== 'result') return arg;
    const { inst } = arg;
    if (waiting.delete(inst)) copied(inst, builder.clone(inst, inst.args.map(copyOf), { hints: [arg.hint] }));
    return copies.get(arg) ?? arg;
  };
  for (const inst of ops) {
    builder.span = inst.span;
    copied(inst, make(inst, inst.args.map(copyOf)));
  }
  return copies;
}
