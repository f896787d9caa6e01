// The decoded form of loads, stores and atomics.
import type { Span, StateSpace, Variable } from '../../../ptx/ast.ts';
import type { Place } from './layout.ts';

/** A state space. For `generic`, the address determines the space at run time. */
export type AccessSpace = StateSpace | 'generic';

export interface AccessOrigin {
  readonly variable: Variable;
  /**
   * The start of the variable: an address of shared memory, or an offset in the function's stack
   * frame.
   */
  readonly start: number;
  /**
   * The size of the variable in bytes. For dynamic shared memory, the launch determines the size.
   */
  readonly bytes: number;
}

/** The decoded address operand of a load, store or atomic. */
export interface Access {
  readonly space: AccessSpace;
  readonly base: Place;
  readonly offset: number;
  /** Whether the base is a 32-bit register, so that the arithmetic on the address wraps. */
  readonly wraps: boolean;
  /** The number of bytes of the whole access, which is the sum over all elements of a vector. */
  readonly bytes: number;
  /** The required alignment of the address in bytes, if it differs from `bytes`. */
  readonly align?: number;
  readonly span: Span;
  /**
   * The variable to which the address points. Undefined if the variable is not unique, and in runs
   * that do not sanitize.
   */
  readonly origin?: AccessOrigin;
  readonly verb: 'load' | 'store' | 'atomic';
  /** Whether the state space is the shared memory of the thread's own block (`shared::cta`). */
  readonly own?: true;
  /**
   * Whether the access is strong (atomic, volatile, relaxed, acquire or release). A strong access
   * does not race with other strong accesses.
   */
  readonly strong: boolean;
  /**
   * Whether the access is `.volatile`. Programs from before sm_70 use such accesses to synchronize
   * lanes.
   */
  readonly volatile: boolean;
  /** Whether a copy makes the access after the instruction, and not the thread itself. */
  readonly isAsync?: true;
  /** Whether the access itself releases earlier accesses, without a fence. */
  readonly releases: boolean;
}
