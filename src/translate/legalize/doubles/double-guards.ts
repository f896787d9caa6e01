// Guards many f64 operations with one check. An operation outside a group checks whether its
// operands are zero or normal, and branches. A driver keeps the order of branches, so a lane
// executes such operations one after the other.
//
// A group computes without branches as if all values were ordinary, and then checks its operands
// and results. If a value was not ordinary, the group executes again, each operation with its own
// check:
//
//     before: the group on ordinary values
//             ok = its outside operands and its results are ordinary
//             branch ok, after(results), slow
//     slow:   the group; jump after(results)
//     after(results): …
import { at as element } from '../../../base/invariants.ts';
import { type Builder, replaceValues } from '../../ir/builder.ts';
import { IdMap } from '../../ir/id-map.ts';
import { type Block, type Definition, type Func, type Inst, type Result, undef, type Value } from '../../ir/nodes.ts';
import { unknownZero } from '../../ir/unknown-zero.ts';
import { pairs } from '../calls.ts';
import { type Copies, copyInto, copyOf, nameOf } from './double-copies.ts';
import { type DoubleGroup, type DoublePart, doubleParts, isOrdinary, ordinaryOf, pairsOf } from './double-groups.ts';
import type { Repeat } from './double-repeats.ts';
import { inSteps } from './double-steps.ts';
import { TurnOperands, template } from './double-turns.ts';

/** A result with this exponent or a larger one may be wrong. */
const largestExponents = 0x7fe0_0000;
const withoutSign = 0x7fff_ffff;
/** A loop is worthwhile if at least this many operations repeat an earlier kind. */
const fewRepeats = 3;

/** Conversions whose results are always ordinary. */
const conversions: ReadonlySet<string> = new Set(['f64_from_s32', 'f64_from_u32', 'f64_from_u64']);
/** Functions that change only the sign of an ordinary value. */
const signs: ReadonlySet<string> = new Set(['f64_neg', 'f64_abs']);

/** Modifies the function in place. */
export function guardDoubles(func: Func, builder: Builder): void {
  const parts = doubleParts(func);
  if (parts.size > 0) new Splitter(func, builder).run(parts);
}

class Splitter {
  private readonly func: Func;
  private readonly builder: Builder;
  private readonly replaced = new IdMap<Definition, Value>();
  /** The new blocks of the block that is being split. */
  private blocks: Block[] = [];
  /** A zero that drivers cannot fold, and the instructions that compute it. */
  private zero: Value | undefined;
  private readonly zeroInsts: Inst[] = [];

  constructor(func: Func, builder: Builder) {
    this.func = func;
    this.builder = builder;
  }

  run(parts: ReadonlyMap<Block, readonly DoublePart[]>): void {
    const { func } = this;
    func.blocks = func.blocks.flatMap((block) => {
      const own = parts.get(block);
      return own === undefined ? [block] : this.split(block, own);
    });
    func.blocks[0]?.insts.unshift(...this.zeroInsts);
    replaceValues(func, this.replaced);
  }

  private split(block: Block, parts: readonly DoublePart[]): readonly Block[] {
    const { end } = block;
    this.blocks = [block];
    let current = block;
    current.insts = [];
    for (const part of parts) {
      if (part.kind === 'inst') current.insts.push(part.inst);
      else if (part.group.repeat === undefined) current = this.once(part.group, current);
      else current = this.inTurns(part.group, part.group.repeat, current);
    }
    current.end = end;
    return this.blocks;
  }

  /** Emits a group without a loop. Returns the block after it. */
  private once({ members, escaping }: DoubleGroup, current: Block): Block {
    const copies: Copies = new IdMap<Definition, Value>();
    const behind = this.guarded(members, escaping, current, copies);
    for (const result of escaping) this.replaced.set(result, copyOf(copies, result));
    return behind;
  }

  /**
   * Emits a group that repeats a sequence as a loop over that sequence. Returns the block after it.
   */
  private inTurns({ members, escaping }: DoubleGroup, repeat: Repeat, current: Block): Block {
    const { builder } = this;
    const [head, body, behind] = [builder.block(), builder.block(), builder.block()];
    const span = members[0]?.span;
    builder.span = span;
    // A driver does not unroll a loop whose start value it cannot determine.
    const counter = builder.param(head, 'i32', 'turn');
    const starts: Value[] = [this.unknownZero()];
    const operands = new TurnOperands(head, body, builder, starts);
    const turn = template(members, repeat, operands, builder);
    const resultAt = (place: number, index: number): Result =>
      element(element(turn, place, 'an instruction of a turn').results, index, 'a result');
    const placed = escaping.map((result) => {
      const place = members.indexOf(result.inst);
      const own = resultAt(place % turn.length, result.index);
      const number = Math.floor(place / turn.length);
      // The result of an earlier turn is carried through the later turns.
      const isLast = number === repeat.turns - 1;
      const kept = isLast ? undefined : builder.param(head, result.type, result.hint);
      if (kept) starts.push(undef(result.type));
      return { result, own, number, kept };
    });
    const wanted = new Set([
      ...placed.map(({ own }) => own),
      ...operands.passed.map(({ at, index }) => resultAt(at, index)),
    ]);
    const edges = Array.from({ length: repeat.turns }, (_, number) => ({ to: body, args: operands.ofTurn(number) }));
    current.end = { kind: 'jump', to: { to: head, args: starts }, span };
    head.end = { kind: 'switch', selector: counter, edges, span };
    this.blocks.push(head, body);
    const copies: Copies = new IdMap<Definition, Value>();
    const tail = this.guarded(turn, [...wanted], body, copies);
    builder.into(tail.insts);
    builder.span = span;
    const again: Value[] = [builder.iadd(counter, builder.i32(1))];
    for (const { at, index } of operands.passed) again.push(copyOf(copies, resultAt(at, index)));
    for (const { result, own, number, kept } of placed) {
      const value = copyOf(copies, own);
      if (kept === undefined) {
        this.replaced.set(result, value);
        continue;
      }
      const next = builder.select(builder.icmp('eq', counter, builder.i32(number)), value, kept);
      again.push(next);
      this.replaced.set(result, next);
    }
    const condition = builder.icmp('ult', element(again, 0, 'the next turn'), builder.i32(repeat.turns));
    tail.end = { kind: 'branch', condition, then: { to: head, args: again }, else: { to: behind, args: [] }, span };
    this.blocks.push(behind);
    return behind;
  }

  /**
   * Emits the instructions for ordinary values and, if the check fails, with their own checks.
   * `copies` receives the `wanted` results. Returns the block after both.
   */
  private guarded(members: readonly Inst[], wanted: readonly Result[], current: Block, copies: Copies): Block {
    const { builder } = this;
    const [slow, behind] = [builder.block(), builder.block()];
    builder.into(current.insts);
    const quick: Copies = new IdMap<Definition, Value>();
    copyInto(quick, members, builder, true);
    const condition = allOrdinary(members, quick, builder);
    const span = members[0]?.span;
    this.blocks.push(slow);
    const exact = this.exactly(members, slow);
    const passed = (from: Copies) => ({ to: behind, args: wanted.map((result) => copyOf(from, result)) });
    for (const result of wanted) copies.set(result, builder.param(behind, result.type, result.hint));
    current.end = { kind: 'branch', condition, then: passed(quick), else: { to: slow, args: [] }, span };
    exact.end.end = { kind: 'jump', to: passed(exact.copies), span };
    this.blocks.push(behind);
    return behind;
  }

  /**
   * Emits the instructions with their own checks, beginning in a block. Also returns the block
   * where they end.
   */
  private exactly(members: readonly Inst[], from: Block): { readonly end: Block; readonly copies: Copies } {
    const ops = members.filter((inst) => ordinaryOf(inst) !== undefined);
    const kinds = new Set(ops.map(nameOf));
    if (ops.length - kinds.size >= fewRepeats) {
      const steps = inSteps(members, ops, from, this.unknownZero(), this.builder);
      this.blocks.push(...steps.blocks);
      return steps;
    }
    const copies: Copies = new IdMap<Definition, Value>();
    this.builder.into(from.insts);
    copyInto(copies, members, this.builder, false);
    return { end: from, copies };
  }

  private unknownZero(): Value {
    const { builder } = this;
    this.zero ??= builder.within(this.zeroInsts, () => unknownZero(builder));
    return this.zero;
  }
}

/**
 * Whether the copied operations had ordinary operands and results; emitted at the builder's
 * position.
 */
function allOrdinary(members: readonly Inst[], copies: Copies, builder: Builder): Value {
  const looked = new Map<Value, Set<Value>>();
  let condition: Value = builder.bool(true);
  let largest: Value | undefined;
  const ops = members.filter((inst) => ordinaryOf(inst) !== undefined);
  const own = new Set(ops);
  for (const inst of ops) {
    for (const [low, high] of pairsOf(inst)) {
      const number = unsigned(low, high);
      if (isKnown(low, number, own) || looked.get(low)?.has(number)) continue;
      // Absent: the first high word for this low word.
      looked.set(low, (looked.get(low) ?? new Set()).add(number));
      const call = pairs.test('f64_is_ordinary');
      const [test] = builder.emit('helper', call, [copyOf(copies, low), copyOf(copies, number)]);
      if (test) condition = builder.and(condition, test);
    }
    const [, high] = inst.results;
    if (high === undefined) continue;
    const size = builder.and(copyOf(copies, high), builder.i32(withoutSign));
    largest = largest === undefined ? size : builder.umax(largest, size);
  }
  return largest === undefined
    ? condition
    : builder.and(condition, builder.icmp('ult', largest, builder.i32(largestExponents)));
}

/** Follows sign changes backwards: the high word of the value whose sign they change. */
function unsigned(low: Value, high: Value): Value {
  if (high.kind !== 'result' || high.inst.op !== 'helper' || !signs.has(high.inst.attrs.name)) return high;
  const [same, before] = high.inst.args;
  return same === low && before !== undefined ? unsigned(low, before) : high;
}

function isKnown(low: Value, high: Value, own: ReadonlySet<Inst>): boolean {
  if (isOrdinary(low, high) === true) return true;
  if (low.kind !== 'result' || high.kind !== 'result' || low.inst !== high.inst) return false;
  if (low.index !== 0 || high.index !== 1) return false;
  return own.has(low.inst) || (low.inst.op === 'helper' && conversions.has(low.inst.attrs.name));
}
