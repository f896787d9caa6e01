// The decoded form of loads, stores and atomics.
import type { Span, StateSpace, Variable } from '../../../ptx/ast.ts';
import type { Place } from './layout.ts';

/** With `generic`, the address selects the space at run time, by its window. */
export type AccessSpace = StateSpace | 'generic';

export interface AccessOrigin {
  readonly variable: Variable;
  /**
   * The start of the variable: an address of shared memory, or an offset in the function's stack
   * frame.
   */
  readonly start: number;
  /** The size of the variable. For dynamic shared memory, the launch determines it. */
  readonly bytes: number;
}

/** The decoded address operand of a load, store or atomic. */
export interface Access {
  readonly space: AccessSpace;
  readonly base: Place;
  readonly offset: number;
  /** Whether the base is a 32-bit register, whose address arithmetic wraps. */
  readonly wraps: boolean;
  /** The bytes of the whole access, with all elements of a vector. */
  readonly bytes: number;
  /** The alignment of the address, if it differs from `bytes`. */
  readonly align?: number;
  readonly span: Span;
  /**
   * The variable to which the address points. Undefined if it is not unique, and in runs that do
   * not sanitize.
   */
  readonly origin?: AccessOrigin;
  readonly verb: 'load' | 'store' | 'atomic';
  /**
   * Whether the access is strong (atomic, volatile, relaxed, acquire, release): it does not race
   * with other strong accesses.
   */
  readonly strong: boolean;
  /**
   * Whether the access is `.volatile`, which programs from before sm_70 use to order accesses among
   * lanes.
   */
  readonly volatile: boolean;
  /** Whether the access itself releases earlier accesses, without a fence. */
  readonly releases: boolean;
}
