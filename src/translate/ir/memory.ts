// Memory accesses: their places and their ordering.
import type { Variable } from '../../ptx/ast.ts';

/** A state space of PTX, in which an address is interpreted. */
export type Space = 'generic' | 'global' | 'shared' | 'local' | 'const' | 'param';

/**
 * The origin from which an access counts its bytes.
 * - `address`: the index is a complete address in a state space, as PTX computes it, of 32 or 64
 *   bits.
 * - `buffer`: the start of a kernel parameter's own buffer.
 * - `heap`: the start of the flat heap, which contains all other global memory.
 * - `array`: the start of an array of shared or local memory (a key of the layout).
 * - `instructions`: the start of the instructions of an encoded kernel (`passes/encode`).
 * - `param`: the start of a kernel parameter.
 * - `generic`: the index is a 32-bit generic address: heap offsets first, then the windows of
 *   shared and local memory.
 */
export type Root =
  | { readonly kind: 'address'; readonly space: Space }
  | { readonly kind: 'buffer'; readonly param: number }
  | { readonly kind: 'heap' }
  | { readonly kind: 'instructions' }
  | { readonly kind: 'array'; readonly array: number }
  | { readonly kind: 'param'; readonly param: number }
  | { readonly kind: 'generic' };

/**
 * The place of an access: `index * unit + offset` bytes after the root. The index is the access's
 * first argument. An access without an index has `indexed: false`.
 */
export interface Place {
  readonly root: Root;
  /** The number of bytes per unit of the index. */
  readonly unit: number;
  readonly offset: number;
  readonly indexed: boolean;
}

/**
 * Accesses that are `weak` may be moved, merged and repeated, as PTX allows compilers to do. All
 * others, including `volatile`, execute exactly once, as one access of a word.
 */
export type Order = 'weak' | 'volatile' | 'relaxed' | 'acquire' | 'release' | 'acq_rel' | 'sc';

/** The scope of an ordered access or fence. */
export type MemoryScope = 'cta' | 'cluster' | 'gpu' | 'sys';

export const atomicOps = ['add', 'min', 'max', 'and', 'or', 'xor', 'exch', 'cas', 'inc', 'dec'] as const;
export type AtomicOp = (typeof atomicOps)[number];

/**
 * The operations on an mbarrier. The access names the first of its two words.
 * - `arrive`: adds arrivals, which may complete the phase
 * - `drop`: reduces the expected arrivals from the next phase on
 * - `transfer`: adds expected bytes, modulo 2^32
 */
export const mbarrierOps = ['arrive', 'drop', 'transfer'] as const;
export type MbarrierOp = (typeof mbarrierOps)[number];
export const isMbarrierOp = (op: string): op is MbarrierOp => mbarrierOps.some((name) => name === op);

/** The atomic operations on several words. */
export const cellOps = [...atomicOps, 'load', 'store'] as const;
export type CellOp = (typeof cellOps)[number];

/** Returns the number of operands of an operation on a cell. */
export const cellValues = (op: CellOp): number => (op === 'load' ? 0 : op === 'cas' ? 2 : 1);

/** The address of a variable, in its own state space. */
export interface VariableAddress {
  readonly variable: Variable;
  readonly offset: number;
}
