// Loads, stores and atomics, as decoded.
import type { Span, StateSpace, Variable } from '../../../ptx/ast.ts';
import type { Place } from './layout.ts';

/** `generic` looks at the window the address lies in. */
export type AccessSpace = StateSpace | 'generic';

export interface AccessOrigin {
  readonly variable: Variable;
  /** Where it is: an address of shared memory, or an offset in the function's stack frame. */
  readonly start: number;
  /** The launch's for dynamic shared memory. */
  readonly bytes: number;
}

/** The address operand of a load, store or atomic, decoded. */
export interface Access {
  readonly space: AccessSpace;
  readonly base: Place;
  readonly offset: number;
  /** 32-bit address arithmetic wraps. */
  readonly wraps: boolean;
  /** Bytes of the whole access, vector included. */
  readonly bytes: number;
  /** What its address must be a multiple of, where that is not `bytes`. */
  readonly align?: number;
  readonly span: Span;
  /** The variable that the address is counted from; undefined if there may be several, and in runs that do not sanitize. */
  readonly origin?: AccessOrigin;
  readonly verb: 'load' | 'store' | 'atomic';
  /** Orders itself (atomic, volatile, relaxed, acquire, release): no data race with another such access. */
  readonly strong: boolean;
  /** `.volatile`, which programs before sm_70 take for an order among lanes. */
  readonly volatile: boolean;
  /** Releases what lies before it, without a fence. */
  readonly releases: boolean;
}
