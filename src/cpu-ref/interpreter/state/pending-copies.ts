// Copies that threads of a block have begun and not waited for. They are done as late as PTX allows: when a wait asks for them, or never.

import { getOrInsert } from '../../../base/maps.ts';
import type { Access } from '../memory/access.ts';
import type { Update } from '../memory/atomics.ts';
import type { Region } from '../memory/region.ts';

/** An update of each element in place of a store. */
export interface Combine {
  readonly update: Update;
  /** Bytes of an element. */
  readonly bytes: number;
}

export interface Copy {
  /** Number of the thread in its block. */
  readonly thread: number;
  /** The store that it will be, and the place. */
  readonly access: Access;
  readonly to: Region;
  readonly offset: number;
  /** Undefined where nothing is read: then all bytes are zeros. */
  readonly from: Region | undefined;
  readonly fromOffset: number;
  /** Bytes that are read; the rest are zeros. */
  readonly taken: number;
  /** What goes there is undefined: the source lies outside of all memory, or nobody knows its size. */
  readonly isLost: boolean;
  /** What it does to each element; undefined where it stores. */
  readonly combine?: Combine | undefined;
  /** The bytes, and which are undefined, of a source that has been read before the copy is done. */
  read?: { readonly bytes: Uint8Array; readonly marks: Uint16Array };
}

/** `async`: what `cp.async` waits for; `bulk`: what `cp.async.bulk` does. */
export type QueueName = 'async' | 'bulk';

/** A thread's copies in no group, and its groups, the oldest first. */
interface Groups {
  open: Copy[];
  closed: Copy[][];
}

const overlaps = (a: number, aBytes: number, b: number, bBytes: number): boolean => a < b + bBytes && b < a + aBytes;

export class PendingCopies {
  readonly #pending = new Set<Copy>();
  /** Of these, how many update. */
  #updates = 0;
  /** By word of shared memory: the last copy that will write there. */
  readonly #words = new Map<number, Copy>();
  readonly #groups = { async: new Map<number, Groups>(), bulk: new Map<number, Groups>() };

  get count(): number {
    return this.#pending.size;
  }

  #groupsOf(thread: number, name: QueueName): Groups {
    const queue = this.#groups[name];
    return getOrInsert(queue, thread, () => ({ open: [], closed: [] }));
  }

  /** Without a queue, an mbarrier says when it is done. */
  begin(copy: Copy, queue: QueueName | undefined): void {
    this.#pending.add(copy);
    if (copy.combine !== undefined) this.#updates++;
    for (const word of wordsOf(copy)) this.#words.set(word, copy);
    if (queue !== undefined) this.#groupsOf(copy.thread, queue).open.push(copy);
  }

  commit(thread: number, queue: QueueName): void {
    const groups = this.#groupsOf(thread, queue);
    groups.closed.push(groups.open);
    groups.open = [];
  }

  /** The copies that a wait for all groups but the last `kept` asks for, in the order in which they were begun. */
  wait(thread: number, kept: number, queue: QueueName): readonly Copy[] {
    const done = this.asked(thread, kept, queue);
    const { closed } = this.#groupsOf(thread, queue);
    closed.splice(0, Math.max(0, closed.length - kept));
    for (const copy of done) this.end(copy);
    return done;
  }

  /** The same, and they stay pending. */
  asked(thread: number, kept: number, queue: QueueName): readonly Copy[] {
    const { closed } = this.#groupsOf(thread, queue);
    const groups = closed.slice(0, Math.max(0, closed.length - kept));
    return groups.flat().filter((copy) => this.#pending.has(copy));
  }

  /** The thread's copies of `cp.async` that nobody has asked for, in groups or not: they are done all the same when an mbarrier says so. */
  ofThread(thread: number): readonly Copy[] {
    const { open, closed } = this.#groupsOf(thread, 'async');
    return [...closed.flat(), ...open].filter((copy) => this.#pending.has(copy));
  }

  /** Copies to global memory, which are done before the kernel is. */
  stores(): readonly Copy[] {
    return [...this.#pending].filter(({ to }) => to.space === 'global');
  }

  isPending(copy: Copy): boolean {
    return this.#pending.has(copy);
  }

  /** The copy is done: no wait needs to do it. */
  end(copy: Copy): void {
    if (this.#pending.delete(copy) && copy.combine !== undefined) this.#updates--;
    for (const word of wordsOf(copy)) if (this.#words.get(word) === copy) this.#words.delete(word);
  }

  /** A copy that will write bytes of shared memory. */
  writing(offset: number, bytes: number): Copy | undefined {
    if (this.#words.size === 0) return undefined;
    for (let word = offset >>> 2; word <= (offset + bytes - 1) >>> 2; word++) {
      const copy = this.#words.get(word);
      if (copy !== undefined) return copy;
    }
    return undefined;
  }

  /** A copy that will update bytes of global memory. */
  updating(region: Region, offset: number, bytes: number): Copy | undefined {
    if (this.#updates === 0) return undefined;
    for (const copy of this.#pending) {
      if (copy.to !== region || copy.combine === undefined) continue;
      if (overlaps(copy.offset, copy.access.bytes, offset, bytes)) return copy;
    }
    return undefined;
  }

  /** A copy that will read bytes of a region. */
  reading(region: Region, offset: number, bytes: number): Copy | undefined {
    for (const copy of this.#pending) {
      if (copy.from !== region || copy.read !== undefined) continue;
      if (overlaps(copy.fromOffset, copy.taken, offset, bytes)) return copy;
    }
    return undefined;
  }
}

/** Numbers of the words of shared memory that a copy writes. */
function* wordsOf({ to, offset, access }: Copy): Generator<number> {
  if (to.space !== 'shared') return;
  for (let at = offset; at < offset + access.bytes; at += 4) yield at >>> 2;
}
