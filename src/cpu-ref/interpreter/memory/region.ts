// A contiguous range of addressable bytes. Typed arrays alias these bytes as words, so the host
// must be little-endian. In practice, all hosts of JavaScript engines are little-endian.
import type { StateSpace, Variable } from '../../../ptx/ast.ts';

/**
 * Marks of a byte. The low eight bits of a mark are the undefined bits of the byte. The next bit is
 * set if these undefined bits were never written, not even with an undefined value.
 */
export const shadow = { defined: 0, undefined: 0xff, neverWritten: 0x1ff } as const;

/** Whether a mark, or the union of several marks, contains bits that were never written. */
export const isNeverWritten = (mark: number): boolean => mark > 0xff;

/** Returns the mark of byte `index` of a value whose undefined bits are `bits`. */
export function markOf(bits: bigint, index: number, isUnwritten: boolean): number {
  const own = Number((bits >> BigInt(8 * index)) & 0xffn);
  return own !== 0 && isUnwritten ? own | 0x100 : own;
}

/** A named part of a region, for messages. */
export interface RegionPart {
  readonly name: string;
  /** The variable; undefined for memory that the runtime reserves. */
  readonly variable?: Variable;
  readonly start: number;
  readonly bytes: number;
}

export interface RegionOptions {
  /** Whether the contents are initially "never written" instead of defined zeros. */
  readonly uninitialized?: boolean;
  readonly parts?: readonly RegionPart[];
  /** Whether to record the last thread that wrote each byte. */
  readonly trackWriters?: boolean;
}

export class Region {
  readonly name: string;
  readonly space: StateSpace;
  /** The address of the first byte, in the region's own state space. */
  readonly base: number;
  size: number;
  bytes: Uint8Array;
  words: Uint32Array;
  /** The mark of each byte; undefined while all bytes are defined. */
  shadow: Uint16Array | undefined;
  readonly parts: readonly RegionPart[];
  readonly writers: Int32Array | undefined;
  /**
   * The end of the last byte that loads read, and of the last byte that stores wrote, including
   * attempts outside of the region. Atomics count as loads and as stores.
   */
  readTo = 0;
  writtenTo = 0;

  constructor(name: string, space: StateSpace, base: number, size: number, options: RegionOptions = {}) {
    this.name = name;
    this.space = space;
    this.base = base;
    this.size = size;
    this.bytes = new Uint8Array((size + 7) & ~7);
    this.words = new Uint32Array(this.bytes.buffer);
    this.shadow = options.uninitialized === true ? new Uint16Array(size).fill(shadow.neverWritten) : undefined;
    this.parts = options.parts ?? [];
    this.writers = options.trackWriters === true ? new Int32Array(size).fill(-1) : undefined;
  }

  /** Grows the region to at least `size` bytes. If it has marks, those of new bytes are "never written". */
  grow(size: number): void {
    if (size <= this.size) return;
    const capacity = Math.max(size, this.size * 2);
    const bytes = new Uint8Array((capacity + 7) & ~7);
    bytes.set(this.bytes);
    if (this.shadow !== undefined) {
      const marks = new Uint16Array(capacity).fill(shadow.neverWritten);
      marks.set(this.shadow);
      this.shadow = marks;
    }
    this.size = capacity;
    this.bytes = bytes;
    this.words = new Uint32Array(bytes.buffer);
  }

  /** Returns `size` bytes (1, 2 or 4) at `offset`, zero-extended. The caller checks the bounds. */
  load(offset: number, size: number): number {
    if (size === 4 && (offset & 3) === 0) return this.words[offset >>> 2] ?? 0;
    let value = 0;
    for (let i = size - 1; i >= 0; i--) value = (value << 8) | (this.bytes[offset + i] ?? 0);
    return value >>> 0;
  }

  /** Stores the low `size` bytes (1, 2 or 4) of `value`. */
  store(offset: number, size: number, value: number): void {
    if (size === 4 && (offset & 3) === 0) {
      this.words[offset >>> 2] = value;
      return;
    }
    for (let i = 0; i < size; i++) this.bytes[offset + i] = value >>> (8 * i);
  }

  /** Returns the union of the marks of a range: 0 if all of its bytes are defined. */
  shadowAt(offset: number, size: number): number {
    const marks = this.shadow;
    if (marks === undefined) return shadow.defined;
    let all = 0;
    for (let i = offset; i < offset + size; i++) all |= marks[i] ?? 0;
    return all;
  }

  /** Returns the undefined bits of a range of at most eight bytes. */
  undefinedBits(offset: number, size: number): bigint {
    let bits = 0n;
    for (let i = size - 1; i >= 0; i--) bits = (bits << 8n) | BigInt((this.shadow?.[offset + i] ?? 0) & 0xff);
    return bits;
  }

  /** Records the undefined bits of a range. Must be called after `noteStore`. */
  noteBits(offset: number, size: number, bits: bigint, isUnwritten: boolean): void {
    this.shadow ??= new Uint16Array(this.size);
    for (let i = 0; i < size; i++) this.shadow[offset + i] = markOf(bits, i, isUnwritten);
  }

  /** Records a store of `size` bytes by a thread, which has the number `thread` in the grid. */
  noteStore(offset: number, size: number, undefinedValue: boolean, thread: number): void {
    if (undefinedValue) this.shadow ??= new Uint16Array(this.size);
    if (this.shadow !== undefined) {
      this.shadow.fill(undefinedValue ? shadow.undefined : shadow.defined, offset, offset + size);
    }
    this.writers?.fill(thread, offset, offset + size);
  }
}
