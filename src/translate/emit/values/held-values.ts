// How WGSL holds SSA values. A value is a `let` if all readings are in the block that defines it.
// Otherwise it is a variable in the innermost block with all readings. If that block is outside of
// a loop over slots, the variable is an array with one element per slot. `settle` decides this
// after all readings are known, and then patches the nodes of the tree in place. Values of a family
// share a variable from the start.

import { InternalError } from '../../../base/invariants.ts';
import { getOrInsert } from '../../../base/maps.ts';
import type { Workarounds } from '../../../base/workarounds.ts';
import * as w from '../../../wgsl/tree/build.ts';
import { type Expr, Name, type ScalarType, type Stmt, type WgslType } from '../../../wgsl/tree/nodes.ts';
import type { Scope, Writer } from '../../../wgsl/tree/writer.ts';
import { IdMap, type ReadonlyIdMap } from '../../ir/id-map.ts';
import type { Definition, Param, Value } from '../../ir/nodes.ts';
import { isMatrixType, shapeOf, type Type } from '../../ir/types.ts';
import type { Family } from './shared-variables.ts';

const wgslTypes: Readonly<Partial<Record<Type, ScalarType>>> = { i1: 'bool', i32: 'u32', f32: 'f32' };

/** Returns the WGSL type of a legal IR type. Words are u32. */
export function wgslTypeOf(type: Type): ScalarType {
  const found = wgslTypes[type];
  if (found === undefined) throw new InternalError(`${type} is not legal`);
  return found;
}

/** Returns the WGSL type of any legal value: a scalar or a subgroup matrix. */
export const heldTypeOf = (type: Type): WgslType =>
  isMatrixType(type) ? { kind: 'matrix', ...shapeOf(type) } : wgslTypeOf(type);

/** A node that reads a value. It is patched once the value's variable is known. */
interface Reading {
  readonly node: Expr;
  readonly scope: Scope;
  /** The slot of the lane; undefined for an array of all slots. */
  readonly slot: Expr | undefined;
  readonly before: Reading | undefined;
}

/** A value or a family of values, and whether WGSL holds it in a `let` or in a variable. */
export interface Held {
  readonly value: Definition;
  readonly family: Family | undefined;
  name: Name;
  readonly type: WgslType;
  /** The `let` of the value; undefined if the value is assigned. */
  definition: { readonly stmt: Stmt; readonly scope: Scope; readonly slot: Expr } | undefined;
  /** The latest reading, which links to the previous one. */
  readings: Reading | undefined;
  /** Whether the value has assignments. Their targets are among the readings. */
  assigned: boolean;
  /** Whether an expression has adopted the name, so that other code refers to it, too. */
  isAdopted: boolean;
  /** If the definition is written twice: the value in the code that was written first. */
  readonly before: Held | undefined;
}

export interface HoldOptions {
  /** Lanes per invocation. */
  readonly slots: number;
  /**
   * Whether the kernel is dispatched. Control then reaches code along paths that the nesting of
   * blocks does not show, so variables are declared at the top of the function.
   */
  readonly dispatched: boolean;
}

export class HeldValues {
  private readonly writer: Writer;
  private readonly options: HoldOptions;
  private readonly workarounds: Workarounds;
  private readonly held = new IdMap<Definition, Held>();
  private readonly all: Held[] = [];
  /** Expressions that are written at their single reading. */
  private readonly pending = new IdMap<Definition, (slot: Expr) => Expr>();
  /** Expressions that are written at every reading, such as builtins and constants. */
  private readonly known = new IdMap<Definition, (slot: Expr) => Expr>();
  private readonly root: Scope;
  private families: ReadonlyIdMap<Definition, Family> = new IdMap<Definition, Family>();
  private readonly heldFamilies = new Map<Family, Held>();
  /** While `watch` runs: the variables that expressions read. */
  private watched: Set<Held> | undefined;

  constructor(writer: Writer, options: HoldOptions, workarounds: Workarounds) {
    this.writer = writer;
    this.options = options;
    this.workarounds = workarounds;
    this.root = writer.scope;
  }

  /** Sets which values share a variable. Call this before any value is read or written. */
  share(families: ReadonlyIdMap<Definition, Family>): void {
    this.families = families;
  }

  /**
   * Whether a `let` or a variable holds the value. If not, the value is written at every reading.
   */
  isHeld(value: Definition): boolean {
    return !this.known.has(value);
  }

  /** Whether one variable holds both values. */
  shareVariable(a: Definition, b: Definition): boolean {
    if (a === b) return true;
    const family = this.families.get(a);
    return family !== undefined && family === this.families.get(b);
  }

  variableOf(param: Param): Held {
    return this.heldAs(param);
  }

  /** Returns the value in the lane of `slot`. */
  read(value: Value, slot: Expr): Expr {
    if (value.kind === 'undef') return w.literal(wgslTypeOf(value.type), 0n);
    if (value.kind === 'constant') {
      return value.type === 'f32' ? w.f32(value.bits) : w.literal(wgslTypeOf(value.type), value.bits);
    }
    const written = this.pending.get(value) ?? this.known.get(value);
    if (written !== undefined) return written(slot);
    const held = this.heldAs(value);
    this.watched?.add(held);
    const node: Expr = { kind: 'name', type: held.type, name: held.name };
    this.note(held, node, slot);
    return node;
  }

  private note(held: Held, node: Expr, slot: Expr | undefined): void {
    const { scope } = this.writer;
    // A reading in the defining block does not affect how the value is held, unless the value may
    // become an element of an array, or share a variable.
    if (this.options.slots === 1 && !this.options.dispatched && held.definition?.scope === scope) return;
    held.readings = { node, scope, slot, before: held.readings };
  }

  /** Returns the values of all lanes of the invocation, as one array. */
  readWhole(value: Value, type: ScalarType): Expr {
    const array = w.array(type, this.options.slots);
    if (value.kind === 'undef' || value.kind === 'constant' || this.pending.has(value) || this.known.has(value)) {
      const name = new Name('given');
      this.writer.push({ kind: 'var', name, type: array, value: undefined });
      const slot = new Name('s');
      const at = w.ref(slot, 'u32');
      const body = this.writer.nest(() => {
        this.writer.push({ kind: 'assign', target: w.index(w.ref(name, array), at), value: this.read(value, at) });
      }, slot);
      this.writer.push({ kind: 'repeat', name: slot, count: this.options.slots, body });
      return w.ref(name, array);
    }
    const held = this.heldAs(value);
    const node: Expr = { kind: 'name', type: array, name: held.name };
    this.note(held, node, undefined);
    return node;
  }

  /** Runs `write`, and returns its result and the variables that it reads. */
  watch<T>(write: () => T): { readonly result: T; readonly reads: ReadonlySet<Held> } {
    const outside = this.watched;
    this.watched = new Set();
    const result = write();
    const reads = this.watched;
    this.watched = outside;
    for (const held of reads) outside?.add(held);
    return { result, reads };
  }

  /** Emits the value as this expression at its single reading. */
  inline(value: Definition, expression: (slot: Expr) => Expr): void {
    this.pending.set(value, expression);
  }

  /** Emits the value as this expression at every reading. */
  alias(value: Definition, expression: (slot: Expr) => Expr): void {
    this.known.set(value, expression);
  }

  /** Names the value of an expression. */
  define(value: Definition, expression: Expr, slot: Expr): void {
    let held = this.heldAs(value);
    if (held.definition !== undefined && !held.assigned) {
      held = newHeld(value, undefined, held);
      this.held.set(value, held);
      this.all.push(held);
    }
    if (held.assigned) {
      this.assign(value, expression, slot);
      return;
    }
    const { scope } = this.writer;
    const last = scope.stmts[scope.stmts.length - 1];
    const isNew = this.options.slots === 1 && held.readings === undefined && held.before === undefined;
    if (
      isNew &&
      expression.kind === 'name' &&
      last?.kind === 'let' &&
      last.name === expression.name &&
      last !== scope.defined
    ) {
      // The expression's name becomes the value's name, unless another value already has this name.
      // In that case, each value may still become a variable later.
      last.name.hint = held.name.hint;
      held.name = last.name;
      held.isAdopted = true;
      held.definition = { stmt: last, scope, slot };
      scope.defined = last;
      return;
    }
    const stmt = this.writer.let(held.name, expression);
    scope.defined = stmt;
    held.definition = { stmt, scope, slot };
  }

  /** Assigns the variable of the value. */
  assign(value: Definition, expression: Expr, slot: Expr): void {
    const held = this.heldAs(value);
    held.assigned = true;
    const target: Expr = { kind: 'name', type: held.type, name: held.name };
    this.note(held, target, slot);
    this.writer.push({ kind: 'assign', target, value: expression });
  }

  /**
   * Declares the value's variable in a scope that contains the current place, without assigning the
   * variable. For example, a value that a loop keeps between iterations needs its variable declared
   * before the loop.
   */
  reach(value: Definition): void {
    const held = this.heldAs(value);
    const node: Expr = { kind: 'name', type: held.type, name: held.name };
    this.note(held, node, undefined);
  }

  private heldAs(value: Definition): Held {
    const known = this.held.get(value);
    if (known !== undefined) return known;
    const family = this.families.get(value);
    const held = (family && this.heldFamilies.get(family)) ?? newHeld(value, family);
    this.held.set(value, held);
    if (family === undefined) {
      this.all.push(held);
    } else if (!this.heldFamilies.has(family)) {
      this.heldFamilies.set(family, held);
      this.all.push(held);
    }
    return held;
  }

  /**
   * Chooses a `let` or a variable for each value, and patches the tree. `sharing` may merge
   * variables of the function.
   */
  settle(sharing?: (variables: readonly Held[], join: (joining: Held, leader: Held) => void) => void): void {
    const declarations = new Map<Scope, Stmt[]>();
    const shared = new Set<Held>();
    for (const held of this.all) {
      // A value that is defined twice becomes a variable for both definitions, or a `let` in each.
      if (held.before === undefined || !(isVariable(held) || isVariable(held.before))) continue;
      shared.add(held).add(held.before);
    }
    const variables = this.all.filter((held) => shared.has(held) || isVariable(held));
    const joined = new Set<Held>();
    sharing?.(
      variables.filter((held) => !held.isAdopted && !(shared.has(held) && held.before)),
      (joining, leader) => {
        joining.name = leader.name;
        joined.add(joining);
      },
    );
    for (const held of variables) {
      const { before } = held;
      if (before !== undefined && shared.has(before)) {
        // The value that was written first is earlier in the list, so it already has its final
        // name.
        held.name = before.name;
        joined.add(held);
      }
      this.makeVariable(held, declarations, !joined.has(held));
    }
    if (this.workarounds.has('run-time-literals')) for (const held of this.all) makeRunTimeValue(held);
    for (const [{ stmts }, declared] of declarations) {
      // Fill the same list, because the tree refers to it. Push the statements one by one, because
      // their number may exceed the limit on a call's arguments.
      const written = stmts.splice(0);
      for (const list of [declared, written]) for (const stmt of list) stmts.push(stmt);
    }
  }

  private makeVariable(held: Held, declarations: Map<Scope, Stmt[]>, isOwn: boolean): void {
    const { name, type, definition, readings } = held;
    let place = definition?.scope ?? readings?.scope ?? this.root;
    if (this.options.dispatched) place = this.root;
    else for (let at = readings; at !== undefined; at = at.before) place = place.common(at.scope);
    const isArray = this.options.slots > 1 && !place.isInSlots;
    if (isOwn) {
      const whole = isArray ? w.array(type, this.options.slots) : type;
      getOrInsert(declarations, place, () => []).push(w.variable(name, whole));
    }
    if (definition !== undefined && definition.stmt.kind === 'let') {
      const target: Expr = { kind: 'name', type, name };
      if (isArray) makeElement(target, type, name, definition.slot, this.options.slots);
      Object.assign(definition.stmt, { kind: 'assign', target });
    }
    for (let at = readings; at !== undefined; at = at.before) {
      if (isArray && at.slot) makeElement(at.node, type, name, at.slot, this.options.slots);
      else if (!isOwn) Object.assign(at.node, { name });
    }
  }
}

/**
 * Turns a `let` of a literal into a `var`. In WGSL such a `let` is not a constant expression. naga
 * (Firefox) folds it and rejects constant shifts by 32 or more, divisions by 0 and indices out of
 * bounds.
 */
function makeRunTimeValue({ definition, type }: Held): void {
  if (definition?.stmt.kind !== 'let' || definition.stmt.value.kind !== 'literal') return;
  Object.assign(definition.stmt, { kind: 'var', type });
}

const isVariable = (held: Held): boolean =>
  held.assigned || held.definition === undefined || isReadOutside(held, held.definition.scope);

function isReadOutside({ readings }: Held, scope: Scope): boolean {
  for (let at = readings; at !== undefined; at = at.before) if (!at.scope.isWithin(scope)) return true;
  return false;
}

function newHeld(value: Definition, family: Family | undefined, before?: Held): Held {
  return {
    value,
    family,
    // Absent: most values have no name in PTX.
    name: new Name((family ?? value).hint ?? 't'),
    type: heldTypeOf(value.type),
    definition: undefined,
    readings: undefined,
    assigned: family !== undefined,
    isAdopted: false,
    before,
  };
}

function makeElement(node: Expr, type: WgslType, name: Name, slot: Expr, slots: number): void {
  const base: Expr = { kind: 'name', type: { kind: 'array', of: type, length: slots }, name };
  Object.assign(node, { kind: 'index', type, base, index: slot });
}
