// The asynchronous copies that threads of a block have started and for which they have not yet
// waited. A copy is performed as late as PTX permits: when a wait requires it, or never.

import { getOrInsert } from '../../../base/maps.ts';
import type { Access } from '../memory/access.ts';
import type { Update } from '../memory/atomics.ts';
import type { Region } from '../memory/region.ts';

/** How a copy updates each element of its target, instead of storing it. */
export interface Combine {
  readonly update: Update;
  /** The size of an element in bytes. */
  readonly bytes: number;
}

export interface Copy {
  /** The index of the thread in its block. */
  readonly thread: number;
  /** The store that the copy will perform, and its location. */
  readonly access: Access;
  readonly to: Region;
  readonly offset: number;
  /** The source; undefined if no bytes are read, so that all stored bytes are zero. */
  readonly from: Region | undefined;
  readonly fromOffset: number;
  /** The number of bytes that are read. The remaining bytes are zero. */
  readonly taken: number;
  /**
   * Whether the stored bytes are undefined because the source is out of bounds or the size is
   * undefined.
   */
  readonly isLost: boolean;
  /** The reduction; undefined for a plain copy. */
  readonly combine?: Combine | undefined;
  /** Returns the bytes to store, if they are not simply the bytes of the source in order. */
  readonly assemble?: () => CopiedBytes;
  /** The bytes of a source that was read before the copy is complete. */
  read?: CopiedBytes;
}

/** Bytes with their marks. */
export interface CopiedBytes {
  readonly bytes: Uint8Array;
  readonly marks: Uint16Array;
}

/** The kind of groups: `async` for `cp.async`, `bulk` for `cp.async.bulk`. */
export type QueueName = 'async' | 'bulk';

/**
 * The copies of a thread that are not in a committed group, and its committed groups, ordered from
 * the oldest.
 */
interface Groups {
  open: Copy[];
  closed: Copy[][];
}

const overlaps = (a: number, aBytes: number, b: number, bBytes: number): boolean => a < b + bBytes && b < a + aBytes;

export class PendingCopies {
  readonly #pending = new Set<Copy>();
  /** The number of pending reductions. */
  #updates = 0;
  /** For each word of the shared memory of each block, the last copy that will write it. */
  readonly #words = new Map<Region, Map<number, Copy>>();
  readonly #groups = { async: new Map<number, Groups>(), bulk: new Map<number, Groups>() };

  get count(): number {
    return this.#pending.size;
  }

  #groupsOf(thread: number, name: QueueName): Groups {
    const queue = this.#groups[name];
    return getOrInsert(queue, thread, () => ({ open: [], closed: [] }));
  }

  /** Starts a copy. `queue` is undefined if an mbarrier tracks the copy's completion. */
  begin(copy: Copy, queue: QueueName | undefined): void {
    this.#pending.add(copy);
    if (copy.combine !== undefined) this.#updates++;
    if (copy.to.space === 'shared') {
      const words = getOrInsert(this.#words, copy.to, () => new Map<number, Copy>());
      for (const word of wordsOf(copy)) words.set(word, copy);
    }
    if (queue !== undefined) this.#groupsOf(copy.thread, queue).open.push(copy);
  }

  commit(thread: number, queue: QueueName): void {
    const groups = this.#groupsOf(thread, queue);
    groups.closed.push(groups.open);
    groups.open = [];
  }

  /**
   * Ends the copies in all committed groups of the thread except the last `kept` groups. Returns
   * these copies in the order in which they started.
   */
  wait(thread: number, kept: number, queue: QueueName): readonly Copy[] {
    const done = this.asked(thread, kept, queue);
    const { closed } = this.#groupsOf(thread, queue);
    closed.splice(0, Math.max(0, closed.length - kept));
    for (const copy of done) this.end(copy);
    return done;
  }

  /** Returns the copies that `wait` would end, without ending them. */
  asked(thread: number, kept: number, queue: QueueName): readonly Copy[] {
    const { closed } = this.#groupsOf(thread, queue);
    const groups = closed.slice(0, Math.max(0, closed.length - kept));
    return groups.flat().filter((copy) => this.#pending.has(copy));
  }

  /**
   * Returns the thread's pending `cp.async` copies, whether they are in a committed group or not.
   * An mbarrier can track the completion of all of them.
   */
  ofThread(thread: number): readonly Copy[] {
    const { open, closed } = this.#groupsOf(thread, 'async');
    return [...closed.flat(), ...open].filter((copy) => this.#pending.has(copy));
  }

  /** Returns the pending copies to global memory, which complete before the kernel ends. */
  stores(): readonly Copy[] {
    return [...this.#pending].filter(({ to }) => to.space === 'global');
  }

  isPending(copy: Copy): boolean {
    return this.#pending.has(copy);
  }

  /** Removes a copy that has been performed. */
  end(copy: Copy): void {
    if (this.#pending.delete(copy) && copy.combine !== undefined) this.#updates--;
    const words = this.#words.get(copy.to);
    if (words) for (const word of wordsOf(copy)) if (words.get(word) === copy) words.delete(word);
  }

  /** Returns a pending copy that will write any of these bytes of shared memory. */
  writing(region: Region, offset: number, bytes: number): Copy | undefined {
    const words = this.#words.get(region);
    if (words === undefined || words.size === 0) return undefined;
    for (let word = offset >>> 2; word <= (offset + bytes - 1) >>> 2; word++) {
      const copy = words.get(word);
      if (copy !== undefined) return copy;
    }
    return undefined;
  }

  /** Returns a pending reduction that will update any of these bytes of global memory. */
  updating(region: Region, offset: number, bytes: number): Copy | undefined {
    if (this.#updates === 0) return undefined;
    for (const copy of this.#pending) {
      if (copy.to !== region || copy.combine === undefined) continue;
      if (overlaps(copy.offset, copy.access.bytes, offset, bytes)) return copy;
    }
    return undefined;
  }

  /** Returns a pending copy that will read any of these bytes of a region. */
  reading(region: Region, offset: number, bytes: number): Copy | undefined {
    for (const copy of this.#pending) {
      if (copy.from !== region || copy.read !== undefined) continue;
      if (overlaps(copy.fromOffset, copy.taken, offset, bytes)) return copy;
    }
    return undefined;
  }
}

/** Yields the indices of the words of shared memory that a copy writes. */
function* wordsOf({ offset, access }: Copy): Generator<number> {
  for (let at = offset; at < offset + access.bytes; at += 4) yield at >>> 2;
}
