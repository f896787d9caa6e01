// What a lane instruction becomes, and the small readings that its rows share.
import { at, InternalError } from '../../../base/invariants.ts';
import type { Mods } from '../../../isa/index.ts';
import type { Builder } from '../../ir/builder.ts';
import type { Value } from '../../ir/nodes.ts';
import type { HelperCall, HelperType } from '../../ir/operations.ts';
import type { Type } from '../../ir/types.ts';
import { isSigned, ptxType, typeOf } from '../types.ts';

/**
 * Sources in the order of the row's syntax, of their operands' types (absent where optional and not given; the carry flag last), to results in that
 * order (the carry flag last). `second`: whether the second of two results is wanted.
 */
export type LaneBuild = (b: Builder, args: readonly Value[], second: boolean) => readonly Value[];

/** Reads the modifiers once for all instructions that have them. */
export type LaneRow = (mods: Mods) => LaneBuild;

/** The argument at an index, which the instruction must have. */
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

/** The type that a modifier names. */
export function numberType(name: string | undefined): NumberType {
  const type = ptxType(name);
  return { type: typeOf(type), signed: isSigned(type) };
}

/** A prelude function on words with one result. */
export function helper(name: HelperCall['name'], params: readonly HelperType[], result: HelperType) {
  const call: HelperCall = { name, params, result };
  return (b: Builder, ...args: readonly Value[]): Value => b.value('helper', call, args);
}

/** The member of a table for a modifier. Throws where there is none. */
export function choice<T>(table: Readonly<Record<string, T>>, name: string | undefined): T {
  const found = name !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
  if (found === undefined) throw new InternalError(`no meaning of the modifier ${name}`);
  return found;
}
