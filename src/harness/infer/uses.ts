// The inferred uses of a kernel's parameters and threads.
import type { ScalarKind } from '../../base/launch.ts';
import type { Variable } from '../../ptx/ast.ts';
import type { DeclaredType } from './declared-types.ts';
import type { ImageUse } from './image-use.ts';
import type { ThreadUse } from './thread-use.ts';

export type Axis = 'x' | 'y' | 'z';

/**
 * The role of a number. If it has several uses, the first role in this list applies.
 * - `shift`: a shift distance.
 * - `pitch`: a factor of a thread's or loop's index in an address.
 * - `count`: a bound of a thread's or loop's index.
 * - `divisor`: a divisor.
 * - `flag`: only compared with constants.
 * - `offset`: added to an address.
 * - `number`: an operand of other arithmetic.
 */
export type NumberRole = (typeof numberRoles)[number];
export const numberRoles = ['shift', 'pitch', 'count', 'divisor', 'flag', 'offset', 'number'] as const;

/** A parameter, or the part of a struct at an offset. */
export interface FieldUse {
  readonly offset: number;
  readonly bytes: number;
  readonly use: PointerUse | NumberUse;
}

export interface PointerUse {
  readonly kind: 'pointer';
  /** The type of the elements to which the parameter points. */
  readonly element: ScalarKind;
  readonly reads: boolean;
  readonly writes: boolean;
  /** Whether the elements are used in addresses. */
  readonly holdsIndexes: boolean;
  /** Whether the elements are addresses. */
  readonly holdsPointers: boolean;
}

export interface NumberUse {
  readonly kind: 'number';
  readonly role: NumberRole;
  /**
   * For a count, the thread axes whose index the count bounds. Empty if it bounds the index of a
   * loop.
   */
  readonly axes: readonly Axis[];
  /** The constants with which the number is compared. */
  readonly constants: readonly number[];
}

export interface ParamUse {
  /**
   * The parameter. If it is a number, it has the type in C++, if the kernel's name contains the
   * type.
   */
  readonly variable: Variable;
  /** The type in C++, if the kernel's name contains it and it consists of numbers of one kind. */
  readonly declared: DeclaredType | undefined;
  /**
   * The fields in order. A parameter that is not a struct has one field, at offset 0. An unused
   * parameter has no fields.
   */
  readonly fields: readonly FieldUse[];
  /** The inferred properties of a texture or surface, if the parameter is its handle. */
  readonly image: ImageUse | undefined;
}

export interface KernelUse {
  readonly params: readonly ParamUse[];
  readonly threads: ThreadUse;
  /** Whether the kernel uses an address that it loads from memory to which no parameter points. */
  readonly followsUnknown: boolean;
}
