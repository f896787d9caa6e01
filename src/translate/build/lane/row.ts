// The builders of lane instructions, and small functions that read their operands and modifiers.
import { at, InternalError } from '../../../base/invariants.ts';
import type { Mods } from '../../../isa/index.ts';
import type { Builder } from '../../ir/builder.ts';
import type { Value } from '../../ir/nodes.ts';
import type { HelperCall, HelperType } from '../../ir/operations.ts';
import type { Type } from '../../ir/types.ts';
import { isSigned, ptxType, typeOf } from '../types.ts';

/**
 * Builds an instruction. The arguments are the sources in the order of the row's syntax, with the
 * types of their operands. An omitted optional operand has no argument, and the carry flag is last.
 * Returns the results in the order of the syntax, the carry flag last. `second`: whether the second
 * of two results is used.
 */
export type LaneBuild = (b: Builder, args: readonly Value[], second: boolean) => readonly Value[];

/** Creates the builder for a set of modifiers. All instructions with these modifiers share it. */
export type LaneRow = (mods: Mods) => LaneBuild;

/** Returns the argument with an index. Throws if the instruction lacks it. */
export const argAt = (args: readonly Value[], index: number): Value => at(args, index, 'an operand');

export const unary =
  (make: (b: Builder, x: Value) => Value): LaneBuild =>
  (b, args) => [make(b, argAt(args, 0))];

export const binary =
  (make: (b: Builder, x: Value, y: Value) => Value): LaneBuild =>
  (b, args) => [make(b, argAt(args, 0), argAt(args, 1))];

export interface NumberType {
  readonly type: Type;
  readonly signed: boolean;
}

/** Returns the type that a modifier names, and whether it is signed. */
export function numberType(name: string | undefined): NumberType {
  const type = ptxType(name);
  return { type: typeOf(type), signed: isSigned(type) };
}

/** Returns a function that builds a call of a prelude function on words with one result. */
export function helper(name: HelperCall['name'], params: readonly HelperType[], result: HelperType) {
  const call: HelperCall = { name, params, result };
  return (b: Builder, ...args: readonly Value[]): Value => b.value('helper', call, args);
}

/** Returns a table's entry for a modifier. Throws if the table lacks it. */
export function choice<T>(table: Readonly<Record<string, T>>, name: string | undefined): T {
  const found = name !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
  if (found === undefined) throw new InternalError(`unknown modifier ${name}`);
  return found;
}
