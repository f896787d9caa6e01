// The framework that the legalization families share: it walks a function, replaces instructions by
// a family's rules, and replaces values of a type by one or several values of other types.

import { at, InternalError, missing } from '../../base/invariants.ts';
import { allWorkarounds, type Workarounds } from '../../base/workarounds.ts';
import { compileDiagnostics, refuse } from '../diagnostics.ts';
import { reversePostorder } from '../graph/flow-graph.ts';
import type { Builder } from '../ir/builder.ts';
import { IdMap } from '../ir/id-map.ts';
import {
  type Block,
  type Definition,
  edgesOf,
  type Func,
  type Inst,
  type InstNamed,
  isDefinition,
  type Param,
  type Program,
  readsAny,
  sameValue,
  undef,
  type Value,
} from '../ir/nodes.ts';
import { type HelperCall, helperResults, type OpName } from '../ir/operations.ts';
import type { Type } from '../ir/types.ts';
import { unknownZero } from '../ir/unknown-zero.ts';

/**
 * Lowers an instruction. Returns, for each result, the values that replace it. Undefined means that
 * the instruction stays.
 */
export type Lower<Op extends OpName> = (lowering: Lowering, inst: InstNamed<Op>) => readonly Value[] | undefined;

/** A rule that depends only on the arguments and results, and not on attributes. */
export type Plain = (lowering: Lowering, inst: Inst) => readonly Value[] | undefined;

export interface Family {
  /**
   * Returns the types of the values that replace a value of this type; undefined if values of this
   * type stay.
   */
  readonly parts?: (type: Type) => readonly Type[] | undefined;
  /** Returns the values that replace a constant or an undefined value. */
  readonly literal?: (value: Value) => readonly Value[];
  /** The suffixes for the hints of several parts. */
  readonly suffixes?: readonly string[];
  readonly rules: { readonly [Op in OpName]?: Lower<Op> };
  /** Default: all workarounds. */
  readonly workarounds?: Workarounds;
  /** Whether the rules also apply to instructions without any value of the family's types. */
  readonly all?: boolean;
  /**
   * Returns a description of a property of the instruction that the rules do not support; undefined
   * if there is none.
   */
  readonly unsupported?: (inst: Inst) => string | undefined;
}

/**
 * `partwise`: operations that apply to each part separately. `passing`: operations that only pass
 * values on.
 */
const partwise: ReadonlySet<OpName> = new Set(['select']);
const passing: ReadonlySet<OpName> = new Set(['call', 'warp']);

/** Lowers a family in a program. */
export function lowerProgram(program: Program, builder: Builder, family: Family, contents = new Contents()): void {
  program.functions = program.functions.map((func) => lowerFunc(func, builder, family, contents));
  lowerFunc(program.kernel, builder, family, contents);
}

/** Lowers a family in a function. Returns the same function, unless its result types change. */
export function lowerFunc(func: Func, builder: Builder, family: Family, contents = new Contents()): Func {
  if (!concerns(family, contents.of(func))) return func;
  contents.forget(func);
  new Lowering(func, builder, family).run();
  const { parts } = family;
  if (!parts || !func.results.some((type) => parts(type))) return func;
  const made = { ...func, results: func.results.flatMap((type) => parts(type) ?? [type]) };
  contents.forget(made);
  return made;
}

/** Whether a function contains operations or types of the family. */
function concerns({ rules, all, parts }: Family, { ops, types }: FoundContents): boolean {
  if (all) for (const op of ops) if (rules[op]) return true;
  if (parts) for (const type of types) if (parts(type) !== undefined) return true;
  return false;
}

interface FoundContents {
  readonly ops: ReadonlySet<OpName>;
  /** The types of the values that are read or defined. */
  readonly types: ReadonlySet<Type>;
}

/**
 * Caches the operations and types in each function. A function is scanned once, and again after a
 * family has changed it.
 */
export class Contents {
  private readonly known = new Map<Func, FoundContents>();
  private readonly changed = new Set<Func>();

  of(func: Func): FoundContents {
    const known = this.known.get(func);
    if (known !== undefined) return known;
    const [ops, types] = [new Set<OpName>(), new Set<Type>()];
    // Consecutive values often have the same type. Remember the last type, to avoid most set
    // operations.
    let lastType: Type | undefined;
    let lastOp: OpName | undefined;
    const addOne = ({ type }: Value) => {
      if (type === lastType) return;
      lastType = type;
      types.add(type);
    };
    const add = (values: readonly Value[]) => {
      for (let at = 0; at < values.length; at++) {
        const value = values[at];
        if (value !== undefined) addOne(value);
      }
    };
    for (const { params, insts, end } of func.blocks) {
      add(params);
      for (const inst of insts) {
        if (inst.op !== lastOp) {
          lastOp = inst.op;
          ops.add(lastOp);
        }
        add(inst.results);
        add(inst.args);
      }
      if (end.kind === 'branch') addOne(end.condition);
      else if (end.kind === 'switch') addOne(end.selector);
      else if (end.kind === 'return') add(end.values);
      for (const { args } of edgesOf(end)) add(args);
    }
    const found = { ops, types };
    this.known.set(func, found);
    return found;
  }

  forget(func: Func): void {
    this.known.delete(func);
    this.changed.add(func);
  }

  /** Whether a family has changed the function, or the function from which it was copied. */
  isChanged(func: Func): boolean {
    return this.changed.has(func);
  }
}

export class Lowering {
  readonly builder: Builder;
  readonly func: Func;
  readonly workarounds: Workarounds;
  private readonly family: Family;
  private readonly values = new IdMap<Definition, readonly Value[]>();
  /** The condition of the instruction that is being replaced, until a new instruction uses it. */
  private guard: { readonly when: Value; readonly otherwise: readonly Value[] } | undefined;
  private inst: Inst | undefined;
  /** Instructions to insert at the beginning of the function. */
  private readonly first: Inst[] = [];
  private hiddenZero: Value | undefined;

  constructor(func: Func, builder: Builder, family: Family) {
    this.func = func;
    this.builder = builder;
    this.family = family;
    this.workarounds = family.workarounds ?? allWorkarounds;
  }

  run(): void {
    const { func } = this;
    func.blocks = reversePostorder(func);
    for (const block of func.blocks) this.params(block);
    for (const block of func.blocks) {
      const { insts } = block;
      // Fill a new list, because a block's list must not change during the walk.
      const out: Inst[] = [];
      for (const inst of insts) this.visit(inst, out);
      block.insts = out;
    }
    for (const block of func.blocks) this.end(block);
    func.blocks[0]?.insts.unshift(...this.first);
  }

  /** Returns the result of `unknownZero`, computed once for the whole function. */
  unknownZero(): Value {
    const { builder } = this;
    this.hiddenZero ??= builder.within(this.first, () => unknownZero(builder));
    return this.hiddenZero;
  }

  /** Returns the values that replace a value, in the order of its parts. */
  parts(value: Value): readonly Value[] {
    if (isDefinition(value)) return this.values.get(value) ?? [value];
    return this.family.literal && this.family.parts?.(value.type) ? this.family.literal(value) : [value];
  }

  /** Returns the single value that replaces an argument. */
  arg(inst: Inst, index: number): Value {
    const arg = inst.args[index];
    const [value] = arg ? this.parts(arg) : [];
    if (value === undefined) throw new InternalError(`${inst.op} has no argument ${index + 1}`);
    return value;
  }

  /** Returns the values that replace all arguments. */
  args(inst: Inst): readonly Value[] {
    return inst.args.flatMap((arg) => this.parts(arg));
  }

  /**
   * Calls a prelude function that returns the results of the current instruction. The call has the
   * instruction's condition.
   */
  result(call: HelperCall, ...args: readonly Value[]): readonly Value[] {
    const { guard } = this;
    this.guard = undefined;
    return this.builder.emit('helper', call, args, { hints: this.hints(), ...guard });
  }

  /**
   * Calls a prelude function for an intermediate value. If the instruction has a condition, so does
   * the call, because it may be costly.
   */
  call(call: HelperCall, ...args: readonly Value[]): readonly Value[] {
    if (this.guard === undefined) return this.builder.helper(call, ...args);
    const { when } = this.guard;
    const otherwise = helperResults(call).map(undef);
    return this.builder.emit('helper', call, args, { when, otherwise });
  }

  /** Aborts the translation with a diagnostic for an unsupported feature. */
  refuse(inst: Inst, what: string): never {
    return refuse(compileDiagnostics.notSupported(what), inst.span);
  }

  private hints(): readonly (string | undefined)[] {
    return (this.inst ?? missing('the current instruction')).results.flatMap(({ hint, type }) =>
      this.hintsOf(hint, type),
    );
  }

  private hintsOf(hint: string | undefined, type: Type): readonly (string | undefined)[] {
    const types = this.family.parts?.(type);
    if (types === undefined || types.length === 1) return [hint];
    // Absent: the family has no suffixes.
    return types.map((_, index) => hint && `${hint}${this.family.suffixes?.[index] ?? ''}`);
  }

  private params(block: Block): void {
    const { parts } = this.family;
    if (!parts || !block.params.some(({ type }) => parts(type))) return;
    block.params = block.params.flatMap((param) => {
      const types = parts(param.type);
      if (types === undefined) return [param];
      const hints = this.hintsOf(param.hint, param.type);
      const made = types.map(
        (type, index): Param => ({ kind: 'param', id: this.builder.ids.next(), type, hint: hints[index], block }),
      );
      this.values.set(param, made);
      return made;
    });
  }

  /** Whether other values replace a value. */
  private stands(value: Value): boolean {
    return isDefinition(value) ? this.values.has(value) : this.family.parts?.(value.type) !== undefined;
  }

  private changesAny(values: readonly Value[]): boolean {
    const { parts } = this.family;
    if (parts === undefined) return false;
    for (let at = 0; at < values.length; at++) {
      const value = values[at];
      if (value !== undefined && parts(value.type) !== undefined) return true;
    }
    return false;
  }

  private visit(inst: Inst, out: Inst[]): void {
    const rule = this.family.rules[inst.op] as Plain | undefined;
    const retyped = this.family.parts !== undefined && (this.changesAny(inst.args) || this.changesAny(inst.results));
    const { builder } = this;
    if (retyped || (rule && this.family.all)) {
      builder.into(out);
      builder.span = inst.span;
      this.inst = inst;
      const lowered = this.lower(inst, rule, retyped);
      if (lowered) return;
    }
    this.substitute(inst);
    out.push(inst);
  }

  private substitute(inst: Inst): void {
    inst.args = this.substituted(inst.args);
    if (inst.when === undefined) return;
    [inst.when = inst.when] = this.parts(inst.when);
    inst.otherwise = this.substituted(inst.otherwise);
  }

  private substituted(values: readonly Value[]): readonly Value[] {
    for (let at = 0; at < values.length; at++) {
      const value = values[at];
      if (value !== undefined && isDefinition(value) && this.values.has(value))
        return values.flatMap((each) => this.parts(each));
    }
    return values;
  }

  private lower(inst: Inst, rule: Plain | undefined, retyped: boolean): boolean {
    const when = inst.when && this.parts(inst.when)[0];
    const unsupported = rule && this.family.unsupported?.(inst);
    if (unsupported) this.refuse(inst, unsupported);
    this.guard = when && { when, otherwise: inst.otherwise.flatMap((value) => this.parts(value)) };
    const { guard } = this;
    let values = rule?.(this, inst);
    if (values === undefined && retyped) values = this.generic(inst);
    if (values === undefined) return false;
    // If no call used the condition, all lanes compute the values, and the condition selects them.
    if (this.guard !== undefined && guard !== undefined) {
      const { builder } = this;
      values = values.map((value, index) =>
        builder.select(
          guard.when,
          value,
          at(guard.otherwise, index, 'a value for lanes in which the condition is false'),
        ),
      );
    }
    this.guard = undefined;
    this.define(inst, values);
    return true;
  }

  private define(inst: Inst, values: readonly Value[]): void {
    this.hints().forEach((hint, index) => {
      const value = values[index];
      if (value?.kind === 'result') value.hint ??= hint;
    });
    let next = 0;
    for (const result of inst.results) {
      // Absent: the type stays.
      const count = this.family.parts?.(result.type)?.length ?? 1;
      this.values.set(result, values.slice(next, next + count));
      next += count;
    }
    if (next !== values.length) throw new InternalError(`${inst.op} was given ${values.length} values for ${next}`);
  }

  private generic(inst: Inst): readonly Value[] {
    if (partwise.has(inst.op)) return this.choose(inst);
    if (!passing.has(inst.op)) return this.refuse(inst, `${inst.op} of ${inst.args[0]?.type ?? inst.results[0]?.type}`);
    const { guard } = this;
    this.guard = undefined;
    if (inst.op !== 'call') return this.builder.clone(inst, this.args(inst), { hints: this.hints(), ...guard });
    const results = inst.attrs.results.flatMap((type) => this.family.parts?.(type) ?? [type]);
    return this.builder.emit('call', { ...inst.attrs, results }, this.args(inst), { hints: this.hints(), ...guard });
  }

  private choose(inst: Inst): readonly Value[] {
    const [condition, then, otherwise] = inst.args;
    if (condition === undefined || then === undefined || otherwise === undefined)
      return missing('an operand of a selection');
    const others = this.parts(otherwise);
    const chosen = at(this.parts(condition), 0, 'a condition');
    return this.parts(then).map((value, index) => {
      const other = at(others, index, 'a part of a selection');
      return sameValue(value, other) ? value : this.builder.select(chosen, value, other);
    });
  }

  private end(block: Block): void {
    const { end } = block;
    const one = (value: Value): Value => at(this.parts(value), 0, 'a value');
    const all = (values: readonly Value[]): readonly Value[] => values.flatMap((value) => this.parts(value));
    const edge = ({ to, args }: { readonly to: Block; readonly args: readonly Value[] }) => ({ to, args: all(args) });
    if (!readsAny(end, (value) => this.stands(value))) return;
    if (end.kind === 'jump') block.end = { ...end, to: edge(end.to) };
    else if (end.kind === 'branch')
      block.end = { ...end, condition: one(end.condition), then: edge(end.then), else: edge(end.else) };
    else if (end.kind === 'switch') block.end = { ...end, selector: one(end.selector), edges: end.edges.map(edge) };
    else if (end.kind === 'return') block.end = { ...end, values: all(end.values) };
  }
}
