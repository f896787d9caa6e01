// Copies that threads of a block have begun and not waited for. They are done as late as PTX allows: when a wait asks for them, or never.
import type { Access } from './access.ts';
import type { Region } from './region.ts';

export interface Copy {
  /// Number of the thread in its block.
  readonly thread: number;
  /// The store to shared memory that it will be, and the place.
  readonly access: Access;
  readonly to: Region;
  readonly offset: number;
  /// Undefined where nothing is read: then all bytes are zeros.
  readonly from: Region | undefined;
  readonly fromOffset: number;
  /// Bytes that are read; the rest are zeros.
  readonly taken: number;
  /// What goes there is undefined: the source lies outside of all memory, or nobody knows its size.
  readonly isLost: boolean;
}

/// The thread's copies in no group, and its groups, the oldest first.
interface Groups {
  open: Copy[];
  closed: Copy[][];
}

const overlaps = (a: number, aBytes: number, b: number, bBytes: number): boolean => a < b + bBytes && b < a + aBytes;

export class PendingCopies {
  readonly #pending = new Set<Copy>();
  /// By word of shared memory: the last copy that will write there.
  readonly #words = new Map<number, Copy>();
  readonly #groups = new Map<number, Groups>();

  #groupsOf(thread: number): Groups {
    let groups = this.#groups.get(thread);
    if (groups === undefined) {
      groups = { open: [], closed: [] };
      this.#groups.set(thread, groups);
    }
    return groups;
  }

  begin(copy: Copy): void {
    this.#pending.add(copy);
    for (let at = copy.offset; at < copy.offset + copy.access.bytes; at += 4) this.#words.set(at >>> 2, copy);
    this.#groupsOf(copy.thread).open.push(copy);
  }

  commit(thread: number): void {
    const groups = this.#groupsOf(thread);
    groups.closed.push(groups.open);
    groups.open = [];
  }

  /// The copies that a wait for all groups but the last `kept` asks for, in the order in which they were begun.
  wait(thread: number, kept: number): readonly Copy[] {
    const groups = this.#groupsOf(thread);
    const oldest = groups.closed.splice(0, Math.max(0, groups.closed.length - kept)).flat();
    const done = oldest.filter((copy) => this.#pending.has(copy));
    for (const copy of done) this.end(copy);
    return done;
  }

  /// The thread's copies that nobody has asked for, in groups or not: they are done all the same when an mbarrier says so.
  ofThread(thread: number): readonly Copy[] {
    return [...this.#pending].filter((copy) => copy.thread === thread);
  }

  isPending(copy: Copy): boolean {
    return this.#pending.has(copy);
  }

  /// The copy is done: no wait needs to do it.
  end(copy: Copy): void {
    this.#pending.delete(copy);
    for (let at = copy.offset; at < copy.offset + copy.access.bytes; at += 4) {
      if (this.#words.get(at >>> 2) === copy) this.#words.delete(at >>> 2);
    }
  }

  /// A copy that will write bytes of shared memory.
  writing(offset: number, bytes: number): Copy | undefined {
    if (this.#words.size === 0) return undefined;
    for (let word = offset >>> 2; word <= (offset + bytes - 1) >>> 2; word++) {
      const copy = this.#words.get(word);
      if (copy !== undefined) return copy;
    }
    return undefined;
  }

  /// A thread's copy that will read bytes of a buffer.
  reading(thread: number, region: Region, offset: number, bytes: number): Copy | undefined {
    for (const copy of this.#pending) {
      const isOwn = copy.thread === thread && copy.from === region;
      if (isOwn && overlaps(copy.fromOffset, copy.taken, offset, bytes)) return copy;
    }
    return undefined;
  }
}
