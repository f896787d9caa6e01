// Where a memory access goes, and in which order.
import type { Variable } from '../../ptx/ast.ts';

/** A state space of PTX as an address is understood in it. */
export type Space = 'generic' | 'global' | 'shared' | 'local' | 'const' | 'param';

/**
 * What an access counts its bytes from.
 * - `address`: the index is a whole address in a state space, as PTX computes it; of 32 or 64 bits
 * - `buffer`: the start of a kernel parameter's own buffer
 * - `heap`: the start of the flat heap that all other global memory shares
 * - `array`: the start of an array of shared or local memory (a key of the layout)
 * - `param`: the start of a kernel parameter
 * - `generic`: the index is a 32-bit generic address: heap offsets below, windows of shared and local memory above
 */
export type Root =
  | { readonly kind: 'address'; readonly space: Space }
  | { readonly kind: 'buffer'; readonly param: number }
  | { readonly kind: 'heap' }
  | { readonly kind: 'array'; readonly array: number }
  | { readonly kind: 'param'; readonly param: number }
  | { readonly kind: 'generic' };

/** `index * unit + offset` bytes behind the root. The index is the access's first argument; an access without one has `indexed: false`. */
export interface Place {
  readonly root: Root;
  /** Bytes that 1 in the index stands for. */
  readonly unit: number;
  readonly offset: number;
  readonly indexed: boolean;
}

/** `weak` accesses may be moved, merged and repeated as PTX lets compilers; `volatile` and the others may not, and happen as one access of a word. */
export type Order = 'weak' | 'volatile' | 'relaxed' | 'acquire' | 'release' | 'acq_rel' | 'sc';

/** Scope of an ordered access or fence. */
export type MemoryScope = 'cta' | 'cluster' | 'gpu' | 'sys';

export const atomicOps = ['add', 'min', 'max', 'and', 'or', 'xor', 'exch', 'cas', 'inc', 'dec'] as const;
export type AtomicOp = (typeof atomicOps)[number];

/**
 * What is done to an mbarrier, of whose two words the access names the first.
 * - `arrive`: so many arrivals, which may complete the phase
 * - `drop`: so many arrivals less are expected from the next phase on
 * - `transfer`: so many bytes more are expected; modulo 2^32
 */
export const mbarrierOps = ['arrive', 'drop', 'transfer'] as const;
export type MbarrierOp = (typeof mbarrierOps)[number];
export const isMbarrierOp = (op: string): op is MbarrierOp => mbarrierOps.some((name) => name === op);

/** What is done to several words in one step. */
export const cellOps = [...atomicOps, 'load', 'store'] as const;
export type CellOp = (typeof cellOps)[number];

/** Words of values that one operation on a cell takes. */
export const cellValues = (op: CellOp): number => (op === 'load' ? 0 : op === 'cas' ? 2 : 1);

/** The address of a variable, in its own state space. */
export interface VariableAddress {
  readonly variable: Variable;
  readonly offset: number;
}
