// What memories a kernel needs: what the emitter declares.

/** Words of an element of a memory. */
export type Granule = 1 | 2 | 4;

interface Elements {
  /** What to call it. */
  readonly hint: string;
  /** More than 1 where vector accesses reach it, unless its words are atomic. */
  readonly granule: Granule;
  readonly atomic: boolean;
  /** Whether accesses of 64 bits and more are one step each: WGSL has atomics of words only, so they go by locks. */
  readonly cells: boolean;
}

/** A kernel parameter's own buffer. */
export interface BufferPlan extends Elements {
  readonly param: number;
  readonly read: boolean;
  readonly written: boolean;
  /** Whether 64-bit numbers move its address that may be distances to other memory. */
  readonly moved: boolean;
}

/** Variables of shared or local memory that are one array. */
export interface ArrayPlan extends Elements {
  readonly space: 'shared' | 'local';
  /** Bytes: where it begins in its space. */
  readonly start: number;
  readonly words: number;
}

/** Words of locks in a buffer of their own, and in shared memory. A power of two, and a word more that stays 0. */
export const lockWords = { global: 2 ** 18 + 1, shared: 2 ** 6 + 1 } as const;

/**
 * Bytes of local memory that an invocation keeps in variables of its own. NVIDIA's driver makes no pipeline from 16 KiB on, and others take quadratic time
 * to compile large ones: more lies in a buffer.
 */
const privateBytes = 8 * 1024;

/** Whether local memory of so many bytes a lane lies in a buffer, where an invocation has `slots` lanes. */
export const isLocalBuffered = (laneBytes: number, slots: number): boolean => laneBytes * slots > privateBytes;

export interface MemoryPlan {
  /** By kernel parameter. */
  readonly buffers: ReadonlyMap<number, BufferPlan>;
  /** Parameters, by number, that may be pointers or numbers as far as PTX says, where the plan depends on it. */
  readonly unclear: ReadonlySet<number>;
  /** Whether the heap is accessed, and how. */
  readonly heap: Elements & { readonly read: boolean; readonly written: boolean };
  /** By the number in an access's root. */
  readonly arrays: readonly ArrayPlan[];
  /** Bytes of shared memory, in whole words. */
  readonly sharedBytes: number;
  /** Initial contents of the heap up to the first launch buffer. */
  readonly heapImage: Uint8Array;
}
