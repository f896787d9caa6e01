// Events: the memory accesses, fences and barriers that a thread executes. A read-modify-write is a
// read and a write. So is a bulk copy, whose accesses the thread does not execute itself.

/** The threads that an operation may synchronize with. */
export const scopes = ['cta', 'cluster', 'gpu', 'sys'] as const;
export type Scope = (typeof scopes)[number];

/** The place of a thread in the scope tree. The numbers are unique on the whole machine. */
export interface Placement {
  readonly block: number;
  readonly cluster: number;
  readonly device: number;
}

interface Operation {
  /** The number of the thread. */
  readonly thread: number;
  /** The scope of a strong operation, a fence or a barrier; undefined for weak accesses. */
  readonly scope: Scope | undefined;
  /**
   * The reads of the same path whose values the operation depends on: through its address, its
   * value or a branch. Bit i is event i of the path.
   */
  readonly dependencies: number;
  /**
   * The events of the same path that precede the operation in program order. The accesses of a copy
   * precede nothing until the thread has waited for them.
   */
  readonly after: number;
}

/** Consecutive bytes of memory. */
export interface ByteRange {
  readonly address: number;
  readonly bytes: number;
}

/**
 * The methods of access. In litmus tests, bulk copies use the async proxy and all other accesses the
 * generic proxy; the rules are the same for the other proxies.
 */
export type Proxy = 'generic' | 'async' | 'surface' | 'texture' | 'constant';

/** The address space of a variable. */
export type MemorySpace = 'global' | 'shared';

/** A read or write of consecutive bytes of memory. */
export interface Access extends Operation, ByteRange {
  readonly kind: 'read' | 'write';
  /** The value, little-endian in memory and zero-extended. */
  readonly value: bigint;
  /** Whether an acquire (of a read) or a release (of a write). */
  readonly synchronizes: boolean;
  /** For the write of a read-modify-write, the index of its read in the path. */
  readonly readIndex: number | undefined;
  readonly proxy: Proxy;
  /** The number of the mapping that the access uses: 0, or that of an alias. */
  readonly view: number;
  readonly space: MemorySpace;
}

export interface Fence extends Operation {
  readonly kind: 'fence';
  readonly order: 'acquire' | 'release' | 'acq_rel' | 'sc';
}

/** A fence between proxies, or between aliases of memory. */
export interface ProxyFence extends Operation {
  readonly kind: 'proxyFence';
  readonly of: Exclude<Proxy, 'generic'> | 'alias';
  /** The memory whose accesses the fence orders; undefined for all memory. */
  readonly space: MemorySpace | undefined;
  /**
   * For the end of a wait for copies, which contains a fence: the accesses that are complete, as
   * events of the path. The fence orders no other async accesses.
   */
  readonly completes: number | undefined;
}

export interface Barrier extends Operation {
  readonly kind: 'barrier';
  readonly id: number;
  /** The number of threads that complete the barrier; undefined for all threads of the block. */
  readonly count: number | undefined;
  /** Whether the thread waits, or only arrives. */
  readonly waits: boolean;
}

export type Event = Access | Fence | ProxyFence | Barrier;

export const isAccess = (event: Event): event is Access => event.kind === 'read' || event.kind === 'write';

export const isStrong = (event: Event): boolean => event.scope !== undefined;

/** Whether two accesses use the same proxy and the same mapping. */
export const samePath = (a: Access, b: Access): boolean => a.proxy === b.proxy && a.view === b.view;

/** Whether two ranges have a byte in common. */
export const overlap = (a: ByteRange, b: ByteRange): boolean =>
  a.address < b.address + b.bytes && b.address < a.address + a.bytes;

/** Whether a range contains all bytes of another one. */
export const covers = (whole: ByteRange, part: ByteRange): boolean =>
  whole.address <= part.address && part.address + part.bytes <= whole.address + whole.bytes;

/** Returns the value of some of the bytes of a value in memory. */
export const valueAt = (whole: ByteRange & { readonly value: bigint }, part: ByteRange): bigint =>
  BigInt.asUintN(8 * part.bytes, whole.value >> BigInt(8 * (part.address - whole.address)));

/** Whether a scope around the thread at `from` includes the thread at `to`. */
export function includes(scope: Scope, from: Placement, to: Placement): boolean {
  if (scope === 'sys') return true;
  if (scope === 'gpu') return from.device === to.device;
  return scope === 'cluster' ? from.cluster === to.cluster : from.block === to.block;
}
