// What is known of a kernel's parameters and threads.
import type { ScalarKind } from '../../base/launch.ts';
import type { Variable } from '../../ptx/ast.ts';
import type { ImageUse } from './image-use.ts';
import type { ThreadUse } from './thread-use.ts';

export type Axis = 'x' | 'y' | 'z';

/**
 * What a number is for. Of several uses, the first of this list that there is:
 * - `shift`: how far something is shifted
 * - `pitch`: an index of a thread or of a loop is multiplied by it, in an address
 * - `count`: an index of a thread or of a loop is compared with it
 * - `divisor`: something is divided by it
 * - `flag`: it is compared with constants, and nothing else
 * - `offset`: it is added to an address
 * - `number`: it takes part in arithmetic
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
  /** Of what it points to. */
  readonly element: ScalarKind;
  readonly reads: boolean;
  readonly writes: boolean;
  /** Whether its elements take part in addresses. */
  readonly holdsIndexes: boolean;
  /** Whether its elements are addresses. */
  readonly holdsPointers: boolean;
}

export interface NumberUse {
  readonly kind: 'number';
  readonly role: NumberRole;
  /** Of a count: the axes of the threads whose index it bounds. Empty for a loop's. */
  readonly axes: readonly Axis[];
  /** What it is compared with. */
  readonly constants: readonly number[];
}

export interface ParamUse {
  readonly variable: Variable;
  /** In order. A parameter that is no struct has one, at offset 0; one that the kernel ignores has none. */
  readonly fields: readonly FieldUse[];
  /** Of a handle of a texture or surface. */
  readonly image: ImageUse | undefined;
}

export interface KernelUse {
  readonly params: readonly ParamUse[];
  readonly threads: ThreadUse;
  /** Whether it follows an address that it loads from a place that no parameter points to. */
  readonly followsUnknown: boolean;
}
