// Creates values, instructions and blocks. The algebraic rules build with this class; builder.ts
// applies them.
import { InternalError } from '../../base/invariants.ts';
import type { Span } from '../../ptx/ast.ts';
import {
  type Block,
  constant,
  type Edge,
  type Inst,
  type InstNamed,
  type Param,
  type Result,
  type Terminator,
  type Value,
} from './nodes.ts';
import {
  type Attributes,
  type FloatRelation,
  type HelperCall,
  type IntegerRelation,
  type OpName,
  operations,
  type Rounded,
  type RoundedOp,
} from './operations.ts';
import { integerOf, type Type, widthOf } from './types.ts';

/**
 * Allocates the numbers of a program's values, instructions and blocks. Numbers are unique in a
 * program, across functions.
 */
export class Ids {
  private last = 0;

  next(): number {
    this.last += 1;
    return this.last;
  }
}

export interface InstOptions {
  readonly hint?: string | undefined;
  /** The hints of the results. */
  readonly hints?: readonly (string | undefined)[];
  readonly when?: Value | undefined;
  readonly otherwise?: readonly Value[];
}

type NoAttributes = {
  readonly [Op in OpName]: Attributes[Op] extends Readonly<Record<never, never>> ? Op : never;
}[OpName];

// Shared empty defaults, because most instructions have no such parts.
const noValues: readonly never[] = [];
const noAttributes = {};
const noOptions: InstOptions = {};

const unreachable: Terminator = { kind: 'exit', span: undefined };

/** Creates instructions, and appends them to a list. New instructions have the current span. */
export abstract class BaseBuilder {
  readonly ids: Ids;
  /** The list to which instructions are appended. Appending before the list is set is an error. */
  list: Inst[] = [];
  span: Span | undefined;
  /** The default hint of results. */
  hint: string | undefined;

  constructor(ids: Ids) {
    this.ids = ids;
  }

  /** Returns the value of an operation that needs no instruction; otherwise undefined. */
  protected abstract simplified<Op extends OpName>(
    op: Op,
    attrs: Attributes[Op],
    args: readonly Value[],
  ): Value | undefined;

  /**
   * Returns the two halves of a value, the low half first; undefined if no values with these halves
   * exist.
   */
  protected abstract halves(value: Value): readonly [Value, Value] | undefined;

  /** Appends all further instructions to this list. */
  into(list: Inst[]): void {
    this.list = list;
  }

  /**
   * Runs `make`, and appends the instructions that it builds to the given list. Then restores the
   * previous list.
   */
  within<T>(list: Inst[], make: () => T): T {
    const outside = this.list;
    this.into(list);
    const made = make();
    this.into(outside);
    return made;
  }

  block(): Block {
    return { id: this.ids.next(), params: [], insts: [], end: unreachable };
  }

  /** Adds a parameter to a block. The caller must add a value to each edge. */
  param(block: Block, type: Type, hint?: string): Param {
    const param: Param = { kind: 'param', id: this.ids.next(), type, hint, block };
    block.params = [...block.params, param];
    return param;
  }

  /**
   * Creates an instruction without inserting it. The table of operations determines the types of
   * its results.
   */
  make<Op extends OpName>(
    op: Op,
    attrs: Attributes[Op],
    args: readonly Value[],
    options: InstOptions = noOptions,
  ): InstNamed<Op> {
    const operation = operations[op];
    const inst = {
      id: this.ids.next(),
      op,
      operation,
      attrs,
      args,
      results: noValues,
      when: options.when,
      otherwise: options.otherwise ?? noValues,
      span: this.span,
    } as unknown as Inst;
    const types = operation.results(args, attrs as never);
    const [type] = types;
    if (type !== undefined) {
      const hint = options.hints?.[0] ?? options.hint ?? this.hint;
      const first: Result = { kind: 'result', id: this.ids.next(), type, hint, inst, index: 0 };
      inst.results = types.length === 1 ? [first] : [first, ...this.otherResults(inst, types, options.hints)];
    }
    return inst as InstNamed<Op>;
  }

  private otherResults(inst: Inst, types: readonly Type[], hints: InstOptions['hints']): readonly Result[] {
    return types
      .slice(1)
      .map((type, at) => ({ kind: 'result', id: this.ids.next(), type, hint: hints?.[at + 1], inst, index: at + 1 }));
  }

  /** Appends an instruction without folding it, and returns its results. */
  emit<Op extends OpName>(
    op: Op,
    attrs: Attributes[Op],
    args: readonly Value[],
    options: InstOptions = noOptions,
  ): readonly Result[] {
    const inst = this.make(op, attrs, args, options);
    this.list.push(inst);
    return inst.results;
  }

  /**
   * Appends a copy of an instruction with other arguments, without folding it. Returns its results,
   * which keep the original's hints. The span is the builder's, and the condition is the one in
   * `options`.
   */
  clone(inst: Inst, args: readonly Value[], options: InstOptions = noOptions): readonly Result[] {
    return this.emit(inst.op, inst.attrs as never, args, { hints: inst.results.map(({ hint }) => hint), ...options });
  }

  /** Appends a pure operation with one result, or folds it. */
  value<Op extends OpName>(
    op: Op,
    attrs: Attributes[Op],
    args: readonly Value[],
    options: InstOptions = noOptions,
  ): Value {
    const known = options.when === undefined ? this.simplified(op, attrs, args) : undefined;
    if (known !== undefined) return known;
    const [result] = this.emit(op, attrs, args, options);
    if (result === undefined) throw new InternalError(`${op} has no result`);
    return result;
  }

  private plain(op: NoAttributes, ...args: readonly Value[]): Value {
    return this.value(op, noAttributes, args);
  }

  // Constants.

  int(type: Type, bits: bigint | number): Value {
    return constant(type, bits);
  }

  i32(bits: bigint | number): Value {
    return constant('i32', bits);
  }

  bool(value: boolean): Value {
    return constant('i1', value ? 1n : 0n);
  }

  // Integers.

  iadd = (a: Value, b: Value): Value => this.plain('iadd', a, b);
  isub = (a: Value, b: Value): Value => this.plain('isub', a, b);
  imul = (a: Value, b: Value): Value => this.plain('imul', a, b);
  umulhi = (a: Value, b: Value): Value => this.plain('umulhi', a, b);
  smulhi = (a: Value, b: Value): Value => this.plain('smulhi', a, b);
  and = (a: Value, b: Value): Value => this.plain('and', a, b);
  or = (a: Value, b: Value): Value => this.plain('or', a, b);
  xor = (a: Value, b: Value): Value => this.plain('xor', a, b);
  not = (a: Value): Value => this.plain('xor', a, constant(a.type, -1n));
  neg = (a: Value): Value => this.plain('isub', constant(a.type, 0n), a);
  shl = (a: Value, amount: Value): Value => this.plain('shl', a, amount);
  lshr = (a: Value, amount: Value): Value => this.plain('lshr', a, amount);
  ashr = (a: Value, amount: Value): Value => this.plain('ashr', a, amount);
  shlw = (a: Value, amount: Value): Value => this.plain('shlw', a, amount);
  lshrw = (a: Value, amount: Value): Value => this.plain('lshrw', a, amount);
  ashrw = (a: Value, amount: Value): Value => this.plain('ashrw', a, amount);
  umin = (a: Value, b: Value): Value => this.plain('umin', a, b);
  umax = (a: Value, b: Value): Value => this.plain('umax', a, b);
  smin = (a: Value, b: Value): Value => this.plain('smin', a, b);
  smax = (a: Value, b: Value): Value => this.plain('smax', a, b);
  popcount = (a: Value): Value => this.plain('popcount', a);
  clz = (a: Value): Value => this.plain('clz', a);
  bitreverse = (a: Value): Value => this.plain('bitreverse', a);
  icmp = (relation: IntegerRelation, a: Value, b: Value): Value => this.value('icmp', { relation }, [a, b]);
  select = (condition: Value, then: Value, otherwise: Value): Value => this.plain('select', condition, then, otherwise);

  div(op: 'udiv' | 'sdiv' | 'urem' | 'srem', a: Value, b: Value): Value {
    return this.plain(op, a, b);
  }

  /**
   * Converts to an integer type that is wider, narrower or equal; `signed` selects the extension.
   */
  resize(a: Value, type: Type, signed = false): Value {
    const [from, to] = [widthOf(a.type), widthOf(type)];
    if (from === to) return this.bitcast(a, type);
    if (from > to) return this.value('trunc', { to: type }, [this.bitcast(a, integerOf(from))]);
    return this.value(signed ? 'sext' : 'zext', { to: type }, [this.bitcast(a, integerOf(from))]);
  }

  bitcast(a: Value, type: Type): Value {
    return a.type === type ? a : this.value('bitcast', { to: type }, [a]);
  }

  join = (low: Value, high: Value): Value => this.plain('join', low, high);

  split(a: Value): readonly [Value, Value] {
    const known = this.halves(a);
    if (known) return known;
    const [low, high] = this.emit('split', {}, [a]);
    if (low === undefined || high === undefined) throw new InternalError('split has two results');
    return [low, high];
  }

  // Floating point.

  fop(op: RoundedOp, rounded: Rounded, ...args: readonly Value[]): Value {
    return this.value(op, rounded, args);
  }

  fcmp(relation: FloatRelation, ftz: boolean, a: Value, b: Value): Value {
    return this.value('fcmp', { relation, ftz }, [a, b]);
  }

  /** Calls a function of the prelude. Returns its result, or the two words of a `vec2<u32>`. */
  helper(call: HelperCall, ...args: readonly Value[]): readonly Value[] {
    return this.emit('helper', call, args);
  }

  // Control.

  edge(to: Block, args: readonly Value[] = []): Edge {
    return { to, args };
  }

  jump(from: Block, to: Block, args: readonly Value[] = []): void {
    from.end = { kind: 'jump', to: { to, args }, span: this.span };
  }
}
