// The memory that a kernel needs. The emitter declares it.

/** The number of words in an element of a memory. */
export type Granule = 1 | 2 | 4;

export interface Elements {
  /** A hint for the memory's name. */
  readonly hint: string;
  /**
   * The number of words in an element. It is more than 1 if vector accesses reach the memory and
   * its words are not atomic.
   */
  readonly granule: Granule;
  readonly atomic: boolean;
  /**
   * Whether an access of 64 bits or more is one atomic step. Such accesses use locks, because
   * WGSL's atomics are single words.
   */
  readonly cells: boolean;
  /**
   * Whether lanes also store single words of cells, without locks. A lane then loads the words of a
   * cell until two loads return the same.
   */
  readonly rereads: boolean;
  /**
   * Whether fences, releases and acquires order accesses of different threads to the memory. Its
   * elements are then atomic.
   */
  readonly ordered: boolean;
}

/** A kernel parameter's own buffer. */
export interface BufferPlan extends Elements {
  readonly param: number;
  readonly read: boolean;
  readonly written: boolean;
  /**
   * Whether barriers may order a store to the buffer with another access. One of the accesses may
   * precede a barrier, and one may follow a barrier.
   */
  readonly exchanged: boolean;
  /**
   * Whether the kernel adds 64-bit numbers to the buffer's address that may be distances to other
   * memory.
   */
  readonly moved: boolean;
}

/** Variables of shared or local memory that form one array. */
export interface ArrayPlan extends Elements {
  readonly space: 'shared' | 'local';
  /** The offset of the array in its space, in bytes. */
  readonly start: number;
  readonly words: number;
  /** Whether an array of shared memory is in a buffer, because workgroup memory lacks room. */
  readonly buffered: boolean;
}

/**
 * The number of lock words, in a separate buffer and in shared memory: a power of two, and one more
 * word that is always 0.
 */
export const lockWords = { global: 2 ** 18 + 1, shared: 2 ** 6 + 1 } as const;

/**
 * The largest local memory, in bytes, that an invocation keeps in variables. Larger local memory is
 * in a buffer, because NVIDIA's driver creates no pipeline from 16 KiB on, and other drivers take
 * quadratic time.
 */
const privateBytes = 8 * 1024;

/**
 * Whether local memory of `laneBytes` bytes per lane is in a buffer, if an invocation has `slots`
 * lanes.
 */
export const isLocalBuffered = (laneBytes: number, slots: number): boolean => laneBytes * slots > privateBytes;

/** The bytes that a shared array needs in workgroup memory. WebGPU rounds them up. */
export const workgroupBytesOf = ({ words }: Pick<ArrayPlan, 'words'>): number => Math.ceil(words / 4) * 16;

/** Returns the size of the arrays in workgroup memory, in bytes. */
export const arraysInWorkgroup = ({ arrays }: Pick<MemoryPlan, 'arrays'>): number =>
  arrays.reduce((sum, array) => (array.space === 'shared' && !array.buffered ? sum + workgroupBytesOf(array) : sum), 0);

export interface MemoryPlan {
  /** The plan of each buffer, by the number of the kernel parameter. */
  readonly buffers: ReadonlyMap<number, BufferPlan>;
  /**
   * The numbers of parameters that PTX allows to be pointers or numbers, if the plan depends on
   * this choice.
   */
  readonly unclear: ReadonlySet<number>;
  /** How the kernel accesses the heap. */
  readonly heap: Elements & { readonly read: boolean; readonly written: boolean };
  /** The plan of each array, by the array number in the root of an access. */
  readonly arrays: readonly ArrayPlan[];
  /**
   * The size of shared memory in bytes, a multiple of the size of a word. It includes arrays in a
   * buffer.
   */
  readonly sharedBytes: number;
  /** Which arrays are in a buffer, and why; undefined if all arrays fit in workgroup memory. */
  readonly placementNote: string | undefined;
  /** The initial contents of the heap, up to the first launch buffer. */
  readonly heapImage: Uint8Array;
  /** The instructions of an encoded kernel, in words (`passes/encode`); absent for other kernels. */
  readonly instructions?: Uint32Array;
}
