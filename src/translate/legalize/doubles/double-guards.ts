// Guards many f64 operations with one check. An operation outside of a group checks whether its
// operands are zero or normal, and branches. A driver keeps the order of branches, so a lane
// executes such operations one after the other. A group computes without branches as if all values
// were ordinary, and then checks its operands and results. If a value was not ordinary, the group
// executes again, and each operation has its own check:
//
//    before: the group on ordinary values
//            ok = its operands from outside and its results are ordinary
//            branch ok, after(results), slow
//    slow:   the group, with checks; jump after(results)
//    after(results): …
import { at as element } from '../../../base/invariants.ts';
import type { Builder } from '../../ir/builder.ts';
import { type Func, type Inst, type Result, undef, type Value } from '../../ir/nodes.ts';
import { type Copied, copyInsts, lookUp } from '../../passes/copy-insts.ts';
import { PathSplitter } from '../../passes/fast-paths/splitter.ts';
import { pairs } from '../calls.ts';
import { type DoubleGroup, doubleParts, isOrdinary, nameOf, ordinaryOf, pairsOf } from './double-groups.ts';
import type { Repeat } from './double-repeats.ts';
import { inSteps } from './double-steps.ts';
import { TurnOperands, template } from './double-turns.ts';

/**
 * The high word of the least value that may be wrong: a result with this exponent or a larger one
 * must be checked.
 */
const largestExponents = 0x7fe0_0000;
const withoutSign = 0x7fff_ffff;
/** The minimum number of operations that repeat an earlier kind, so that a loop is worthwhile. */
const fewRepeats = 3;

/** Conversions whose results are always ordinary. */
const conversions: ReadonlySet<string> = new Set(['f64_from_s32', 'f64_from_u32', 'f64_from_u64']);
/** Functions that change only the sign of an ordinary value. */
const signs: ReadonlySet<string> = new Set(['f64_neg', 'f64_abs']);

/** Guards the f64 operations of a function. Modifies the function in place. */
export function guardDoubles(func: Func, builder: Builder): void {
  const parts = doubleParts(func);
  if (parts.size === 0) return;
  const paths = new PathSplitter(func, builder);
  const groups = new GroupWriter(builder, paths);
  paths.split(parts, (group) => groups.write(group));
  paths.finish();
}

class GroupWriter {
  private readonly builder: Builder;
  private readonly paths: PathSplitter;

  constructor(builder: Builder, paths: PathSplitter) {
    this.builder = builder;
    this.paths = paths;
  }

  write({ members, escaping, repeat }: DoubleGroup): void {
    if (repeat !== undefined) return this.inTurns(members, escaping, repeat);
    const values = this.guarded(members, escaping);
    for (const result of escaping) this.paths.replace(result, values(result));
  }

  /** Writes a group that repeats a sequence as a loop over that sequence. */
  private inTurns(members: readonly Inst[], escaping: readonly Result[], repeat: Repeat): void {
    const { builder, paths } = this;
    const [head, body, after] = [builder.block(), builder.block(), builder.block()];
    const span = members[0]?.span;
    builder.span = span;
    // A driver does not unroll a loop whose start value it cannot determine.
    const counter = builder.param(head, 'i32', 'turn');
    const starts: Value[] = [paths.hidden.of(0n, 'i32')];
    const operands = new TurnOperands(head, body, builder, starts);
    const turn = template(members, repeat, operands, builder);
    const resultAt = (place: number, index: number): Result =>
      element(element(turn, place, 'an instruction of a turn').results, index, 'a result');
    const placed = escaping.map((result) => {
      const place = members.indexOf(result.inst);
      const own = resultAt(place % turn.length, result.index);
      const number = Math.floor(place / turn.length);
      // The result of an earlier turn is passed through the later turns.
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
    paths.current.end = { kind: 'jump', to: { to: head, args: starts }, span };
    head.end = { kind: 'switch', selector: counter, edges, span };
    paths.enter(head);
    paths.enter(body);
    const values = this.guarded(turn, [...wanted]);
    builder.span = span;
    const again: Value[] = [builder.iadd(counter, builder.i32(1))];
    for (const { at, index } of operands.passed) again.push(values(resultAt(at, index)));
    for (const { result, own, number, kept } of placed) {
      const value = values(own);
      const next = kept && builder.select(builder.icmp('eq', counter, builder.i32(number)), value, kept);
      if (next) again.push(next);
      paths.replace(result, next ?? value);
    }
    const condition = builder.icmp('ult', element(again, 0, 'the next turn'), builder.i32(repeat.turns));
    paths.current.end = {
      kind: 'branch',
      condition,
      then: { to: head, args: again },
      else: { to: after, args: [] },
      span,
    };
    paths.enter(after);
  }

  /**
   * Writes the instructions in their form for ordinary values, and a check. If the check fails, the
   * code executes the instructions with their own checks instead. Returns a map to the values of
   * the `wanted` results.
   */
  private guarded(members: readonly Inst[], wanted: readonly Result[]): (value: Value) => Value {
    const { builder, paths } = this;
    const quick: Copied = new Map();
    copyInsts(builder, members, quick, (inst, args) => {
      const name = ordinaryOf(inst);
      if (inst.op !== 'helper' || name === undefined) return builder.clone(inst, args);
      return builder.emit('helper', { ...inst.attrs, name }, args, { hints: inst.results.map(({ hint }) => hint) });
    });
    const condition = allOrdinary(members, lookUp(quick), builder);
    const slow = () => wanted.map(this.exactly(members));
    builder.span = members[0]?.span;
    const values = paths.join(condition, wanted, wanted.map(lookUp(quick)), slow);
    return lookUp(new Map(wanted.map((result, index) => [result, element(values, index, 'a result')])));
  }

  /** Writes the instructions with their own checks. Returns a map to their results. */
  private exactly(members: readonly Inst[]): (value: Value) => Value {
    const { builder, paths } = this;
    const ops = members.filter((inst) => ordinaryOf(inst) !== undefined);
    if (ops.length - new Set(ops.map(nameOf)).size >= fewRepeats) return inSteps(members, ops, paths, builder);
    const copied: Copied = new Map();
    copyInsts(builder, members, copied, (inst, args) => builder.clone(inst, args));
    return lookUp(copied);
  }
}

/**
 * Emits a test whether the copied operations had ordinary operands and results, at the builder's
 * position.
 */
function allOrdinary(members: readonly Inst[], copyOf: (value: Value) => Value, builder: Builder): Value {
  const looked = new Map<Value, Set<Value>>();
  let condition: Value = builder.bool(true);
  let largest: Value | undefined;
  const ops = members.filter((inst) => ordinaryOf(inst) !== undefined);
  const own = new Set(ops);
  for (const inst of ops) {
    for (const [low, high] of pairsOf(inst)) {
      const number = unsigned(low, high);
      if (isKnown(low, number, own) || looked.get(low)?.has(number)) continue;
      // Absent: this is the first high word for this low word.
      looked.set(low, (looked.get(low) ?? new Set()).add(number));
      const call = pairs.test('f64_is_ordinary');
      const [test] = builder.emit('helper', call, [copyOf(low), copyOf(number)]);
      if (test) condition = builder.and(condition, test);
    }
    const [, high] = inst.results;
    if (high === undefined) continue;
    const size = builder.and(copyOf(high), builder.i32(withoutSign));
    largest = largest === undefined ? size : builder.umax(largest, size);
  }
  return largest === undefined
    ? condition
    : builder.and(condition, builder.icmp('ult', largest, builder.i32(largestExponents)));
}

/** Follows sign changes backwards. Returns the high word of the value whose sign they change. */
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
