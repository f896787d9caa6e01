// A litmus test: a small program with a condition on its final state.
import type { PtxFunction, Source, Span, Variable } from '../../ptx/ast.ts';
import type { MemorySpace, Placement } from '../event.ts';
import type { Condition, Observable, Outcome } from './condition.ts';

/** A variable of a test. A `.shared` variable exists once for each block. */
export interface TestVariable {
  readonly variable: Variable;
  /** The block of a `.shared` variable. */
  readonly block: number | undefined;
  /** The virtual address. */
  readonly address: number;
  /** The name of the variable whose memory an alias maps; undefined for other variables. */
  readonly aliasOf: string | undefined;
}

/** The distance between virtual addresses that map the same memory. */
const viewStride = 2 ** 40;

/** Returns an address in the mapping with a number. */
export const aliasAddress = (address: number, view: number): number => address + view * viewStride;

/** Returns the place in memory of a virtual address, and the number of its mapping. */
export const placeOf = (address: number): { readonly address: number; readonly view: number } => ({
  address: address % viewStride,
  view: Math.floor(address / viewStride),
});

export const spaceOf = ({ space }: Variable): MemorySpace => (space === 'shared' ? 'shared' : 'global');

export interface TestThread {
  readonly name: string;
  readonly placement: Placement;
  /** The instructions. Their spans refer to the module's text (`LitmusTest.place`). */
  readonly code: PtxFunction;
}

/** Whether PTX must forbid or allow the condition; `exists` expects nothing. */
export type Expectation = 'allowed' | 'forbidden' | 'exists';

/** The keyword of a condition. `always` states the only final state. */
export type ConditionKind = Expectation | 'always';

export interface LitmusTest {
  readonly name: string;
  /** The file, for diagnostics. */
  readonly source: Source;
  readonly variables: readonly TestVariable[];
  readonly threads: readonly TestThread[];
  readonly expectation: Expectation;
  /**
   * The only final state, which the manual guarantees, if the test states it. The model does not
   * decide such a test, so its instructions may be any.
   */
  readonly stated?: Outcome;
  readonly observables: readonly Observable[];
  readonly condition: Condition;
  /** The condition as written, with single spaces. */
  readonly conditionText: string;
  /** The PTX module that the parser read. */
  readonly moduleText: string;
  /** Returns the place in the file for a place in the module's text. */
  readonly place: (span: Span) => Span;
  /** The place of the test's first line. */
  readonly span: Span;
}
