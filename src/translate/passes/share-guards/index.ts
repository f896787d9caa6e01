// Shares one guard among many f32 operations, on adapters that flush subnormals. The guard tests
// the values that a group of operations receives. If no value in the group can then be subnormal
// (`analysis/quanta.ts` contains the rules), hardware executes the whole group. Otherwise each
// operation executes under its own guard.
//
// Sums that a loop passes on are not tested in each iteration. Instead, a bit states that they are
// multiples of 2^-126 (`witnesses.ts`). Values from shared memory are tested at the store
// (`shared-memory.ts`). Later guards reuse the results of earlier guards, also for values that
// lanes shuffle (`wanted.ts`, `facts.ts`).

import type { FloatProfile } from '../../../base/float-profile.ts';
import { at } from '../../../base/invariants.ts';
import { knownQuantum, leastQuantum, resultQuanta } from '../../analysis/quanta.ts';
import type { Builder } from '../../ir/builder.ts';
import { type Block, constant, constantOf, type Func, type Inst, type Program, type Value } from '../../ir/nodes.ts';
import type { NativeFloat } from '../../ir/operations.ts';
import type { MemoryPlan } from '../../memory-plan.ts';
import { type Copied, copyInsts, type Emit, lookUp } from '../copy-insts.ts';
import { groupsIn, type Parts } from '../fast-paths/parts.ts';
import { PathSplitter } from '../fast-paths/splitter.ts';
import { canonicalNans } from './canonical-nans.ts';
import { dominanceIn, Facts, shuffled } from './facts.ts';
import { type Group, partsOf } from './groups.ts';
import { Guard } from './guard.ts';
import { isLong } from './long-functions.ts';
import { joinSequences, minLoopOps } from './sequences.ts';
import { SharedMemory, type StoredFlags } from './shared-memory.ts';
import { Witnesses } from './witnesses.ts';

const extremes: Readonly<Partial<Record<Inst['op'], NativeFloat>>> = { fmin: 'min', fmax: 'max' };
const bitsOf = { one: 0x3f80_0000n, minusOne: 0xbf80_0000n, negativeZero: 0x8000_0000n } as const;

/**
 * The maximum number of operations in a function whose exact paths have no loops. For 512
 * multiply-adds, an H200's driver needed 20 s without loops, and 1.2 s with loops.
 */
const maxStraightOps = 256;

export interface GuardOptions {
  readonly float: FloatProfile;
  readonly votes: boolean;
  /** Whether hardware operations receive constants as values that compilers do not know. */
  readonly hidesConstants: boolean;
}

/**
 * Shares guards in a program, which it changes in place. Returns the memory plan, which may contain
 * one more word. `rare` receives the blocks of exact paths with many operations.
 */
export function shareGuards(
  program: Program,
  builder: Builder,
  plan: MemoryPlan,
  options: GuardOptions & { readonly workgroupBytes: number; readonly rare?: Set<Block> },
): MemoryPlan {
  const { float, votes } = options;
  const functions = [...program.functions, program.kernel].map((func) => {
    const all = isLong(func, float);
    return { func, parts: joinSequences(func, partsOf(func, { float, votes, all }), all) };
  });
  if (functions.every(({ parts }) => parts.size === 0)) return plan;
  const memory = new SharedMemory(program, plan, options.workgroupBytes);
  for (const { func, parts } of functions) memory.consider(func, groupsIn(parts));
  memory.decide();
  for (const { func, parts } of functions)
    if (parts.size > 0 || memory.watches) new Splitter(func, builder, parts, memory, options).run(parts);
  return memory.plan;
}

/** Replaces the groups of a function with fast and slow paths. */
class Splitter {
  private readonly func: Func;
  private readonly builder: Builder;
  private readonly options: GuardOptions;
  private readonly paths: PathSplitter;
  private readonly facts: Facts;
  private readonly flags: StoredFlags;
  private readonly witnesses: Witnesses;
  private readonly fastResults: Value[] = [];
  private readonly rare: Set<Block>;
  private readonly hasManyOps: boolean;
  /** Instructions that read the bits of a value only to test its magnitude. */
  private readonly looks = new Set<Inst>();

  constructor(
    func: Func,
    builder: Builder,
    parts: Parts<Group>,
    memory: SharedMemory,
    options: GuardOptions & { readonly rare?: Set<Block> },
  ) {
    this.rare = options.rare ?? new Set(); // Absent: the caller does not use the rare blocks.
    this.func = func;
    this.builder = builder;
    this.options = options;
    this.paths = new PathSplitter(func, builder);
    this.facts = new Facts(func, builder, dominanceIn(func));
    const groups = groupsIn(parts);
    this.hasManyOps = groups.reduce((sum, { ops }) => sum + ops.length, 0) > maxStraightOps;
    if (options.hidesConstants)
      this.paths.hidden.hideIn(
        func,
        groups.flatMap(({ needs }) => [...needs.keys()]),
      );
    this.witnesses = new Witnesses(func, builder, groups, this.looks);
    this.flags = memory.flagsIn(func, builder);
  }

  run(parts: Parts<Group>): void {
    const { func, builder, paths, flags, witnesses, looks } = this;
    paths.split(flags.watch(func, parts), (group) => this.emit(group));
    witnesses.connect(func, paths.tailOf);
    flags.connect(paths.tailOf);
    paths.finish();
    if (this.options.float.nans !== 'canonical')
      canonicalNans(func, builder, { raw: this.fastResults, looks, numbers: paths.hidden.insts });
  }

  /**
   * Emits an operation as a multiply-add. A driver fuses a product with a sum, even through a
   * selection (seen on an H200), but never fuses a multiply-add. So a sum has a factor of 1 and a
   * product has an addend of negative zero, and the driver does not know these constants.
   */
  private native({ op, results }: Inst, args: readonly Value[]): readonly Value[] {
    const fn = extremes[op] ?? 'fma'; // Absent: the operation is a sum, a product or a multiply-add.
    return this.builder.emit('native', { fn }, this.operandsOf(op, args), { hint: results[0]?.hint });
  }

  /** Returns the operands of an operation, or of the multiply-add with the same result. */
  private operandsOf(op: Inst['op'], args: readonly Value[]): readonly Value[] {
    const { one, minusOne, negativeZero } = bitsOf;
    // A driver may also fuse two adjacent constants into a clamp instruction, whose NaNs differ.
    const operands = args.map((arg) => {
      const bits = constantOf(arg);
      return bits === undefined ? arg : this.constant(bits);
    });
    const [a, b] = [at(operands, 0, 'an operand'), at(operands, 1, 'an operand')];
    const fused = {
      fmul: () => [a, b, this.constant(negativeZero)],
      fadd: () => [a, this.constant(one), b],
      fsub: () => [b, this.constant(minusOne), a],
    };
    return op === 'fmul' || op === 'fadd' || op === 'fsub' ? fused[op]() : operands;
  }

  /** Returns a function that emits an operation in the exact path of a group. */
  private exactOf(ops: readonly Inst[]): Emit {
    const { builder } = this;
    const kinds = new Set(ops.map(({ op }) => op));
    // A loop over steps contains the code of each kind once. The code of a multiply-add is as long
    // as the code of a sum and a product together.
    const isMixed = kinds.has('ffma') && kinds.size > 1;
    return (inst, args) =>
      isMixed && extremes[inst.op] === undefined
        ? builder.emit('ffma', { rounding: 'rn', ftz: flushes(inst) }, this.operandsOf(inst.op, args), {
            hint: inst.results[0]?.hint,
          })
        : builder.clone(inst, args);
  }

  private constant(bits: bigint): Value {
    return this.options.hidesConstants ? this.paths.hidden.of(bits) : constant('f32', bits);
  }

  /**
   * Returns a condition that implies a value's quantum in a group's block. Inserts at the builder's
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

  private emit(group: Group): void {
    const { builder, paths, facts } = this;
    const { ops, needs, stages } = group;
    builder.span = ops[0]?.span;
    const guard = new Guard(builder, this.looks);
    let looksAtAny = false;
    for (const [value, quantum] of needs) {
      const witness = this.flags.of(group, value, quantum) ?? this.witnessOf(value, quantum, group.block);
      if (witness !== undefined) guard.require(witness, facts.impliedBy(witness));
      else guard.test(value, quantum);
      looksAtAny ||= witness === undefined && knownQuantum(value) === undefined;
    }
    if (stages !== undefined) return this.emitSequence(group, stages, guard);
    // If the guard tests no loaded value, each path has its own loads, which shortens the live
    // ranges of their results.
    const members = looksAtAny ? ops : withLoads(ops, takeLast(paths.current.insts, group.own));
    const condition = guard.condition();
    for (const [value, quantum] of resultQuanta(ops, needs)) facts.add(value, quantum, condition, group.block);
    const fast = () => group.escaping.map(this.copied(members, ops, (inst, args) => this.native(inst, args)));
    this.join(group, condition, fast, members);
  }

  /**
   * Emits groups that share their exact path. The guard also tests the results of the groups on
   * hardware.
   */
  private emitSequence(group: Group, stages: readonly Group[], guard: Guard): void {
    const { builder, facts } = this;
    const copied: Copied = new Map();
    const native = lookUp(copied);
    for (const { ops, needs } of stages) {
      for (const [value, quantum] of needs) if (copied.has(value)) guard.test(native(value), quantum);
      copyInsts(builder, ops, copied, (inst, args) => this.native(inst, args));
    }
    const condition = guard.condition();
    for (const { ops, needs } of stages)
      for (const [value, quantum] of resultQuanta(ops, needs)) facts.add(value, quantum, condition, group.block);
    const results = group.escaping.map(native);
    this.join(group, condition, () => results, group.ops);
  }

  /** Emits the join of the fast path, which returns its results, and the exact path. */
  private join(group: Group, condition: Value, fastResults: () => readonly Value[], members: readonly Inst[]): void {
    const { builder, paths, witnesses } = this;
    const { ops, escaping, stages } = group;
    const isLoop = stages !== undefined || (this.hasManyOps && ops.length >= minLoopOps);
    const carried = witnesses.carriedBy(group);
    const bits = carried.length > 0 ? [{ type: 'i1', hint: 'tame' } as const] : [];
    const fast = () => [...fastResults(), ...bits.map(() => builder.bool(true))];
    const slow = () => {
      if (isLoop) this.rare.add(paths.current);
      const value = this.copied(members, ops, this.exactOf(isLoop ? ops : []));
      const tests = new Guard(builder, this.looks);
      for (const result of carried) tests.test(value(result), leastQuantum);
      return [...escaping.map(value), ...bits.map(() => tests.condition())];
    };
    const values = paths.join(condition, [...escaping, ...bits], stages === undefined ? fast : fast(), slow);
    for (const [index, result] of escaping.entries()) paths.replace(result, at(values, index, 'a result'));
    this.fastResults.push(...values.slice(0, escaping.length));
    const bit = values[escaping.length];
    if (bit !== undefined) witnesses.set(group, bit);
  }

  /**
   * Copies a group's members, and returns a function that maps each value to its copy. `emit`
   * copies an operation.
   */
  private copied(members: readonly Inst[], ops: readonly Inst[], emit: Emit): (value: Value) => Value {
    const isOp = new Set(ops);
    const copied: Copied = new Map();
    copyInsts(this.builder, members, copied, (inst, args) =>
      isOp.has(inst) ? emit(inst, args) : this.builder.clone(inst, args),
    );
    return lookUp(copied);
  }
}

const flushes = ({ attrs }: Inst): boolean => 'ftz' in attrs && attrs.ftz === true;

/**
 * Removes the instructions `some` from the end of a list, as far as no later instruction writes,
 * orders or is a collective.
 */
function takeLast(insts: Inst[], some: readonly Inst[]): readonly Inst[] {
  const wanted = new Set(some);
  const isFixed = ({ operation: { effect } }: Inst): boolean => effect !== 'pure' && effect !== 'reads';
  const last = insts.splice(insts.findLastIndex(isFixed) + 1);
  // Keep loads that other instructions read, with their bitcasts.
  insts.push(...last.filter((inst) => !wanted.has(inst)));
  return last.filter((inst) => wanted.has(inst));
}

/** Places loads, and bitcasts of their results, before the first operation that reads them. */
function withLoads(ops: readonly Inst[], loads: readonly Inst[]): readonly Inst[] {
  const waiting = new Set(loads);
  const placed: Inst[] = [];
  const place = (inst: Inst): void => {
    for (const arg of inst.args) if (arg.kind === 'result' && waiting.delete(arg.inst)) place(arg.inst);
    placed.push(inst);
  };
  for (const inst of ops) place(inst);
  return placed;
}
